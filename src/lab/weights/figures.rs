//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::origin::Origin;

pub use crate::arch::tensors::Part;
pub use crate::math::spread::Spread;

/// A weight matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsTensor")]
pub struct Tensor {
    /// Name in the checkpoint.
    pub name: String,
    /// Its block.
    pub layer: usize,
    /// What it is to the block.
    pub part: Part,
    /// Its weights.
    pub spread: Spread,
}

/// A layer: its matrices as if they were one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsLayer")]
pub struct Layer {
    /// Number of the block.
    pub layer: usize,
    /// Its weights.
    pub spread: Spread,
    /// Whether κ lies above the threshold of the config.
    pub outlier: bool,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the forward pass.
    pub tensors: Vec<Tensor>,
    /// From the first.
    pub layers: Vec<Layer>,
}
