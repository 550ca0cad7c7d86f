//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{
    degradation::{Change, Cost, Language},
    origin::Origin,
};
use crate::math::statistics::Interval;

/// A way of rounding the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// One grid per matrix, up to its largest weight: what all others are compared with.
    Absmax,
    /// One grid per matrix, clipped where ACIQ has its optimum for a Gaussian.
    Aciq,
    /// One grid per matrix, clipped where the squared error is least.
    Optimal,
    /// One grid per output channel, up to its largest weight.
    Channel,
    /// One grid per group of 64 inputs of an output channel, up to its largest weight.
    Group,
    /// A: each language has weights of its own, clipped at α*_ℓ/σ_ℓ of its effective weights.
    Language,
    /// B: absmax, with 8 bits for outlier layers.
    EightBits,
    /// B: absmax, with outlier layers in full precision.
    FullPrecision,
    /// C: the weights of the language that the text seems to be in.
    Detected,
    /// The dial turned back as far as it goes, then absmax.
    Flattened,
    /// Absmax, with the person's own width for each layer.
    Own,
}

impl Method {
    /// Every method, in the order of the report.
    pub const ALL: [Method; 11] = [
        Method::Absmax,
        Method::Aciq,
        Method::Optimal,
        Method::Channel,
        Method::Group,
        Method::Language,
        Method::EightBits,
        Method::FullPrecision,
        Method::Detected,
        Method::Flattened,
        Method::Own,
    ];
}

/// A method and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MitigationRow")]
pub struct Row {
    /// Which.
    pub method: Method,
    /// D(λ), disparity, ratio.
    pub cost: Cost,
    /// Memory of the weights in use, scales included. A and C use one set at a time.
    pub bytes: u64,
    /// Disparity against [`Method::Absmax`], paired over texts; none for that method itself.
    pub change: Option<Change>,
    /// √(efficiency × fairness): (1 − bytes/bytes in f32) and 1/(1 + disparity).
    pub score: Option<Interval>,
}

/// Guesses of [`Method::Detected`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confusion {
    /// Of each language (row): how many of its texts were taken for each language.
    pub guesses: Vec<Vec<u32>>,
}

impl Confusion {
    /// Texts taken for what they are, and all texts.
    pub fn right(&self) -> (u32, u32) {
        let right = self.guesses.iter().enumerate().map(|(own, row)| row[own]).sum();
        (right, self.guesses.iter().flatten().sum())
    }
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MitigationReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the config.
    pub languages: Vec<Language>,
    /// Excess kurtosis of each layer.
    pub kurtosis: Vec<f64>,
    /// Layers above the threshold.
    pub outliers: Vec<usize>,
    /// Weights of the model in f32, in bytes.
    pub bytes_full: u64,
    /// In the order of [`Method::ALL`].
    pub rows: Vec<Row>,
    /// Where [`Method::Detected`] was asked for.
    pub confusion: Option<Confusion>,
    /// Runs of a text, over all sets of weights, for each text: full precision counts as one.
    pub passes: f64,
}
