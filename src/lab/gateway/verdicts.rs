//! What the ranking says of the theory's claims G1 to G3, each by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lab::verdict::Ruling;

/// A claim about protection sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayClaim")]
pub enum Claim {
    /// The best set holds the first and the last layer.
    G1,
    /// {0, 3L/4, L − 1} is near-optimal.
    G2,
    /// The free slot goes to 3L/4, the layer of greatest cross-lingual variance.
    G3,
}

impl Claim {
    /// Every claim.
    pub const ALL: [Claim; 3] = [Claim::G1, Claim::G2, Claim::G3];

    /// The rule by which it is decided.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::G1 => {
                "For a budget of three layers or more: supported if the best set with the first and the last layer has \
                 surely less disparity than the best set without one of them (paired over texts), not supported if it \
                 surely has not."
            }
            Claim::G2 => {
                "For three layers: supported if the set is surely among the best twentieth of all, the best four surely all \
                 hold the first and the last layer, and the fall of disparity against no protection is surely above 0 and \
                 may be 41%. Not supported if one of these is surely not so."
            }
            Claim::G3 => {
                "Among the sets of the first layer, the last layer and one more: supported if 3L/4 as that one has surely \
                 less disparity than every other layer (paired over texts), and the activation of no layer but it or its \
                 neighbours varies most between languages. Not supported if another layer surely has less, or the \
                 variance is greatest elsewhere."
            }
        }
    }
}

/// A claim at one budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// So many layers protected.
    pub budget: usize,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}
