//! What is done to the weights before a pass: a transform, never a second model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::math::quantizer::{Bits, Granularity};

/// Quantized tensors by name; all others stay in full precision.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Recipe {
    /// Weight matrices of blocks.
    pub tensors: BTreeMap<String, Quantization>,
}

/// How one tensor is quantized.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantization {
    /// Bit-width.
    pub bits: Bits,
    /// Weights that share a threshold.
    pub granularity: Granularity,
    /// Clipping thresholds, one per group in the grouping's order.
    pub alphas: Vec<f32>,
}
