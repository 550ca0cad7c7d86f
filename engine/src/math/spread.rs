//! How values are spread around their mean: moments, tails, and how many fall where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    histogram::Histogram,
    moments::{Moments, Summary},
};

/// One weight matrix, or all matrices of one layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsSpread")]
pub struct Spread {
    /// n, mean, σ, κ, tails.
    pub summary: Summary,
    /// Counts by distance from the mean.
    pub histogram: Histogram,
}

impl Spread {
    /// Of slices as if they were one, whose merged moments are known.
    pub fn of(moments: &Moments, parts: &[&[f32]]) -> Spread {
        Spread { summary: Summary::with_tails(moments, parts), histogram: Histogram::of(moments, parts) }
    }
}
