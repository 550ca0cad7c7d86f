//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Verdict};
use crate::lab::{
    degradation::Language,
    origin::{Files, Made},
};
use crate::math::{correlation::Correlation, statistics::Interval};

/// Models: skewed data and tokenizer; skewed data, balanced tokenizer; balanced data, skewed tokenizer; both balanced.
pub const CELLS: usize = 4;

/// A language under the four models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyRow")]
pub struct Row {
    /// Which. Its level is that of the first model.
    #[serde(flatten)]
    pub language: Language,
    /// Whether all four models have seen it.
    pub counts: bool,
    /// Bytes per token of each model's tokenizer on these texts: more is a better fit.
    pub bytes_per_token: [f64; CELLS],
    /// D(λ) of each model, and what changes it.
    pub degradation: Measured,
    /// Δ bits per byte of each model, which does not depend on the tokenizer, and what changes it.
    pub bits_per_byte: Measured,
}

/// A model by its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyModel")]
pub struct Model {
    /// Its name in the site.
    pub name: String,
    /// Its files.
    #[serde(flatten)]
    pub files: Files,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// How it was computed.
    #[serde(flatten)]
    pub origin: Made,
    /// The four models, with the digests of their files.
    pub models: Vec<Model>,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// Means over the languages that all four have seen; none where there is none.
    pub mean: Option<Measured>,
    /// The same of Δ bits per byte.
    pub mean_bits_per_byte: Option<Measured>,
    /// max D − min D over these languages; none for fewer than two.
    pub disparity: Option<Measured>,
    /// Over these languages: what the balanced tokenizer adds to the bytes per token, and its effect on D.
    pub fit: Option<Correlation>,
    /// What this says of the theory's claims.
    pub verdicts: Vec<Verdict>,
}

/// Whether an effect is told from 0.
pub fn told_from_zero(effect: &Interval) -> bool {
    effect.low > 0.0 || effect.high < 0.0
}

/// What changes a figure when a factor goes from skewed to balanced.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyEffects")]
pub struct Effects {
    /// Balanced − skewed data, the mean over both tokenizers.
    pub data: Interval,
    /// Balanced − skewed tokenizer, the mean over both mixes of data.
    pub tokenizer: Interval,
    /// What the balanced tokenizer does with balanced data − what it does with skewed data.
    pub interaction: Interval,
}

/// A figure under each model, and what changes it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyMeasured")]
pub struct Measured {
    /// Under each model.
    pub of: [Interval; CELLS],
    /// What changes it.
    #[serde(flatten)]
    pub effects: Effects,
}
