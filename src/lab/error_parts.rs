//! The error of clipped and rounded weights, in its parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::{clipping::mse, quantizer::Bits};

/// Mean squared error over σ², in its two parts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Error {
    /// What is lost on weights beyond α.
    pub clipping: f64,
    /// What is lost on the others.
    pub rounding: f64,
}

impl Error {
    /// Of values at a threshold; over σ², or as it is where σ is 0.
    pub fn of(values: &[f32], alpha: f32, bits: Bits, sigma: f64) -> Error {
        let (clipping, rounding) = mse(values, alpha, bits.levels());
        let square = if sigma > 0.0 { sigma * sigma } else { 1.0 };
        Error { clipping: clipping / square, rounding: rounding / square }
    }

    /// Both parts.
    pub fn total(&self) -> f64 {
        self.clipping + self.rounding
    }
}
