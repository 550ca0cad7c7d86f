//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{origin::Origin, rounding::TensorRow};
use crate::math::statistics::Interval;

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
    /// max D − min D over seen languages; none for fewer than two.
    pub disparity: Option<Interval>,
    /// mean D(LR)/mean D(HR); none where a group is empty.
    pub ratio: Option<Interval>,
    /// mean D over high-resource languages.
    pub mean_high: Option<Interval>,
    /// mean D over low-resource languages.
    pub mean_low: Option<Interval>,
    /// Weights of the model in f32, in bytes.
    pub bytes_full: u64,
    /// Bytes with the blocks packed (scales included).
    pub bytes_quantized: u64,
    /// Each quantized tensor.
    pub tensors: Vec<TensorRow>,
}
