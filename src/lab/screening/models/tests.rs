//! Models together decide only what they can.

use super::*;
use crate::arch::design::{Function, NormKind, Placement, PositionKind};

pub fn interval(low: f64, high: f64) -> Interval {
    Interval { value: 0.5 * (low + high), low, high }
}

/// A model of a largest κ, with intervals of disparity and r.
pub fn entry(model: &str, max_kurtosis: f64, disparity: (f64, f64), r: (f64, f64)) -> ModelEntry {
    let (bits, rule, granularity) = (Bits::ALL[2], Rule::Absmax, Granularity::Tensor);
    ModelEntry {
        model: model.into(),
        sha256: format!("sha-{model}"),
        backend: "cpu".into(),
        from_file: false,
        setting: Setting { corpus: "udhr".into(), units: 8, bits, rule, granularity },
        languages: 18,
        traits: Design {
            architecture: "gpt2".into(),
            layers: 12,
            width: 128,
            inner: 512,
            heads: 4,
            key_heads: 4,
            vocabulary: 8192,
            context: 256,
            activation: Function::GeluTanh,
            gated: false,
            norm: NormKind::Layer,
            placement: Placement::Before,
            eps: 1e-5,
            positions: vec![PositionKind::Learned],
            parallel: false,
            tied: true,
        },
        mix: Some(Mix { languages: 18, largest: 0.3 }),
        max_kurtosis,
        variance: Some(interval(0.0001, 0.0002)),
        disparity: Some(interval(disparity.0, disparity.1)),
        disparity_corrected: Some(interval(disparity.0, disparity.1)),
        r: Some(interval(r.0, r.1)),
    }
}

fn rulings(entries: &[ModelEntry]) -> [Ruling; 2] {
    let verdicts = across(entries, 5.0, 50.0);
    [verdicts[0].ruling, verdicts[1].ruling]
}

#[test]
fn the_seeds_four_models_would_support_their_claims() {
    use Ruling::*;
    let seeds = vec![
        entry("bloom", 164.0, (0.018, 0.022), (-0.93, -0.65)),
        entry("mt5", 45.0, (0.010, 0.014), (-0.6, -0.4)),
        entry("xglm", 1.9, (0.001, 0.004), (-0.2, 0.25)),
    ];
    assert_eq!(rulings(&seeds), [Supported, Supported]);
    let mut other = seeds.clone();
    other[2] = entry("xglm", 1.9, (0.03, 0.04), (0.35, 0.8));
    assert_eq!(rulings(&other), [NotSupported, NotSupported], "a light one with r above 0.3 and more disparity");
    other[2] = entry("xglm", 1.9, (0.001, 0.02), (0.1, 0.5));
    assert_eq!(rulings(&other), [Undecided, Undecided]);
    assert_eq!(rulings(&seeds[..1]), [Undecided, Undecided], "one class alone");
    assert_eq!(rulings(&seeds[..2]), [Undecided, Supported], "P4 says nothing of κ between");
    assert_eq!(rulings(&[]), [Undecided, Undecided]);
    let contrary = [entry("bloom", 164.0, (0.0, 0.1), (0.2, 0.9))];
    assert_eq!(rulings(&contrary)[0], NotSupported, "one contrary model is enough");
    let said = &across(&seeds, 5.0, 50.0)[1].because;
    assert!(said.starts_with("xglm: max κ 1.9, disparity 0.003") && said.contains("ρ = 1.00 over 3 models"), "{said}");
}

#[test]
fn only_what_was_asked_alike_is_compared_and_each_model_once() {
    let mut entries = vec![
        entry("a", 1.0, (0.1, 0.2), (0.0, 0.1)),
        entry("b", 60.0, (0.1, 0.2), (0.0, 0.1)),
        entry("a", 1.0, (0.5, 0.6), (0.0, 0.1)),
    ];
    let setting = entries[0].setting.clone();
    entries[1].setting.bits = Bits::ALL[0];
    let (found, models) = comparable(&entries).unwrap();
    assert!(*found == setting && models.len() == 1, "the same model twice is one, and the last");
    assert_eq!(models[0].disparity.unwrap().low, 0.5);
    entries[1].setting.bits = setting.bits;
    assert_eq!(comparable(&entries).unwrap().1.len(), 2);
    assert!(comparable(&[]).is_none());
}
