//! A small report for the tests of this module.

use super::{LayerSet, ProtectedPart, Report, Row};
use crate::lab::degradation::{Cost, Language};
use crate::lab::gateway::Config;
use crate::lab::gateway::{Interaction, Layer, Pick, Picker, Verdict};
use crate::lab::rounding::Rounding;
use crate::lab::settings::{Resampling, Texts};
use crate::lab::verdict::Ruling;
use crate::math::sets::{Branch, Family};
use crate::report::{Bits, Granularity, Interval, Resource, Rule};

/// Layers of the sample.
pub const LAYERS: usize = 6;

pub fn interval(value: f64, half: f64) -> Interval {
    Interval { value, low: value - half, high: value + half }
}

pub fn set(layers: &[usize]) -> LayerSet {
    layers.iter().copied().collect()
}

/// Layer 2 takes most off, then layer 0; all protected leaves nothing.
pub fn disparity(set: LayerSet) -> f64 {
    let effects = [0.2, 0.03, 0.3, 0.04, 0.05, 0.06];
    1.0 - set.layers().map(|layer| effects[layer]).sum::<f64>() - if set.len() == LAYERS { 0.32 } else { 0.0 }
}

fn row(set: LayerSet) -> Row {
    let of = disparity(set);
    let cost = Cost {
        degradation: vec![interval(0.1, 0.01), interval(0.1 + of, 0.01)],
        disparity: Some(interval(of, 0.12)),
        disparity_corrected: None,
        mean_high: Some(interval(0.1, 0.01)),
        mean_low: Some(interval(0.1 + of, 0.01)),
        ratio: None,
    };
    Row { set, bytes: 1000 + 100 * set.len() as u64, cost, score: Some(interval(0.5, 0.01)) }
}

/// Every set of two and three of six layers and the sweeps, or the first of them in the order of the tree.
pub fn report(rows: usize) -> Report {
    let config = Config {
        texts: Texts { corpus: "udhr".into(), languages: vec!["eng".into(), "kor".into()], units: 4 },
        quantizer: Rounding {
            bits: Bits::new(3).expect("3 is a bit-width"),
            rule: Rule::Absmax,
            granularity: Granularity::Tensor,
        },
        draws: Resampling { resamples: 500, seed: 1 },
        protects: ProtectedPart::Block,
        rounded_table: false,
        budgets: vec![3],
        every: false,
        sweeps: true,
        others: true,
    };
    let language = |code: &str, resource| Language {
        code: code.into(),
        name: code.to_uppercase(),
        endonym: code.into(),
        direction: "ltr".into(),
        resource,
        tokens_seen: Some(10),
    };
    let sets: Vec<LayerSet> = config.family(LAYERS).sets(Branch::ROOT);
    let mut there: Vec<Row> = sets.iter().take(rows).map(|set| row(*set)).collect();
    there.sort_by(|a, b| {
        (a.set.len().cmp(&b.set.len())).then(disparity(a.set).total_cmp(&disparity(b.set))).then(a.set.cmp(&b.set))
    });
    let whole = there.len() == sets.len();
    let pick = |picker, layers: &[usize], rank| Pick {
        picker,
        set: set(layers),
        rank,
        among: 20,
        regret: interval(0.04, 0.01),
    };
    Report {
        origin: crate::lab::provenance::tests::origin("m"),
        languages: vec![language("eng", Resource::High), language("kor", Resource::Low)],
        layers: vec![Layer { kurtosis: 1.5, output_error: 2.5, variance: 0.001 }; LAYERS],
        bytes_full: 4000,
        sets: Family::new(LAYERS, [0, 1, 2, 3, 5, 6]).sets(Branch::ROOT).len(),
        picks: if whole {
            vec![
                pick(Picker::Additive, &[0, 2, 5], interval(1.0, 0.0)),
                pick(Picker::Predicted, &[0, 4, 5], Interval { value: 8.0, low: 5.0, high: 12.0 }),
            ]
        } else {
            Vec::new()
        },
        interactions: if whole {
            let of = |layers, excess| Interaction { layers, excess };
            vec![of((0, 2), interval(-0.2, 0.1)), of((1, 3), interval(0.02, 0.1))]
        } else {
            Vec::new()
        },
        verdicts: if whole {
            let because = "the best set with both is worse".to_string();
            vec![Verdict { claim: super::Claim::G1, budget: 3, ruling: Ruling::NotSupported, because }]
        } else {
            Vec::new()
        },
        rows: there,
        config,
    }
}
