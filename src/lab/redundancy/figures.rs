//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Verdict};
use crate::lab::{degradation::Language, origin::Origin};
use crate::math::{correlation::Correlation, quantizer::Bits, statistics::Interval};

/// A way of measuring R.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyMeasure")]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Document 000: R = I(X; Y) − H(Y | X), in bits per token.
    Information,
    /// Document 001: R = H_max − H of the states' spectrum, in bits, mean over layers.
    Spectrum,
    /// Document 002, definition 2: R = I(h_outlier; y | h_generic)/I(h_all; y).
    Ablation,
    /// Document 002, section 3.4: R̂ = Σ ā_l over outlier layers.
    Proxy,
}

impl Measure {
    /// Every way.
    pub const ALL: [Measure; 4] = [Measure::Information, Measure::Spectrum, Measure::Ablation, Measure::Proxy];
}

/// A layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyLayer")]
pub struct Layer {
    /// Excess kurtosis of its matrices as if they were one.
    pub kurtosis: f64,
    /// Whether it was left out.
    pub left_out: bool,
    /// Mean squared error of its rounded weights over their variance.
    pub relative_mse: f64,
}

/// A language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyRow")]
pub struct Row {
    /// Which.
    #[serde(flatten)]
    pub language: Language,
    /// Loss in full precision, in bits per token.
    pub loss: Interval,
    /// Loss with the layers left out, in bits per token.
    pub loss_without: Interval,
    /// Loss of a reader without any state, in bits per token.
    pub loss_baseline: Interval,
    /// R, in the order of [`Measure::ALL`]; none where it is not a number.
    pub redundancy: Vec<Option<Interval>>,
    /// H_max − H of the states after each layer, in bits.
    pub spectrum: Vec<Interval>,
    /// D(λ).
    pub degradation: Interval,
    /// Σ ā_l·relative MSE of layer l: theorem 1's ε over σ², for the weights as this language uses them.
    pub weight_error: Interval,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// From the first.
    pub layers: Vec<Layer>,
    /// Whether the layers left out lie above the threshold; else they are those of the largest κ.
    pub above: bool,
    /// Channels of a state, and dimensions in which spectra were taken.
    pub widths: (usize, usize),
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// ε against 1/R, for each measure and each ε.
    pub relations: Vec<Relation>,
    /// The corollary, for each measure, each ε and each δ; none without languages of high and of low resource.
    pub ratios: Vec<Ratio>,
    /// T1 and T1c, for each measure.
    pub verdicts: Vec<Verdict>,
}

/// What such a reader knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    /// How often each token comes in the language's other texts, and once more.
    Unigram,
    /// How many tokens there are.
    Uniform,
}

impl Baseline {
    /// Both.
    pub const ALL: [Baseline; 2] = [Baseline::Unigram, Baseline::Uniform];
}

/// What is called ε.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyError")]
#[serde(rename_all = "snake_case")]
pub enum Error {
    /// D(λ), as where the theory observes 4.24.
    Loss,
    /// E‖Q(w) − w‖²/σ² of the weights as the language uses them, as in theorem 1.
    Weights,
}

impl Error {
    /// Both.
    pub const ALL: [Error; 2] = [Error::Loss, Error::Weights];

    /// Of a language.
    pub fn of(self, row: &Row) -> Interval {
        match self {
            Error::Loss => row.degradation,
            Error::Weights => row.weight_error,
        }
    }
}

/// Which δ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyDelta")]
#[serde(rename_all = "snake_case")]
pub enum Delta {
    /// δ = b, as the proof of theorem 1 has it.
    Proof,
    /// δ = 0.1, as its check has it.
    Check,
}

impl Delta {
    /// Both readings.
    pub const ALL: [Delta; 2] = [Delta::Proof, Delta::Check];

    /// The number.
    pub fn of(self, bits: Bits) -> f64 {
        match self {
            Delta::Proof => f64::from(bits.get()),
            Delta::Check => 0.1,
        }
    }
}

/// C_b/(R + δ) over σ², with C_b = 3σ²·2^(−2b); none where R + δ is not above 0: the theorem then says nothing.
pub fn bound(bits: Bits, redundancy: f64, delta: f64) -> Option<f64> {
    let constant = 3.0 * libm::pow(2.0, -2.0 * f64::from(bits.get()));
    (redundancy + delta > 0.0).then(|| constant / (redundancy + delta))
}

/// The bound at one δ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyBound")]
pub struct Bound {
    /// Which δ.
    pub reading: Delta,
    /// Its number.
    pub delta: f64,
    /// ε − bound of each language, in the order of the rows; none where the theorem says nothing.
    pub excess: Vec<Option<Interval>>,
    /// Codes of the seen languages that surely lie above.
    pub violated: Vec<String>,
    /// Of the seen languages, so many surely lie below.
    pub kept: usize,
}

/// ε against 1/R over seen languages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyRelation")]
pub struct Relation {
    /// What is called R.
    pub measure: Measure,
    /// What is called ε.
    pub error: Error,
    /// Seen languages whose R is above 0, so that 1/R is a number.
    pub n: usize,
    /// Seen languages in all.
    pub seen: usize,
    /// Of 1/R and ε; none where one does not vary.
    pub correlation: Option<Correlation>,
    /// Of the line through them, with its interval over languages.
    pub slope: Option<Interval>,
    /// Of the line.
    pub intercept: Option<Interval>,
    /// At both δ.
    pub bounds: Vec<Bound>,
}

/// 1/R and ε of a language; none for an unseen one, and where R is not above 0.
pub fn point(row: &Row, measure: Measure, error: Error) -> Option<(f64, f64)> {
    let at = Measure::ALL.iter().position(|own| *own == measure)?;
    let redundancy = row.redundancy.get(at).copied().flatten()?.value;
    (row.language.counts() && redundancy > 0.0).then(|| (1.0 / redundancy, error.of(row).value))
}

/// Low against high resource, under one R, one ε and one δ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyRatio")]
pub struct Ratio {
    /// What is called R.
    pub measure: Measure,
    /// What is called ε.
    pub error: Error,
    /// Which δ.
    pub reading: Delta,
    /// Its number.
    pub delta: f64,
    /// Mean ε of low-resource languages over that of high-resource ones.
    pub observed: Interval,
    /// (R_HR + δ)/(R_LR + δ), of mean R.
    pub predicted: Interval,
    /// Observed − predicted, paired over texts.
    pub difference: Interval,
    /// R_HR − R_LR.
    pub gap: Interval,
}
