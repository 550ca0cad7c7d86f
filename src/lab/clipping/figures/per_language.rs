//! Theorem 2 as written (document 000): for each language the effective weights W ⊙ a_ℓ, their σ, κ and α*.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{math::statistics::Interval, model::card::Resource};

/// Shuffles behind the p of T2b.
pub const PERMUTATIONS: usize = 1_000;

/// A language's effective weights of one tensor. Errors are over the variance of those weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effective {
    /// σ_ℓ.
    pub sigma: f64,
    /// κ_ℓ, excess.
    pub kurtosis: f64,
    /// α*_ℓ = argmin MSE on the true grid.
    pub alpha: f64,
    /// The error at α*_ℓ.
    pub error: f64,
    /// The error at the reference language's α*, as it is.
    pub error_at_reference: f64,
    /// The error at the reference language's α*/σ times this language's σ: only the shape is taken over.
    pub error_at_reference_shape: f64,
}

/// One language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ClippingLanguage")]
pub struct Language {
    /// ISO 639-3.
    pub code: String,
    /// English name.
    pub name: String,
    /// Name in its own script.
    pub endonym: String,
    /// `ltr` or `rtl`.
    pub direction: String,
    /// Resource level.
    pub resource: Resource,
    /// Rows of activations seen.
    pub rows: u64,
    /// ā_l(λ) = a_l/Σ a_l with a_l = E‖h_l‖.
    pub activation: Vec<f64>,
    /// Document 002: κ_eff(λ) = Σ ā_l κ_l, with its interval over texts.
    pub kurtosis: Interval,
    /// Document 002: α(λ)/σ_global = f(κ_eff, B).
    pub factor: f64,
    /// Document 000, for each tensor of the report.
    pub tensors: Vec<Effective>,
}

impl Effective {
    /// α*_ℓ/σ_ℓ.
    pub fn alpha_over_sigma(&self) -> f64 {
        if self.sigma > 0.0 { self.alpha / self.sigma } else { 0.0 }
    }
}
