//! What is done to the weights before a pass: a transform, never a second model.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::dial::Dial;
use crate::math::quantizer::{Format, Layout, relative_mse};

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

/// How one tensor is quantized: all that is needed to round its values again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantization {
    /// What is stored of it.
    pub format: Format,
    /// The numbers of each block, in the grouping's order; of a uniform grid, its clipping thresholds.
    pub numbers: Vec<f32>,
}

impl Quantization {
    /// By the format's own search.
    pub fn of(format: impl Into<Format>, values: &[f32], layout: Layout) -> Quantization {
        let format = format.into();
        Quantization { numbers: format.find(values, layout), format }
    }

    /// What the weights become.
    pub fn rounded(&self, values: &[f32], layout: Layout) -> Vec<f32> {
        self.format.rounded(values, layout, &self.numbers)
    }

    /// Their mean squared error over the variance.
    pub fn relative_mse(&self, values: &[f32], layout: Layout) -> f64 {
        relative_mse(values, &self.rounded(values, layout))
    }
}
