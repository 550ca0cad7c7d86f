//! T2a, K1 to K4 and P3: from the Activation report.

use super::{Pair, Report};

use crate::lab::{
    judged::{Found, correlation, one, undecided},
    verdict::Ruling,
};
use crate::report::{Interval, format};

/// K3: document 002's constant.
const K3: f64 = 0.009;
/// K4: document 004's constant, and the factor by which it allows itself to be wrong.
const K4: (f64, f64) = (0.01, 2.0);
/// P3: document 004's bound.
const P3: f64 = 0.5;

/// K1 to K4, T2a and P3.
pub(super) fn of(id: &str, report: &Report) -> Vec<(String, Found)> {
    let found = |pair: Pair| {
        let at = Pair::ALL.iter().position(|own| *own == pair)?;
        report.correlations.get(at)?.as_ref()
    };
    let by = |pair: Pair, rule: &str, decide: &dyn Fn(&Interval) -> Ruling| match found(pair) {
        Some(found) => (decide(&found.pearson), correlation("r", found, "languages"), rule.to_string()),
        None => undecided("There is no r: a figure does not vary, or too few languages have both.", rule),
    };
    match id {
        "T2a" => one(by(
            Pair::DistanceLoss,
            "Supported if the interval of r over languages lies above 0, not supported if it lies below.",
            &|r| Ruling::above(r, 0.0),
        )),
        "K1" => one(by(
            Pair::RelianceLoss,
            "Supported if the interval of r(R̂, D) over languages lies below 0, not supported if it lies above.",
            &|r| Ruling::below(r, 0.0),
        )),
        "K2" => vec![
            (
                "document 002, −".into(),
                by(
                    Pair::KurtosisLoss,
                    "Supported if the interval of r(κ_eff, D) lies below 0, not supported if it lies above.",
                    &|r| Ruling::below(r, 0.0),
                ),
            ),
            (
                "document 001, +".into(),
                by(
                    Pair::KurtosisLoss,
                    "Supported if the interval of r(κ_eff, D) lies above 0, not supported if it lies below.",
                    &|r| Ruling::above(r, 0.0),
                ),
            ),
        ],
        "K3" => one(bound(report)),
        "K4" => one(product(report)),
        "P3" => one(by(
            Pair::TokensReliance,
            "Supported if the interval of r between log₁₀ of training tokens and R̂ lies above 0.5, not supported if it lies below.",
            &|r| Ruling::above(r, P3),
        )),
        _ => Vec::new(),
    }
}

fn bound(report: &Report) -> Found {
    let rule = "C is disparity ÷ √Var of κ_eff: supported if it is surely at most the theory's 0.009, not supported if it is surely more.";
    match report.spread {
        Some(spread) => {
            let measured = format!(
                "C = {}; disparity {}.",
                format::interval(&spread.constant),
                format::interval(&spread.disparity)
            );
            (Ruling::below(&spread.constant, K3), measured, rule.into())
        }
        None => undecided("Disparity needs at least two languages that the model has seen.", rule),
    }
}

fn product(report: &Report) -> Found {
    let (constant, factor) = K4;
    let rule = "Disparity ÷ (0.01·|r|·range R̂·range κ): supported if it surely lies within the factor of 2 that the theory allows \
                itself, not supported if it surely lies outside.";
    let (Some(spread), Some(product)) = (report.spread, report.product.filter(|of| *of > 0.0)) else {
        return undecided("There is no r(R̂, D), or R̂ does not vary: no layer may lie above the threshold.", rule);
    };
    let predicted = constant * product;
    let Interval { value, low, high } = spread.disparity;
    let ratio = Interval { value: value / predicted, low: low / predicted, high: high / predicted };
    let ruling = if ratio.high < 1.0 / factor || ratio.low > factor {
        Ruling::NotSupported
    } else {
        Ruling::above(&ratio, 1.0 / factor).and(Ruling::below(&ratio, factor))
    };
    let measured = format!(
        "Predicted {}, measured {}: {} times.",
        format::small(predicted),
        format::interval(&spread.disparity),
        format::interval(&ratio)
    );
    (ruling, measured, rule.into())
}
