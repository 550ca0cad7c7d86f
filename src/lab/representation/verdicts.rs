//! What the states say of the claims I2 to I4, each by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Spread;
use crate::{
    lab::verdict::{Ruling, told},
    math::statistics::Interval,
};

/// A claim about hidden states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepresentationClaim")]
pub enum Claim {
    /// Quantization moves the states of low-resource languages further.
    I2,
    /// It hurts linear probes more on low-resource languages.
    I3,
    /// Middle layers compress: there is a bottleneck near 3L/4.
    I4,
}

impl Claim {
    /// Every claim.
    pub const ALL: [Claim; 3] = [Claim::I2, Claim::I3, Claim::I4];

    /// The rule by which it is decided.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::I2 => {
                "Supported if the relative sliced Wasserstein distance, mean over layers, is surely larger over low-resource \
                 than over high-resource languages (paired over texts), not supported if it surely is not."
            }
            Claim::I3 => {
                "Supported if probes trained anew on quantized states surely lose more accuracy on low-resource than on \
                 high-resource languages, mean over layers and questions (paired over texts), not supported if they surely \
                 do not."
            }
            Claim::I4 => {
                "By the entropy of the spectrum, mean over seen languages, in full precision: supported if it is surely lower \
                 after layer 3L/4 than after the first and after the last layer, and no layer but its neighbours surely lies \
                 below it. Not supported if it surely lies above the first's or the last's, or a layer that is no neighbour \
                 surely lies below it."
            }
        }
    }
}

/// How a claim fares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepresentationVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// The theory's 9 of 12.
pub fn claimed_layer(layers: usize) -> usize {
    (3 * layers / 4).min(layers.saturating_sub(1))
}

/// `stacks`: the layers are those of an encoder and of its decoder, so that 3L/4 of them is no place in either.
pub fn all(spread: &Spread, layers: usize, stacks: bool) -> Vec<Verdict> {
    let apart = |of: &Option<Interval>, what: &str| match of {
        Some(of) => (Ruling::above(of, 0.0), format!("{what} of low less high resource is {}", told(of))),
        None => (Ruling::Undecided, "it needs seen languages of high and of low resource".into()),
    };
    let of = |claim: Claim| {
        let (ruling, because) = match claim {
            Claim::I2 => apart(&spread.moved, "the distance"),
            Claim::I3 => apart(&spread.lost, "the accuracy lost"),
            Claim::I4 if stacks => {
                (Ruling::Undecided, "the claim is about one stack of layers, and this model has two".into())
            }
            Claim::I4 => bottleneck(spread, layers),
        };
        Verdict { claim, ruling, because }
    };
    Claim::ALL.map(of).to_vec()
}

fn bottleneck(spread: &Spread, layers: usize) -> (Ruling, String) {
    let claimed = claimed_layer(layers);
    let (Some(first), Some(last)) = (spread.claimed.first(), spread.claimed.last()) else {
        return (Ruling::Undecided, "none of these languages was seen in training".into());
    };
    if layers < 4 {
        return (Ruling::Undecided, format!("a model of {layers} layers has no middle to speak of"));
    }
    let far = |layer: &usize| layer.abs_diff(claimed) > 1;
    let deepest = (0..layers).min_by(|&a, &b| spread.entropy[a].value.total_cmp(&spread.entropy[b].value)).unwrap_or(0);
    let lower = (0..layers).filter(far).find(|&layer| spread.claimed[layer].low > 0.0);
    let nowhere_lower = if lower.is_some() { Ruling::NotSupported } else { Ruling::Supported };
    let ruling = Ruling::below(first, 0.0).and(Ruling::below(last, 0.0)).and(nowhere_lower);
    let because = format!(
        "after layer {claimed} the entropy is {} bits; less that after the first layer it is {}, less that after the last \
         {}; it is lowest after layer {deepest}, {} bits",
        told(&spread.entropy[claimed]),
        told(first),
        told(last),
        told(&spread.entropy[deepest])
    );
    (ruling, because)
}
