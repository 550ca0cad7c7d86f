//! What the figures say of theorem 1 and its corollary, each by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Error, Measure, Ratio, Relation};
use crate::lab::verdict::{Ruling, told};

/// Documents 000 and 001: (3.8 + 0.1)/(1.5 + 0.1).
pub const SEED_PREDICTED: f64 = 2.4;
/// Documents 000 and 001: ε_LR/ε_HR as they observed it.
pub const SEED_OBSERVED: f64 = 4.24;

/// A claim about redundancy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyClaim")]
pub enum Claim {
    /// ε ≤ C_b/(R + δ), and ε against 1/R is a rising line.
    T1,
    /// ε_LR/ε_HR ≥ (R_HR + δ)/(R_LR + δ).
    T1c,
}

impl Claim {
    /// Every claim.
    pub const ALL: [Claim; 2] = [Claim::T1, Claim::T1c];

    /// The rule by which it is decided.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::T1 => {
                "For each way of measuring R: supported if the weights' error surely lies below the bound for every seen \
                 language under both readings of δ, and the slope of D against 1/R is surely above 0. Not supported if the \
                 error of one language surely lies above the bound under both readings, or the slope is surely below 0."
            }
            Claim::T1c => {
                "For each way of measuring R: supported if the mean D of low-resource languages over that of high-resource \
                 ones is surely larger than (R_HR + δ)/(R_LR + δ) under both readings of δ, not supported if it is surely \
                 smaller under both. The corollary speaks of R_HR > R_LR: where that is not surely so, nothing is decided."
            }
        }
    }
}

/// A claim under one way of measuring R.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// What was called R.
    pub measure: Measure,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// What the relations and the ratios say of every claim.
pub fn all(relations: &[Relation], ratios: &[Ratio]) -> Vec<Verdict> {
    let one = |measure: Measure| {
        let (ruling, because) = bounded(relations, measure);
        let bound = Verdict { claim: Claim::T1, measure, ruling, because };
        let (ruling, because) = corollary(ratios, measure);
        [bound, Verdict { claim: Claim::T1c, measure, ruling, because }]
    };
    Measure::ALL.into_iter().flat_map(one).collect()
}

fn bounded(relations: &[Relation], measure: Measure) -> (Ruling, String) {
    let of = |error: Error| relations.iter().find(|of| of.measure == measure && of.error == error);
    let (Some(weights), Some(loss)) = (of(Error::Weights), of(Error::Loss)) else {
        return (Ruling::Undecided, "nothing was measured".into());
    };
    let seen = weights.seen;
    let above = |code: &String| weights.bounds.iter().all(|bound| bound.violated.contains(code));
    let above = weights.bounds.first().map_or(0, |bound| bound.violated.iter().filter(|code| above(code)).count());
    let below = weights.bounds.iter().map(|bound| bound.kept).min().unwrap_or(0);
    let bound = match (above, below) {
        (0, below) if below == seen && seen > 0 => Ruling::Supported,
        (0, _) => Ruling::Undecided,
        _ => Ruling::NotSupported,
    };
    let slope = loss.slope.map_or(Ruling::Undecided, |slope| Ruling::above(&slope, 0.0));
    let because = format!(
        "of {seen} seen languages the weights' error lies surely below the bound for {below} under both δ and surely above \
         for {above}; the slope of D against 1/R is {}",
        loss.slope.map_or_else(|| "not to be had".into(), |slope| told(&slope))
    );
    (bound.and(slope), because)
}

fn corollary(ratios: &[Ratio], measure: Measure) -> (Ruling, String) {
    let own: Vec<&Ratio> = ratios.iter().filter(|of| of.measure == measure && of.error == Error::Loss).collect();
    let [proof, check] = own[..] else {
        return (Ruling::Undecided, "it needs seen languages of high and of low resource, and an R of both".into());
    };
    let because = format!(
        "D of low over high is {}; R predicts at least {} with δ = {} and {} with δ = {}; R of high less R of low is {}",
        told(&proof.observed),
        told(&proof.predicted),
        proof.delta,
        told(&check.predicted),
        check.delta,
        told(&proof.gap)
    );
    if Ruling::above(&proof.gap, 0.0) != Ruling::Supported {
        return (Ruling::Undecided, because);
    }
    let ruling = match [proof, check].map(|of| Ruling::above(&of.difference, 0.0)) {
        [first, second] if first == second => first,
        _ => Ruling::Undecided,
    };
    (ruling, because)
}
