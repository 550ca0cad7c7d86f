//! What the languages of one model say of the claims S1 and S3 (documents 000 and 001), each by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LEAST_LANGUAGES, Paths};
use crate::{
    lab::verdict::{Ruling, told},
    math::correlation::Correlation,
};

/// A claim about causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CausesClaim")]
pub enum Claim {
    /// Tokenization acts on degradation only through alignment and redundancy.
    S1,
    /// Higher alignment, lower degradation.
    S3,
}

impl Claim {
    /// Every claim.
    pub const ALL: [Claim; 2] = [Claim::S1, Claim::S3];

    /// The rule by which it is decided.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::S1 => {
                "In the path model over languages: supported if the indirect effect of T on D surely is not 0 and surely is larger \
                 than the direct one, and the direct one is not told from 0. Not supported if the direct effect surely is not 0, or \
                 surely is the larger. Undecided otherwise, which with few languages is most often so."
            }
            Claim::S3 => {
                "Supported if the interval of Spearman's ρ of A and D over languages lies below 0, not supported if it lies above. \
                 The claim's “any uniform quantizer” is tried for the one chosen."
            }
        }
    }
}

/// A claim and how it fares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CausesVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// What the paths and the alignment say of every claim.
pub fn all(paths: Option<&Paths>, alignment: Option<&Correlation>) -> Vec<Verdict> {
    Claim::ALL
        .map(|claim| {
            let (ruling, because) = match claim {
                Claim::S1 => mediated(paths),
                Claim::S3 => monotone(alignment),
            };
            Verdict { claim, ruling, because }
        })
        .to_vec()
}

fn mediated(paths: Option<&Paths>) -> (Ruling, String) {
    let Some(paths) = paths else {
        let why = format!(
            "the path model needs at least {LEAST_LANGUAGES} languages in which T, A, R and D vary on their own"
        );
        return (Ruling::Undecided, why);
    };
    let apart = |of: &crate::math::statistics::Interval| of.low > 0.0 || of.high < 0.0;
    let ruling = if apart(&paths.direct) {
        Ruling::NotSupported
    } else {
        match (Ruling::above(&paths.dominance, 0.0), apart(&paths.indirect)) {
            (Ruling::Supported, true) => Ruling::Supported,
            (Ruling::NotSupported, _) => Ruling::NotSupported,
            _ => Ruling::Undecided,
        }
    };
    let because = format!(
        "over {} languages the direct effect of T on D is {}, the indirect one {}, of which T → A → R → D is {}; the seed has \
         β₁ = 0.92 (here {}) and β₂ = 0.85 (here {})",
        paths.n,
        told(&paths.direct),
        told(&paths.indirect),
        told(&paths.serial),
        told(&paths.t_a),
        told(&paths.a_r)
    );
    (ruling, because)
}

fn monotone(alignment: Option<&Correlation>) -> (Ruling, String) {
    match alignment {
        Some(found) => {
            let because = format!(
                "ρ of A and D is {} over {} languages, permutation p = {:.3}",
                told(&found.spearman),
                found.n,
                found.spearman_p
            );
            (Ruling::below(&found.spearman, 0.0), because)
        }
        None => (Ruling::Undecided, "it takes at least three languages beside the reference in which both vary".into()),
    }
}
