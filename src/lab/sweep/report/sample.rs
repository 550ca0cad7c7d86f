//! A small report for the tests of this module.

use super::{Bits, Critical, Interval, Language, Measure, Outcome, Report, Resource, Rule};
use crate::lab::degradation::{Change, Cost};
use crate::lab::settings::{Resampling, Texts};
use crate::lab::sweep::Config;
use crate::lab::sweep::{Claim, Slope, Verdict};
use crate::lab::verdict::Ruling;
use crate::report::Granularity;

pub fn interval(value: f64, half: f64) -> Interval {
    Interval { value, low: value - half, high: value + half }
}

fn language(code: &str, name: &str, resource: Resource) -> Language {
    Language {
        code: code.into(),
        name: name.into(),
        endonym: name.into(),
        direction: "ltr".into(),
        resource,
        tokens_seen: Some(9),
    }
}

/// English, Korean and Thai, which is unseen, at 2, 4 and 8 bits under two rules: a quarter of the loss with each bit.
pub fn report() -> Report {
    let widths = [2, 4, 8].map(|bits| Bits::new(bits).expect("a width"));
    let rules = [Rule::Absmax, Rule::Optimal];
    let outcome = |rule: Rule, bits: Bits| {
        let scale = libm::exp2(-2.0 * f64::from(bits.get())) * if rule == Rule::Absmax { 4.0 } else { 1.0 };
        let of = |d: f64| interval(d * scale, 0.1 * d * scale);
        let change = Change { difference: of(40.0), difference_corrected: of(40.0), reduction: interval(0.5, 0.1) };
        Outcome {
            rule,
            bits,
            cost: Cost {
                degradation: vec![of(8.0), of(48.0), of(90.0)],
                disparity: Some(of(40.0)),
                disparity_corrected: Some(of(36.0)),
                mean_high: Some(of(8.0)),
                mean_low: Some(of(48.0)),
                ratio: None,
            },
            against_widest: (bits.get() < 8).then_some(change),
            chance: Some(if bits.get() < 8 { 0.001 } else { 0.4 }),
            mean: Some(of(28.0)),
            nats: Some(of(20.0)),
            error: of(1.0),
            bytes: 100 * u64::from(bits.get()),
        }
    };
    let slope = |rule: Rule, measure: Measure| Slope {
        rule,
        measure,
        bits: widths.to_vec(),
        slope: Some(interval(-2.0, 0.1)),
        grid: Some(-2.2),
    };
    let critical = |rule: Rule| Critical {
        rule,
        equal: Bits::new(8),
        emerges: Bits::new(4),
        surely: Bits::new(4),
        maybe: Bits::new(4),
    };
    let verdict =
        |rule: Rule, claim: Claim| Verdict { claim, rule, ruling: Ruling::Supported, because: "slope −2.0".into() };
    Report {
        config: Config {
            texts: Texts { corpus: "udhr".into(), languages: vec!["eng".into(), "kor".into(), "tha".into()], units: 2 },
            draws: Resampling { resamples: 200, seed: 1 },
            bits: widths.to_vec(),
            rules: rules.to_vec(),
            granularity: Granularity::Tensor,
        },
        origin: crate::lab::provenance::tests::origin("m"),
        languages: vec![
            language("eng", "English", Resource::High),
            language("kor", "Korean", Resource::Low),
            language("tha", "Thai", Resource::Unseen),
        ],
        kurtosis: vec![1.4, 0.9],
        matrices: 8,
        bytes_full: 3200,
        outcomes: rules.into_iter().flat_map(|rule| widths.map(|bits| outcome(rule, bits))).collect(),
        slopes: rules.into_iter().flat_map(|rule| Measure::ALL.map(|measure| slope(rule, measure))).collect(),
        critical: rules.map(critical).to_vec(),
        verdicts: rules.into_iter().flat_map(|rule| Claim::ALL.map(|claim| verdict(rule, claim))).collect(),
    }
}
