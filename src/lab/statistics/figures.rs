//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Verdict};
use crate::lab::origin::Made;
use crate::math::{correlation::Correlation, effect::Effect, multiplicity::Adjusted, statistics::Interval};

/// Rows of a pair that are told, those that move r most.
pub const MOST_INFLUENTIAL: usize = 20;
/// Places of the curve of power.
pub const CURVE: usize = 32;

/// A column of figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsColumn")]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// One per row; none where a figure is missing.
    pub values: Vec<Option<f64>>,
}

/// Two groups of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsGroups")]
#[serde(deny_unknown_fields)]
pub struct Groups {
    /// What the first and the second are called.
    pub names: (String, String),
    /// For each row 1 or 2 for its group, 0 for neither.
    pub rows: Vec<u8>,
}

/// A test that was made before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsEarlier")]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// What was tested.
    pub name: String,
    /// Its p.
    pub p: f64,
}

/// A column in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsSummary")]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// Figures that are there.
    pub n: usize,
    /// Their mean; none of nothing.
    pub mean: Option<f64>,
    /// Their standard deviation, of a sample; none for fewer than two.
    pub deviation: Option<f64>,
    /// The least and the largest.
    pub span: Option<(f64, f64)>,
}

/// r without one row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsInfluence")]
pub struct Influence {
    /// Number of the row, from 0.
    pub row: usize,
    /// r of the others.
    pub r: f64,
}

/// A correlation with other columns held constant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsPartial")]
pub struct Partial {
    /// Rows that have all figures.
    pub n: usize,
    /// Partial r, with its BCa interval over rows.
    pub r: Interval,
    /// Two-sided permutation p of it: what is left of one column is shuffled.
    pub p: f64,
}

/// Two columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsPair")]
pub struct Pair {
    /// Numbers of the two columns.
    pub columns: (usize, usize),
    /// Rows that have both figures.
    pub n: usize,
    /// None for fewer than three rows, and where a column does not vary.
    pub found: Option<Correlation>,
    /// None where nothing is held constant, or nothing is left.
    pub partial: Option<Partial>,
    /// Least and largest r without one row.
    pub without_one: Option<(f64, f64)>,
    /// The rows that move r most, the first most, at most [`MOST_INFLUENTIAL`].
    pub influence: Vec<Influence>,
}

/// A column of both groups.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsContrast")]
pub struct Contrast {
    /// Number of the column.
    pub column: usize,
    /// None where a group has fewer than two figures, or they do not vary.
    pub effect: Option<Effect>,
}

/// A test of the family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsTest")]
pub struct Test {
    /// What was tested.
    pub name: String,
    /// Whether it was made here, or earlier.
    pub here: bool,
    /// Its p.
    pub p: f64,
    /// Corrected for all tests of the family.
    #[serde(flatten)]
    pub adjusted: Adjusted,
}

/// Power of a two-sided test of r.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsPower")]
pub struct Power {
    /// |r| that the test must pass.
    pub critical: f64,
    /// By the exact distribution of r.
    pub exact: f64,
    /// By Fisher's z, for comparison.
    pub fisher: f64,
    /// Fewest pairs with the power that is wanted; none up to 100,000.
    pub needed: Option<usize>,
    /// Pairs and exact power, ascending.
    pub curve: Vec<(usize, f64)>,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Made,
    /// In the order of the config.
    pub columns: Vec<Summary>,
    /// Every pair that was asked for.
    pub pairs: Vec<Pair>,
    /// Every column, where there are groups.
    pub contrasts: Vec<Contrast>,
    /// The whole family: the tests made here, then those made earlier.
    pub tests: Vec<Test>,
    /// As asked.
    pub power: Power,
    /// What this says of the theory's claims.
    pub verdicts: Vec<Verdict>,
}
