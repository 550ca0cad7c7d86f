//! Laws of the Weights and the Clipping report.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use fairbits::report::Measure;
use fairbits::{
    arch::recipe::Quantization,
    lab::{
        self, Needs,
        clipping::{Config, PLACES, Report, Tensor},
        runner::Alone,
        weights,
    },
    math::{
        clipping::Rule,
        moments::Summary,
        quantizer::{Bits, Granularity, Layout, Uniform},
        rng::Rng,
    },
};
use proptest::prelude::*;

use super::{CODES, UNITS, model, site};

pub fn config() -> Config {
    Config {
        texts: Texts {
            corpus: "test".into(),
            languages: CODES[..3].iter().map(|code| code.to_string()).collect(),
            units: UNITS,
        },
        draws: Resampling { resamples: 100, seed: 1 },
        bits: Bits::new(4).unwrap(),
        reference: "bbb".into(),
        losses: true,
    }
}

fn report(config: &Config) -> Report {
    let model = model();
    let lab = Alone { model: &model, site: site(), progress: &|_| () };
    let report = pollster::block_on(lab::run(&config.clone().into(), &lab)).unwrap();
    <&Report>::try_from(&report).unwrap().clone()
}

/// The least error is the exact optimum's: no rule, no place of the curve and no other language's α is below it.
#[test]
fn nothing_is_better_than_the_exact_optimum() {
    for bits in [2, 3, 4, 8] {
        let report = report(&Config { bits: Bits::new(bits).unwrap(), losses: false, ..config() });
        let within = |least: f64, other: f64| least <= other * (1.0 + 1e-9);
        for tensor in &report.tensors {
            let least = tensor.choice(Rule::Optimal).error.total();
            assert_eq!((tensor.choices.len(), tensor.curve.len()), (Rule::ALL.len(), PLACES));
            assert!(tensor.choices.iter().all(|choice| within(least, choice.error.total())), "{}", tensor.name);
            assert!(tensor.curve.iter().all(|error| within(least, error.total())), "{}", tensor.name);
            assert_eq!(tensor.choice(Rule::Absmax).error.clipping, 0.0);
        }
        for language in &report.languages {
            for of in &language.tensors {
                assert!(within(of.error, of.error_at_reference) && within(of.error, of.error_at_reference_shape));
            }
        }
    }
}

/// Less is clipped the further the grid reaches; at the last place, beyond the largest weight of all, nothing.
#[test]
fn clipping_falls_along_the_curve() {
    let report = report(&Config { texts: Texts { languages: Vec::new(), ..config().texts }, ..config() });
    assert!(report.places.is_sorted() && report.languages.is_empty() && report.losses.is_empty());
    for Tensor { name, curve, .. } in &report.tensors {
        assert!(curve.windows(2).all(|pair| pair[1].clipping <= pair[0].clipping), "{name}");
        assert!(curve[0].clipping > 0.1 && curve[PLACES - 1].clipping == 0.0, "{name}");
    }
}

