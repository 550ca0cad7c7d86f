//! A small report for the tests of this module.

use super::super::{Layers, Stops};
use super::{Joint, Report};
use crate::lab::degradation::{Change, Cost, Language};
use crate::lab::dial::Config;
use crate::lab::dial::{Claim, Outcome, Point, Proof, Verdict};
use crate::lab::settings::{Resampling, Texts};
use crate::lab::verdict::Ruling;
use crate::report::{Bits, Granularity, Interval, Resource, Rule};

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

/// D of English, Korean and Thai, which is unseen.
fn cost(losses: [f64; 3]) -> Cost {
    let half = |d: f64| 0.1 * d.abs() + 0.005;
    let range = losses[1] - losses[0];
    Cost {
        degradation: losses.map(|d| interval(d, half(d))).to_vec(),
        disparity: Some(interval(range, 0.1 * range)),
        disparity_corrected: Some(interval(0.9 * range, 0.2 * range)),
        mean_high: Some(interval(losses[0], half(losses[0]))),
        mean_low: Some(interval(losses[1], half(losses[1]))),
        ratio: None,
    }
}

/// s = 1, 8 and 32 and the last flattened; absmax falls at 8, the exact optimum at 32.
pub fn report() -> Report {
    let kurtosis = [1.4, 56.9, 486.0, 1.7];
    let losses = [
        (Rule::Absmax, [[0.01, 0.02, 0.5], [0.1, 0.4, 0.6], [3.5, 608.0, 900.0], [0.01, 0.03, 0.4]]),
        (Rule::Optimal, [[0.01, 0.015, 0.3], [0.01, 0.02, 0.4], [4.3, 611.0, 800.0], [0.02, 0.03, 0.5]]),
    ];
    let point = |at: usize| Point {
        exponent: [0, 3, 5, 5][at],
        flattened: at == 3,
        kurtosis: vec![kurtosis[at], 0.9],
        max_kurtosis: kurtosis[at],
        proof: (at > 0).then_some(Proof { equal: 384, of: 384 }),
    };
    let bits = Bits::new(4).expect("4 is a bit-width");
    let outcome = |at: usize| {
        move |(rule, losses): &(Rule, [[f64; 3]; 4])| {
            let of = cost(losses[at]);
            let difference = of.disparity.map_or(0.0, |own| own.value) - 0.01;
            let change = Change {
                difference: interval(difference, 0.1 * difference.abs()),
                difference_corrected: interval(difference, 0.1 * difference.abs()),
                reduction: interval(0.5, 0.1),
            };
            Outcome {
                point: at,
                bits,
                rule: *rule,
                cost: of,
                usage: None,
                risen: (at > 0).then_some(change),
                protected: None,
            }
        }
    };
    let verdict = |(rule, claim): (Rule, Claim)| Verdict {
        claim,
        bits,
        rule,
        ruling: Ruling::Supported,
        because: "r = −0.5, which decides".into(),
    };
    Report {
        config: Config {
            texts: Texts { corpus: "udhr".into(), languages: vec!["eng".into(), "kor".into(), "tha".into()], units: 2 },
            draws: Resampling { resamples: 200, seed: 1 },
            furthest: 5,
            stops: Stops::EverySecond,
            channels: 1,
            layers: Layers::Listed,
            listed: vec![0],
            joints: Joint::ALL.to_vec(),
            channel_seed: 4,
            flatten: true,
            bits: vec![bits],
            rules: vec![Rule::Absmax, Rule::Optimal],
            granularity: Granularity::Tensor,
            threshold: 5.0,
            permutations: 300,
        },
        origin: crate::lab::provenance::tests::origin("m"),
        languages: vec![
            language("eng", "English", Resource::High),
            language("kor", "Korean", Resource::Low),
            language("tha", "Thai", Resource::Unseen),
        ],
        turned_share: vec![0.4, 0.5, 0.6],
        points: (0..4).map(point).collect(),
        outcomes: (0..4).flat_map(|at| losses.iter().map(outcome(at)).collect::<Vec<_>>()).collect(),
        verdicts: [Rule::Absmax, Rule::Optimal]
            .into_iter()
            .flat_map(|rule| Claim::ALL.map(|claim| verdict((rule, claim))))
            .collect(),
    }
}
