//! Clipping thresholds α: the rules and their optima.

use serde::{Deserialize, Serialize};

/// How α is chosen for a group of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Largest magnitude: nothing is clipped.
    Absmax,
    /// ACIQ's optimum for a Gaussian of the same σ.
    AciqGaussian,
    /// ACIQ's optimum for a Laplace distribution of the same σ.
    AciqLaplace,
    /// The seed's f(κ, B) = c_B + d_B·log(1 + κ), times σ.
    Kurtosis,
    /// The α of least squared error on the weights themselves, on the true grid.
    Optimal,
}