/// κ_eff lies between the least and the largest κ of the layers, its shares sum to one; the reference is at home.
#[test]
fn languages_have_both_definitions() {
    let report = report(&config());
    let model = model();
    let lab = Alone { model: &model, site: site(), progress: &|_| () };
    let layers = pollster::block_on(lab::run(&weights::Config { threshold: 0.0 }.into(), &lab)).unwrap();
    let layers = &<&weights::Report>::try_from(&layers).unwrap().layers;
    let kappas = || layers.iter().map(|layer| layer.spread.summary.kurtosis);
    let (least, most) = (kappas().fold(f64::INFINITY, f64::min), kappas().fold(f64::NEG_INFINITY, f64::max));
    assert!(layers.iter().all(|layer| layer.outlier == (layer.spread.summary.kurtosis > 0.0)));
    for language in &report.languages {
        assert!((language.activation.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let by_hand: f64 = language.activation.iter().zip(kappas()).map(|(share, kappa)| share * kappa).sum();
        assert!((language.kurtosis.value - by_hand).abs() < 1e-12);
        assert!(least <= language.kurtosis.low && language.kurtosis.high <= most);
        assert_eq!(language.tensors.len(), report.tensors.len());
    }
    let home = &report.languages[1];
    assert!(home.tensors.iter().all(|of| of.error == of.error_at_reference && of.error == of.error_at_reference_shape));
    let abroad = &report.languages[0];
    assert!(abroad.tensors.iter().any(|of| of.error < of.error_at_reference));
}

/// A rule's D(λ) is what the Languages analysis says of the same rule.
#[test]
fn a_rules_loss_is_that_of_the_languages_analysis() {
    let report = report(&config());
    assert_eq!(report.losses.iter().map(|loss| loss.rule).collect::<Vec<_>>(), Rule::ALL);
    let mut other = super::config();
    other.texts.languages = config().texts.languages;
    other.quantizer = Rounding { bits: config().bits, rule: Rule::AciqLaplace, ..other.quantizer };
    other.draws.resamples = 100;
    let alone = super::report(&other);
    let loss = report.losses.iter().find(|loss| loss.rule == Rule::AciqLaplace).unwrap();
    let alone_d: Vec<_> = alone.rows.iter().map(|row| row.degradation).collect();
    assert_eq!((&loss.degradation, loss.disparity), (&alone_d, alone.over(Measure::Degradation).disparity));
}

/// The residuals of a least-squares line sum to nothing, and no other line, the theory's among them, leaves less.
#[test]
fn the_fit_leaves_less_than_the_seed() {
    let fit = report(&Config { texts: Texts { languages: Vec::new(), ..config().texts }, ..config() }).fit.unwrap();
    assert!(fit.residuals.iter().sum::<f64>().abs() < 1e-9 && fit.rms <= fit.seed_rms);
    assert!(fit.c.low <= fit.c.value && fit.c.value <= fit.c.high && fit.d.low <= fit.d.high);
}

#[test]
fn what_cannot_be_compared_gets_a_sentence() {
    let refused = |config: Config| config.check().unwrap_err().to_string();
    let stranger = Config { reference: "zzz".into(), ..config() };
    assert_eq!(refused(stranger.clone()), "the reference language `zzz` is not one of the languages chosen");
    assert!(
        Config { texts: Texts { languages: Vec::new(), ..stranger.texts.clone() }, ..stranger }.check().is_ok(),
        "without languages no reference is needed"
    );
    assert!(
        refused(Config { draws: Resampling { resamples: 1, ..config().draws }, ..config() })
            .starts_with("Bootstrap resamples is “1”")
    );
    assert!(weights::Config { threshold: f64::NAN }.check().unwrap_err().to_string().contains("finite number"));
    assert!(matches!(weights::Config { threshold: 5.0 }.needs(), Needs::Weights));
    assert!(matches!(
        Config { texts: Texts { languages: Vec::new(), ..config().texts }, ..config() }.needs(),
        Needs::Weights
    ));
    assert!(matches!(config().needs(), Needs::Texts(sample) if sample.units == UNITS));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Finer thresholds cost nothing: per group ≤ per channel ≤ per tensor, on the exact optimum. And κ does not see scale.
    #[test]
    fn finer_is_never_worse(seed: u64, k in 40usize..140, n in 2usize..6, transposed: bool, b in 2u8..=4, power in -9i32..9) {
        let (layout, bits, mut rng) = (Layout { k, n, transposed }, Bits::new(b).unwrap(), Rng::new(seed));
        let values: Vec<f32> = (0..k * n).map(|_| { let x = rng.normal(); (x * x * x) as f32 }).collect();
        let error = |granularity| {
            Quantization::of(Uniform { bits, granularity, rule: Rule::Optimal }, &values, layout).relative_mse(&values, layout)
        };
        let order = [Granularity::Group32, Granularity::Channel, Granularity::Tensor].map(error);
        // The f32 grid rounds each step; the optimum is of the grid in f64.
        prop_assert!(order[0] <= order[1] * (1.0 + 1e-5) && order[1] <= order[2] * (1.0 + 1e-5), "{:?}", order);
        let scaled: Vec<f32> = values.iter().map(|x| libm::ldexpf(*x, power)).collect();
        let (a, b) = (Summary::of(&values).kurtosis, Summary::of(&scaled).kurtosis);
        prop_assert!((a - b).abs() <= 1e-12 * (a.abs() + 3.0));
    }
}
