//! What the bench says of document 001's claims X1 and X2, each by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Test;
use crate::{lab::verdict::Ruling, math::power::power};

/// X1: the correlation, its two numbers of pairs, and what the theory says of each.
const RHO: f64 = 0.7;
const FEW: (usize, f64) = (12, 0.85);
const MORE: (usize, f64) = (30, 0.95);
/// The level that the seed tests at.
const ALPHA: f64 = 0.05;
/// "About": within this of the theory's figure.
const ABOUT: f64 = 0.05;
/// X2: experiments, and Bonferroni's line as the seed rounds it.
const EXPERIMENTS: f64 = 217.0;
const LINE: f64 = 0.000_23;
/// Half a unit of its last digit.
const ROUNDING: f64 = 0.000_005;

/// A claim about statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsClaim")]
pub enum Claim {
    /// Power for |r| > 0.7 is about .85 at n = 12, and above .95 at n = 30.
    X1,
    /// Bonferroni over 217 tests asks for .00023; Benjamini–Hochberg is less strict.
    X2,
}

impl Claim {
    /// Every claim.
    pub const ALL: [Claim; 2] = [Claim::X1, Claim::X2];

    /// The rule by which it is decided.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::X1 => {
                "Worked out, not measured: the power of the two-sided test of r at α = .05 by the exact distribution of r, \
                 where the true correlation is 0.7 and both figures are normal. Supported if it is within .05 of .85 over 12 \
                 pairs and above .95 over 30. A true correlation above 0.7 has more power: the seed's words “for |r| > 0.7” \
                 are read as the least of them."
            }
            Claim::X2 => {
                "Supported if .05/217 rounds to .00023 and, on the tests of this family, Benjamini–Hochberg rejects all that \
                 Bonferroni does and asks less of some test. Undecided for fewer than two tests; not supported otherwise."
            }
        }
    }
}

/// A claim and how it fares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// What the tests of a family say.
pub fn all(tests: &[Test], alpha: f64) -> Vec<Verdict> {
    Claim::ALL
        .map(|claim| {
            let (ruling, because) = match claim {
                Claim::X1 => enough_power(),
                Claim::X2 => less_strict(tests, alpha),
            };
            Verdict { claim, ruling, because }
        })
        .to_vec()
}

fn ruled(holds: bool) -> Ruling {
    if holds { Ruling::Supported } else { Ruling::NotSupported }
}

fn enough_power() -> (Ruling, String) {
    let (few, more) = (power(RHO, FEW.0, ALPHA), power(RHO, MORE.0, ALPHA));
    let ruling = ruled((few - FEW.1).abs() <= ABOUT).and(ruled(more > MORE.1));
    let because = format!(
        "the exact power for a true r of {RHO} at α = {ALPHA} is {few:.3} over {} pairs, where the seed has about {}, and \
         {more:.3} over {}, where it has more than {}",
        FEW.0, FEW.1, MORE.0, MORE.1
    );
    (ruling, because)
}

fn less_strict(tests: &[Test], alpha: f64) -> (Ruling, String) {
    let line = ALPHA / EXPERIMENTS;
    let first = ruled((line - LINE).abs() < ROUNDING);
    let rejected = |of: fn(&Test) -> f64| tests.iter().filter(|test| of(test) <= alpha).count();
    let (strict, mild) = (rejected(|test| test.adjusted.bonferroni), rejected(|test| test.adjusted.benjamini_hochberg));
    let nowhere = tests.iter().all(|test| test.adjusted.benjamini_hochberg <= test.adjusted.bonferroni);
    let somewhere = tests.iter().any(|test| test.adjusted.benjamini_hochberg < test.adjusted.bonferroni);
    let second = match tests.len() {
        0 | 1 => Ruling::Undecided,
        _ => ruled(nowhere && somewhere && mild >= strict),
    };
    let because = format!(
        "{ALPHA}/217 = {line:.7}; of {} tests of this family Bonferroni rejects {strict} at {alpha}, Benjamini–Hochberg {mild}",
        tests.len()
    );
    (first.and(second), because)
}
