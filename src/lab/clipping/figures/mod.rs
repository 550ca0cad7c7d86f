//! What it found: the report and its figures.

pub mod per_language;
pub mod rule_losses;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{error_parts::Error, origin::Origin};
use crate::math::{clipping::Rule, correlation::Correlation, statistics::Interval};

pub use crate::arch::tensors::Part;
use per_language::Language;
use rule_losses::RuleLoss;

/// What a rule does to a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// The rule.
    pub rule: Rule,
    /// Its α over σ.
    pub alpha_over_sigma: f64,
    /// Its cost over σ².
    pub error: Error,
}

/// A weight matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ClippingTensor")]
pub struct Tensor {
    /// Name in the checkpoint.
    pub name: String,
    /// Its block.
    pub layer: usize,
    /// What it is to the block.
    pub part: Part,
    /// Weights.
    pub n: u64,
    /// Population standard deviation.
    pub sigma: f64,
    /// Excess kurtosis.
    pub kurtosis: f64,
    /// Every rule, in the order of [`Rule::ALL`].
    pub choices: Vec<Choice>,
    /// MSE(α)/σ² at each of the report's places.
    pub curve: Vec<Error>,
}

/// The fit of f(κ, B) = c_B + d_B·ln(1 + κ) to the exact optima of the model's own tensors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fit {
    /// c_B, with its interval over tensors.
    pub c: Interval,
    /// d_B.
    pub d: Interval,
    /// α*/σ − fit, for each tensor.
    pub residuals: Vec<f64>,
    /// Root of the mean squared residual.
    pub rms: f64,
    /// The same of the theory's c and d (2.5 and 0.3 at four bits).
    pub seed_rms: f64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ClippingReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// α/σ of each tensor's curve.
    pub places: Vec<f64>,
    /// In the order of the forward pass.
    pub tensors: Vec<Tensor>,
    /// None where all tensors have one κ.
    pub fit: Option<Fit>,
    /// T2b: (α_ref − α*)² against the excess error; none for fewer than two languages.
    pub wrong_threshold: Option<Correlation>,
    /// Theorem 2 for each language of the config.
    pub languages: Vec<Language>,
    /// D(λ) under each rule, where it was asked for.
    pub losses: Vec<RuleLoss>,
}

impl Tensor {
    /// Whether a rule was tried on it: reports from before a rule was added have no figures of it.
    pub fn has(&self, rule: Rule) -> bool {
        self.choices.iter().any(|choice| choice.rule == rule)
    }

    /// What a rule does to it.
    ///
    /// # Panics
    /// If the rule was not tried on it; [`Rule::Optimal`] always is.
    pub fn choice(&self, rule: Rule) -> &Choice {
        self.choices.iter().find(|choice| choice.rule == rule).expect("the rule was tried")
    }
}

/// ln(1 + κ) as [`kurtosis_factor`](crate::math::clipping::kurtosis_factor) takes it: lighter tails than a Gaussian's count as a Gaussian's.
pub fn log_kurtosis(kurtosis: f64) -> f64 {
    libm::log1p(kurtosis.max(0.0))
}
