//! A small report for the tests of this module.

use super::{Advice, Condition, Config, Interval, Layer, Needed, Report, Row};
use crate::lab::degradation::Language;
use crate::lab::rounding::Rounding;
use crate::lab::screening::models::tests::entry;
use crate::lab::screening::{Claim, Verdict};
use crate::lab::settings::{Resampling, Texts};
use crate::lab::verdict::Ruling;
use crate::math::correlation::Correlation;
use crate::report::{Bits, Granularity, Resource, Rule};

pub fn interval(value: f64, half: f64) -> Interval {
    Interval { value, low: value - half, high: value + half }
}

/// A model of light tails with twelve layers of which one stands in; English, Korean, and Thai, which is unseen.
pub fn report() -> Report {
    let row = |code: &str, name: &str, resource, usage: f64, loss: f64| Row {
        language: Language {
            code: code.into(),
            name: name.into(),
            endonym: name.into(),
            direction: "ltr".into(),
            resource,
            tokens_seen: Some(9),
        },
        usage: interval(usage, 0.01),
        degradation: interval(loss, 0.02),
    };
    let like = entry("m", 2.83, (0.01, 0.03), (-0.5, 0.5));
    let r = interval(0.2, 0.4);
    let condition = |which, met, because: &str| Condition { which, met, because: because.into() };
    Report {
        config: Config {
            texts: Texts { corpus: "udhr".into(), languages: vec!["eng".into(), "kor".into(), "tha".into()], units: 3 },
            quantizer: Rounding {
                bits: Bits::new(4).expect("a width"),
                rule: Rule::Absmax,
                granularity: Granularity::Tensor,
            },
            draws: Resampling { resamples: 200, seed: 1 },
            light: 5.0,
            heavy: 50.0,
            variance: 0.001,
            safe: Bits::new(8).expect("a width"),
            permutations: 300,
        },
        origin: crate::lab::provenance::tests::origin("m"),
        traits: like.traits,
        mix: like.mix,
        layers: [0.4, 2.83, 1.1].map(|kurtosis| Layer { kurtosis, outlier: kurtosis > 2.0 }).to_vec(),
        stand_in: true,
        max_kurtosis: 2.83,
        rows: vec![
            row("eng", "English", Resource::High, 0.30, 0.05),
            row("kor", "Korean", Resource::Low, 0.34, 0.17),
            row("tha", "Thai", Resource::Unseen, 0.4, 0.9),
        ],
        variance: Some(interval(0.0004, 0.0001)),
        disparity: Some(interval(0.12, 0.03)),
        disparity_corrected: Some(interval(0.11, 0.04)),
        correlation: Some(Correlation { n: 2, pearson: r, pearson_p: 0.4, spearman: r, spearman_p: 0.5 }),
        conditions: vec![
            condition(Needed::C1, Some(false), "max κ is 2.83, the bound 5"),
            condition(Needed::C2, Some(false), "Var[ā_outlier] is 4.00e−4"),
            condition(Needed::C3, Some(true), "4 bits, and B_safe is 8"),
        ],
        advice: Advice::Standard,
        verdicts: Claim::ALL
            .map(|claim| Verdict { claim, ruling: Ruling::NotSupported, because: "disparity 0.110".into() })
            .to_vec(),
    }
}
