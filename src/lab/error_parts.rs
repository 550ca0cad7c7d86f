//! The error of clipped and rounded weights, in its parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Mean squared error over σ², in its two parts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Error {
    /// What is lost on weights beyond α.
    pub clipping: f64,
    /// What is lost on the others.
    pub rounding: f64,
}
