//! What is done to the weights before a pass: a transform, never a second model.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::dial::Dial;
use crate::math::quantizer::{Bits, Granularity};

/// A change of scale that leaves the function as it is, then quantized tensors by name; all others stay in full precision.
/// Layers may be left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Recipe {
    /// Done first: thresholds are those of the turned weights.
    #[serde(default)]
    pub dial: Dial,
    /// Weight matrices of blocks, and the token table where it is rounded too.
    pub tensors: BTreeMap<String, Quantization>,
    /// Blocks that are left out: the stream goes past them as it is.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub skipped: BTreeSet<usize>,
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
