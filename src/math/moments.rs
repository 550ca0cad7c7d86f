//! Moments in f64 that merge: n, mean, σ, excess kurtosis, shares in the tails.

use serde::{Deserialize, Serialize};

/// A tensor's distribution in a few figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Values.
    pub n: u64,
    /// Mean.
    pub mean: f64,
    /// Population standard deviation.
    pub sigma: f64,
    /// Excess kurtosis κ (Gaussian: 0); 0 where σ is 0.
    pub kurtosis: f64,
    /// Largest magnitude.
    pub absmax: f64,
    /// Share of values further than 3σ from the mean.
    pub beyond_3: f64,
    /// Share further than 6σ.
    pub beyond_6: f64,
}
