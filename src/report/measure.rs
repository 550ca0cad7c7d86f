//! Ways to say what a language loses. They need not agree: a lucky guess lowers the perplexity and is a change all the same, and a
//! language that needs more tokens for the same text loses more of it at the same loss per token.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::jackknife_t::Scale;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// KL of full precision from the rounded prediction, in bits, over a text that all languages have.
    Text,
    /// The same per scored token.
    Token,
    /// The same per UTF-8 byte.
    Byte,
    /// Share of tokens at which another token becomes the most likely one.
    Flips,
    /// Bits per UTF-8 byte, quantized − full.
    Loss,
    /// D(λ), the theory's measure.
    Degradation,
}

impl Measure {
    /// All of them, the fairest between languages first.
    pub const ALL: [Measure; 6] =
        [Measure::Text, Measure::Token, Measure::Byte, Measure::Flips, Measure::Loss, Measure::Degradation];

    /// In files and on the page.
    pub fn key(self) -> &'static str {
        match self {
            Measure::Text => "kl_per_text",
            Measure::Token => "kl_per_token",
            Measure::Byte => "kl_per_byte",
            Measure::Flips => "flips",
            Measure::Loss => "delta_bits_per_byte",
            Measure::Degradation => "degradation",
        }
    }

    /// At the head of a column, and in a sentence after “by”.
    pub fn title(self) -> &'static str {
        match self {
            Measure::Text => "KL per text",
            Measure::Token => "KL per token",
            Measure::Byte => "KL per byte",
            Measure::Flips => "flips",
            Measure::Loss => "Δ bits/byte",
            Measure::Degradation => "D",
        }
    }

    /// Under an axis.
    pub fn axis(self) -> &'static str {
        match self {
            Measure::Text => "bits lost on a text that every language has: KL of the predictions from full precision's",
            Measure::Token => "bits per token: KL of the predictions from full precision's",
            Measure::Byte => "bits per UTF-8 byte: KL of the predictions from full precision's",
            Measure::Flips => "share of tokens whose most likely successor is another",
            Measure::Loss => "bits per UTF-8 byte, quantized − full",
            Measure::Degradation => "D = (PPL quantized − PPL full) ÷ PPL full",
        }
    }

    /// What stands behind a figure in a sentence.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::Text => " bits per text",
            Measure::Token => " bits per token",
            Measure::Byte => " bits per byte",
            Measure::Flips => " of the tokens",
            Measure::Loss => " bits per byte",
            Measure::Degradation => "",
        }
    }

    /// On which scale a figure errs as much to either side.
    pub fn scale(self) -> Scale {
        match self {
            Measure::Text | Measure::Token | Measure::Byte => Scale::Root,
            Measure::Flips | Measure::Loss => Scale::Plain,
            Measure::Degradation => Scale::Growth,
        }
    }

    /// What it can be.
    pub fn bounds(self) -> [f64; 2] {
        match self {
            Measure::Text | Measure::Token | Measure::Byte => [0.0, f64::INFINITY],
            Measure::Flips => [0.0, 1.0],
            Measure::Loss => [f64::NEG_INFINITY, f64::INFINITY],
            Measure::Degradation => [-1.0, f64::INFINITY],
        }
    }

    /// Whether any change is a loss: then it is no question whether anything was lost.
    pub fn counts_every_change(self) -> bool {
        matches!(self, Measure::Text | Measure::Token | Measure::Byte | Measure::Flips)
    }

    /// On which scale languages differ as much for every text: a longer text multiplies what each loses.
    pub fn spread_scale(self) -> Scale {
        match self {
            Measure::Text | Measure::Token | Measure::Byte => Scale::Ratio,
            other => other.scale(),
        }
    }
}
