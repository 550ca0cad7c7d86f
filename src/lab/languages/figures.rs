//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{origin::Origin, rounding::TensorRow};
use crate::math::statistics::Interval;
use crate::report::Measure;

pub use crate::model::card::Resource;

/// One language of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LanguagesRow")]
pub struct Row {
    /// ISO 639-3.
    pub code: String,
    /// English name.
    pub name: String,
    /// Name in its own script.
    pub endonym: String,
    /// `ltr` or `rtl`.
    pub direction: String,
    /// Resource level.
    pub resource: Resource,
    /// Training bytes, where the card says.
    pub bytes_seen: Option<u64>,
    /// Units measured.
    pub units: usize,
    /// UTF-8 bytes measured.
    pub bytes: u64,
    /// Tokens scored.
    pub tokens: u64,
    /// Perplexity per token, full precision.
    pub perplexity_full: Interval,
    /// Perplexity per token, quantized.
    pub perplexity_quantized: Interval,
    /// D(λ) = (PPL_q − PPL_fp)/PPL_fp.
    pub degradation: Interval,
    /// Bits per UTF-8 byte, full precision.
    pub bits_per_byte_full: Interval,
    /// Bits per byte, quantized − full.
    pub delta_bits_per_byte: Interval,
    /// KL of full precision from the rounded prediction, in bits, over a unit.
    pub kl_per_text: Interval,
    /// The same per scored token.
    pub kl_per_token: Interval,
    /// The same per UTF-8 byte.
    pub kl_per_byte: Interval,
    /// Share of scored tokens at which another token becomes the most likely one.
    pub flips: Interval,
    /// Δp, how the probability of the right token changes.
    pub shift: Shift,
}

/// Δp over the tokens of a language.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shift {
    /// Its mean.
    pub mean: Interval,
    /// Its root mean square.
    pub rms: Interval,
    /// Its percentiles, at [`PERCENTILES`].
    pub percentiles: [Interval; 5],
}

/// Percentiles of Δp that are told.
pub const PERCENTILES: [f64; 5] = [1.0, 5.0, 50.0, 95.0, 99.0];

impl Row {
    /// What the language loses, by a measure.
    pub fn lost(&self, by: Measure) -> Interval {
        match by {
            Measure::Text => self.kl_per_text,
            Measure::Token => self.kl_per_token,
            Measure::Byte => self.kl_per_byte,
            Measure::Flips => self.flips,
            Measure::Loss => self.delta_bits_per_byte,
            Measure::Degradation => self.degradation,
        }
    }
}

/// One measure over the languages that the model has seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LanguagesOverAll")]
pub struct OverAll {
    /// Which.
    pub measure: Measure,
    /// Largest less smallest; none for fewer than two languages.
    pub disparity: Option<Interval>,
    /// τ: the standard deviation between languages without what texts add by chance; of KL on the scale of its logarithm, as a
    /// longer text multiplies what every language loses, and of D on that of ln(1 + D).
    pub spread: Option<Interval>,
    /// How often equal languages would lie as far apart.
    pub equal: Option<f64>,
    /// Low ÷ high; none where a group is empty.
    pub ratio: Option<Interval>,
    /// Mean over high-resource languages.
    pub mean_high: Option<Interval>,
    /// Mean over low-resource languages.
    pub mean_low: Option<Interval>,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LanguagesReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// By each of [`Measure::ALL`].
    pub over_all: Vec<OverAll>,
    /// Weights of the model in f32, in bytes.
    pub bytes_full: u64,
    /// Bytes with the blocks packed (scales included).
    pub bytes_quantized: u64,
    /// Each quantized tensor.
    pub tensors: Vec<TensorRow>,
}

impl Report {
    /// One measure over all languages.
    ///
    /// # Panics
    /// If the report lacks it; one from a file is refused then.
    pub fn over(&self, measure: Measure) -> &OverAll {
        self.over_all.iter().find(|over| over.measure == measure).expect("a report has every measure")
    }
}
