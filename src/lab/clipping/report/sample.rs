//! A small report for the tests of this layer.

use super::{Error, Report, Rule, Tensor};
use crate::lab::clipping::Config;
use crate::lab::clipping::per_language::{Effective, Language};
use crate::lab::clipping::rule_losses::RuleLoss;
use crate::lab::clipping::{Choice, Fit};
use crate::lab::settings::{Resampling, Texts};
use crate::report::{Bits, Interval, Part, Resource};

fn interval(value: f64) -> Interval {
    Interval { value, low: value - 0.1, high: value + 0.1 }
}

fn tensor(layer: usize, part: Part, n: u64, scale: f64) -> Tensor {
    let error = |clipping: f64, rounding: f64| Error { clipping: clipping * scale, rounding: rounding * scale };
    let choice = |(at, rule): (usize, Rule)| {
        // The exact optimum comes last and costs least.
        let along = at as f64 / (Rule::ALL.len() - 1) as f64;
        Choice { rule, alpha_over_sigma: 4.0 - along * 1.6, error: error(0.0, 0.05 - 0.04 * along) }
    };
    Tensor {
        name: format!("h.{layer}.{part:?}"),
        layer,
        part,
        n,
        sigma: 0.1,
        kurtosis: scale,
        choices: Rule::ALL.into_iter().enumerate().map(choice).collect(),
        curve: vec![error(0.5, 0.001), error(0.1, 0.01), error(0.0, 0.1)],
    }
}

/// Two layers of a model in two languages, under every rule.
pub fn report() -> Report {
    let tensors: Vec<Tensor> = (0..2)
        .flat_map(|layer| {
            crate::lab::provenance::tests::PARTS
                .map(|part| tensor(layer, part, 100 * (layer as u64 + 1), 1.0 + layer as f64))
        })
        .collect();
    let language = |code: &str, name: &str, alpha: f64| Language {
        code: code.into(),
        name: name.into(),
        endonym: name.into(),
        direction: "ltr".into(),
        resource: Resource::High,
        rows: 9,
        activation: vec![0.5, 0.5],
        kurtosis: interval(1.5),
        factor: 2.7,
        tensors: tensors
            .iter()
            .map(|_| Effective {
                sigma: 0.1,
                kurtosis: 3.0,
                alpha: alpha * 0.1,
                error: 0.02,
                error_at_reference: 0.03,
                error_at_reference_shape: if code == "eng" { 0.02 } else { 0.021 },
            })
            .collect(),
    };
    let loss =
        |rule| RuleLoss { rule, degradation: vec![interval(0.3), interval(0.5)], disparity: Some(interval(0.2)) };
    Report {
        config: Config {
            texts: Texts { corpus: "udhr".into(), languages: vec!["eng".into(), "kor".into()], units: 2 },
            draws: Resampling { resamples: 100, seed: 1 },
            bits: Bits::new(4).expect("4 is a bit-width"),
            reference: "eng".into(),
            losses: true,
        },
        origin: crate::lab::provenance::tests::origin("m"),
        wrong_threshold: None,
        places: vec![1.0, 2.0, 4.0],
        fit: Some(Fit { c: interval(2.4), d: interval(0.2), residuals: vec![0.1; 8], rms: 0.1, seed_rms: 0.3 }),
        languages: vec![language("eng", "English", 2.5), language("kor", "Korean", 3.0)],
        losses: Rule::ALL.map(loss).to_vec(),
        tensors,
    }
}
