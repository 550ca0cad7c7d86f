//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Critical, Verdict};
use crate::lab::{
    degradation::{Change, Cost, Language},
    origin::Origin,
};
use crate::math::{clipping::Rule, quantizer::Bits, statistics::Interval};

/// One width under one rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepOutcome")]
pub struct Outcome {
    /// Clipping rule.
    pub rule: Rule,
    /// Bit-width.
    pub bits: Bits,
    /// D(λ), disparity and their kin.
    pub cost: Cost,
    /// Disparity against that of the widest width under the same rule, paired over texts; none there.
    pub against_widest: Option<Change>,
    /// How often languages that lose the same would lie as far apart by noise alone; see [`crate::math::range_test`]. None where
    /// there is no disparity.
    #[schemars(description = "How often languages that lose the same would lie as far apart by noise alone; see \
                              [`crate::math::apart`]. None where there\nis no disparity.")]
    pub chance: Option<f64>,
    /// Mean D over seen languages.
    pub mean: Option<Interval>,
    /// Mean of ln(1 + D) over seen languages: nats lost per token.
    pub nats: Option<Interval>,
    /// Squared error of all weights of the blocks over their squared deviation from their matrix's mean. The interval is over
    /// matrices: no text is involved.
    pub error: Interval,
    /// Memory of the weights, scales included.
    pub bytes: u64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the config.
    pub languages: Vec<Language>,
    /// Excess kurtosis of each layer.
    pub kurtosis: Vec<f64>,
    /// Weight matrices that were rounded.
    pub matrices: usize,
    /// Weights of the model in f32, in bytes.
    pub bytes_full: u64,
    /// Rule by rule in the order of the config, each from the narrowest width.
    pub outcomes: Vec<Outcome>,
    /// Of every measure under every rule.
    pub slopes: Vec<Slope>,
    /// B* under every rule; empty where there is no disparity.
    pub critical: Vec<Critical>,
    /// Claims P1, I1 and C3 under every rule.
    pub verdicts: Vec<Verdict>,
}

impl Report {
    /// Outcomes of a rule, from the narrowest width.
    pub fn of_rule(&self, rule: Rule) -> impl DoubleEndedIterator<Item = &Outcome> {
        self.outcomes.iter().filter(move |outcome| outcome.rule == rule)
    }
}

/// Rate–distortion's D = σ²·2^(−2R): log₂ of the distortion falls by so much with each bit (document 003).
pub const LAW: f64 = -2.0;

/// What falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepMeasure")]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Relative squared error of the weights.
    Error,
    /// Mean D over seen languages.
    Degradation,
    /// Mean of ln(1 + D), nats lost per token. Where D is large it grows as an exponential of the error of the weights; its
    /// logarithm does not.
    Nats,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 3] = [Measure::Error, Measure::Degradation, Measure::Nats];
}

/// The slope of log₂ of a measure against the width, under one rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepSlope")]
pub struct Slope {
    /// Clipping rule.
    pub rule: Rule,
    /// What falls.
    pub measure: Measure,
    /// Widths that the line goes through: those at which the measure's interval lies above 0, for only they have a logarithm.
    pub bits: Vec<Bits>,
    /// log₂ per bit; none for fewer than two widths. Intervals of the error are over matrices, those of losses over texts.
    pub slope: Option<Interval>,
    /// What the grid alone would give over the same widths: its step falls as 1/(2^(B−1) − 1), and the error of rounding as the
    /// square of that.
    pub grid: Option<f64>,
}
