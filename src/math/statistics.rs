//! Intervals.

use serde::{Deserialize, Serialize};

/// A figure with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The figure.
    pub value: f64,
    /// Lower end at the stated level.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}
