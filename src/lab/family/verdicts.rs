//! What the four models say of document 000's claim S2, by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Measured, told_from_zero};
use crate::{
    lab::verdict::{Ruling, told},
    math::correlation::Correlation,
};

/// A claim that a change made on purpose can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyClaim")]
pub enum Claim {
    /// Better tokenization causes lower disparity.
    S2,
}

impl Claim {
    /// The rule by which it is decided.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::S2 => {
                "The tokenizer was changed and nothing else: an intervention. T is the bytes per token of a language, D its loss. \
                 Supported if, over the languages that all four models have seen, r of what the balanced tokenizer adds to T and \
                 of what it adds to D surely lies below 0: whoever is cut into fewer tokens loses less. Not supported if it surely \
                 lies above. The languages share one model, so their number is not a number of experiments."
            }
        }
    }
}

/// A claim and how it fares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// What the fit and the means say.
pub fn all(fit: Option<&Correlation>, mean: Option<&Measured>) -> Vec<Verdict> {
    let (ruling, because) = match fit {
        Some(fit) => {
            let overall = mean.map_or(String::new(), |mean| {
                let effect = mean.effects.tokenizer;
                let zero = if told_from_zero(&effect) { "" } else { ", not told from 0" };
                format!("; its effect on mean D is {}{zero}", told(&effect))
            });
            let because = format!(
                "r of the gain in bytes per token and of the change of D is {} over {} languages, permutation p = {:.3}{overall}",
                told(&fit.pearson),
                fit.n,
                fit.pearson_p
            );
            (Ruling::below(&fit.pearson, 0.0), because)
        }
        None => {
            let why = "it takes at least three languages that all four models have seen and whose tokens differ";
            (Ruling::Undecided, why.to_string())
        }
    };
    vec![Verdict { claim: Claim::S2, ruling, because }]
}
