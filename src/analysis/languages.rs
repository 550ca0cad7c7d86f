//! Which languages pay: D(λ) and Δ bits per byte for each language, with paired intervals.

use serde::{Deserialize, Serialize};

use crate::math::{
    clipping::Rule,
    quantizer::{Bits, Granularity},
    statistics::Interval,
};
pub use crate::model::card::Resource;

/// What to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Folder of the corpus: `udhr` or `help`.
    pub corpus: String,
    /// ISO 639-3 codes, in the order of the report's rows before sorting.
    pub languages: Vec<String>,
    /// How many units (articles, paragraphs) of each language, from the first.
    pub units: usize,
    /// Bit-width of the quantized blocks.
    pub bits: Bits,
    /// How the clipping threshold is chosen.
    pub rule: Rule,
    /// How many weights share a threshold.
    pub granularity: Granularity,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
}

/// One language of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// What quantization did to one tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TensorRow {
    /// Name in the checkpoint.
    pub name: String,
    /// Layer it belongs to.
    pub layer: usize,
    /// Smallest and largest clipping threshold over its groups, in units of the tensor's σ.
    pub alpha_over_sigma: (f64, f64),
    /// Mean squared error over the variance.
    pub relative_mse: f64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Name of the model.
    pub model: String,
    /// SHA-256 of the checkpoint.
    pub model_sha256: String,
    /// `cpu` or `webgpu`.
    pub backend: String,
    /// Program version.
    pub version: String,
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
