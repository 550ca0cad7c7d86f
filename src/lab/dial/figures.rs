//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Verdict};
use crate::lab::{
    degradation::{Change, Cost, Language},
    origin::Origin,
};
use crate::math::{clipping::Rule, correlation::Correlation, quantizer::Bits};

pub use crate::arch::dial::Joint;

/// A place where the dial stood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// n of s = 2^n.
    pub exponent: usize,
    /// Whether the tails were flattened afterwards.
    pub flattened: bool,
    /// Excess kurtosis of each layer.
    pub kurtosis: Vec<f64>,
    /// The largest of them.
    pub max_kurtosis: f64,
    /// Full-precision losses against those of the model as it is; none for that model itself.
    pub proof: Option<Proof>,
}

/// How many bits of the full-precision losses are equal; a loss per text, 64 bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// Equal bits.
    pub equal: u64,
    /// Compared bits.
    pub of: u64,
}

/// One way of rounding at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Number of the point.
    pub point: usize,
    /// Bit-width.
    pub bits: Bits,
    /// Clipping rule.
    pub rule: Rule,
    /// What it costs.
    pub cost: Cost,
    /// R̂ over the turned layers against D, over languages; none where all layers are turned.
    pub usage: Option<Correlation>,
    /// Disparity against that of the same rounding at the point of least κ; none there.
    pub risen: Option<Change>,
    /// The same with 8 bits for outlier layers; at the point of largest κ, where some layers are outliers and some not.
    pub protected: Option<Protected>,
}

/// Outlier layers at 8 bits, all others as before (document 004, section 5.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Protected {
    /// The outlier layers.
    pub layers: Vec<usize>,
    /// What it costs.
    pub cost: Cost,
    /// Disparity against all layers at the lower width.
    pub change: Option<Change>,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DialReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the config.
    pub languages: Vec<Language>,
    /// R̂(λ) over the turned layers, of each language.
    pub turned_share: Vec<f64>,
    /// In the order of the config; the flattened one last.
    pub points: Vec<Point>,
    /// Point by point, width by width, rule by rule.
    pub outcomes: Vec<Outcome>,
    /// Claims C1, K1, P2 and P4 for each width and rule.
    pub verdicts: Vec<Verdict>,
}

/// The point of largest or least κ.
pub fn extreme(points: &[Point], further: fn(f64, f64) -> bool) -> usize {
    let better =
        |best: usize, at: usize| if further(points[at].max_kurtosis, points[best].max_kurtosis) { at } else { best };
    (0..points.len()).fold(0, better)
}

impl Proof {
    /// Of the losses before and after.
    pub fn of(before: &[f64], after: &[f64]) -> Proof {
        let different: u32 = before.iter().zip(after).map(|(a, b)| (a.to_bits() ^ b.to_bits()).count_ones()).sum();
        let of = 64 * before.len() as u64;
        Proof { equal: of - u64::from(different), of }
    }

    /// Whether the two agree in every bit.
    pub fn holds(&self) -> bool {
        self.equal == self.of
    }
}
