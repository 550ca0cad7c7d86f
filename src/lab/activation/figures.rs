//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{degradation::Language, origin::Origin};
use crate::{
    math::{correlation::Correlation, metrics, statistics::Interval},
    model::card::Resource,
};

/// A layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ActivationLayer")]
pub struct Layer {
    /// Excess kurtosis of its matrices as if they were one.
    pub kurtosis: f64,
    /// Whether that lies above the threshold.
    pub outlier: bool,
    /// Variance of a_l over seen languages.
    pub norm_variance: f64,
    /// Variance of ā_l over seen languages.
    pub share_variance: f64,
    /// ā_l against D over seen languages; none where one of them does not vary.
    pub with_loss: Option<Correlation>,
}

/// A language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ActivationRow")]
pub struct Row {
    /// Which.
    #[serde(flatten)]
    pub language: Language,
    /// a_l(λ) = E‖h_l‖ of each layer.
    pub norms: Vec<f64>,
    /// ā_l(λ) = a_l/Σ a_l.
    pub shares: Vec<f64>,
    /// κ_eff(λ) = Σ ā_l κ_l.
    pub kurtosis: Interval,
    /// R̂(λ) = Σ ā_l over outlier layers.
    pub reliance: Interval,
    /// D(λ).
    pub degradation: Interval,
}

/// Two figures of a language that the theory relates to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pair {
    /// K1: R̂ and D.
    RelianceLoss,
    /// K2: κ_eff and D.
    KurtosisLoss,
    /// T2a: |κ_eff ÷ mean κ_eff of high-resource languages − 1| and D.
    DistanceLoss,
    /// P3: log₁₀ of training tokens and R̂.
    TokensReliance,
}

impl Pair {
    /// Every pair.
    pub const ALL: [Pair; 4] = [Pair::RelianceLoss, Pair::KurtosisLoss, Pair::DistanceLoss, Pair::TokensReliance];

    /// Both figures of every row of a report; none for a row that has not both, or is of an unseen language.
    pub fn of(self, rows: &[Row]) -> Vec<Option<(f64, f64)>> {
        let high: Vec<f64> =
            rows.iter().filter(|row| row.language.resource == Resource::High).map(|row| row.kurtosis.value).collect();
        let high = metrics::mean(&high);
        let both = |row: &Row| match self {
            Pair::RelianceLoss => Some((row.reliance.value, row.degradation.value)),
            Pair::KurtosisLoss => Some((row.kurtosis.value, row.degradation.value)),
            Pair::DistanceLoss => Some(((row.kurtosis.value / high? - 1.0).abs(), row.degradation.value)),
            Pair::TokensReliance => {
                let tokens = row.language.tokens_seen.filter(|tokens| *tokens > 0)?;
                Some((libm::log10(tokens as f64), row.reliance.value))
            }
        };
        rows.iter().map(|row| both(row).filter(|_| row.language.counts())).collect()
    }
}

/// Figures over all seen languages, for the bounds of documents 002 and 004.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ActivationSpread")]
pub struct Spread {
    /// max D − min D.
    pub disparity: Interval,
    /// √Var of κ_eff.
    pub deviation: Interval,
    /// K3's constant if its bound were met exactly: disparity ÷ √Var.
    pub constant: Interval,
    /// max R̂ − min R̂.
    pub range: Interval,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ActivationReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// From the first.
    pub layers: Vec<Layer>,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// Of each pair, in the order of [`Pair::ALL`]; none where a figure does not vary or too few languages have both.
    pub correlations: Vec<Option<Correlation>>,
    /// None for fewer than two seen languages.
    pub spread: Option<Spread>,
    /// K4 without its constant: |r(R̂, D)|·range of R̂·range of κ_l; none where there is no r.
    pub product: Option<f64>,
}
