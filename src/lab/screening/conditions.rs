//! Document 004's necessary conditions (section 2.3) and its decision rule (7.2), for one model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Report;
use crate::lab::verdict::{Ruling, told};

/// What disparity is said to need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningNeeded")]
pub enum Needed {
    /// Outlier layers: max κ above a bound.
    C1,
    /// Activation of them that varies between languages: `Var[ā_outlier]` above a bound.
    C2,
    /// A width below B_safe.
    C3,
}

/// A condition and whether the model meets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningCondition")]
pub struct Condition {
    /// Which.
    pub which: Needed,
    /// None where an interval lies on both sides of its bound, or a figure is not there.
    pub met: Option<bool>,
    /// The figures that decide.
    pub because: String,
}

impl Condition {
    /// C1 to C3.
    pub fn all(report: &Report) -> Vec<Condition> {
        let config = &report.config;
        let (kappa, light) = (report.max_kurtosis, config.light);
        let outliers = Condition {
            which: Needed::C1,
            met: Some(kappa > light),
            because: format!("max κ is {kappa:.2}, the bound {light}"),
        };
        let varies = match &report.variance {
            Some(variance) => Condition {
                which: Needed::C2,
                met: match Ruling::above(variance, config.variance) {
                    Ruling::Supported => Some(true),
                    Ruling::NotSupported => Some(false),
                    Ruling::Undecided => None,
                },
                because: format!(
                    "Var[ā_outlier] is {:.2e} [{:.2e}, {:.2e}], the bound {}",
                    variance.value, variance.low, variance.high, config.variance
                )
                .replace('-', "−"),
            },
            None => Condition {
                which: Needed::C2,
                met: None,
                because: "a variance needs at least two languages that the model has seen".into(),
            },
        };
        let narrow = Condition {
            which: Needed::C3,
            met: Some(config.quantizer.bits < config.safe),
            because: format!("{} bits, and B_safe is {}", config.quantizer.bits.get(), config.safe.get()),
        };
        vec![outliers, varies, narrow]
    }
}

impl Report {
    /// Whether the seed expects disparity: it does where all conditions are met, and does not where one surely is not.
    pub fn expected(&self) -> Option<bool> {
        match () {
            () if self.conditions.iter().any(|condition| condition.met == Some(false)) => Some(false),
            () if self.conditions.iter().all(|condition| condition.met == Some(true)) => Some(true),
            () => None,
        }
    }
}

/// The branch of section 7.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningAdvice")]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// max κ below the lower bound: quantize as usual.
    Standard,
    /// Between the bounds: as usual, and evaluate per language.
    Evaluate,
    /// From the upper bound on: mixed precision, calibration per language, or more bits.
    Protect,
}

impl Advice {
    /// By the largest κ.
    pub fn of(max_kurtosis: f64, light: f64, heavy: f64) -> Advice {
        match max_kurtosis {
            kappa if kappa < light => Advice::Standard,
            kappa if kappa < heavy => Advice::Evaluate,
            _ => Advice::Protect,
        }
    }
}

/// The reason beside a figure: `0.123 [0.100, 0.150]`, or that there is none.
pub(super) fn told_or_none(of: Option<&crate::math::statistics::Interval>) -> String {
    of.map_or("unknown".into(), told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_the_seeds_also_at_its_bounds() {
        let of = |kappa| Advice::of(kappa, 5.0, 50.0);
        assert_eq!(
            [1.9, 5.0, 10.0, 45.0, 50.0, 164.0].map(of),
            [Advice::Standard, Advice::Evaluate, Advice::Evaluate, Advice::Evaluate, Advice::Protect, Advice::Protect]
        );
    }
}
