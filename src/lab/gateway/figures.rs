//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Verdict};
use crate::lab::{
    degradation::{Cost, Language},
    origin::Origin,
};
use crate::math::{sets::LayerSet, statistics::Interval};

/// Sets of one search at most: all those of twelve layers, and some more.
pub const MOST_SETS: usize = 5_000;

/// A protection set and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayRow")]
pub struct Row {
    /// The layers in full precision.
    pub set: LayerSet,
    /// Memory of the weights, scales included.
    pub bytes: u64,
    /// D(λ), disparity, ratio.
    pub cost: Cost,
    /// The Fair-Efficiency Score.
    pub score: Option<Interval>,
}

/// How far two layers are from adding up: D({i, j}) − D({i}) − D({j}) + D(∅), where D is disparity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interaction {
    /// i < j.
    pub layers: (usize, usize),
    /// Paired over texts.
    pub excess: Interval,
}

/// What is known of a layer before any set is tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayLayer")]
pub struct Layer {
    /// Excess kurtosis of its matrices as if they were one.
    pub kurtosis: f64,
    /// Σ over its matrices of MSE × outputs × Σ_c (mean |x_c|)²: the error that rounding puts into its outputs.
    pub output_error: f64,
    /// Variance over languages of E‖h_l‖ in units of its mean over languages.
    pub variance: f64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the config.
    pub languages: Vec<Language>,
    /// What is known of each layer.
    pub layers: Vec<Layer>,
    /// Weights of the model in f32, in bytes.
    pub bytes_full: u64,
    /// Sets asked for; fewer rows mean that the run has not come to its end.
    pub sets: usize,
    /// By size, then by disparity.
    pub rows: Vec<Row>,
    /// What others would have picked, for each budget; none before the end.
    pub picks: Vec<Pick>,
    /// Pairs of layers, where the sweeps were asked for.
    pub interactions: Vec<Interaction>,
    /// G1 to G3 for each budget that they speak of.
    pub verdicts: Vec<Verdict>,
}

impl Report {
    /// Whether every set is there.
    pub fn whole(&self) -> bool {
        self.rows.len() >= self.sets
    }

    /// Rows of one size, best first.
    pub fn of_size(&self, size: usize) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.set.len() == size)
    }

    /// Compression: f32 bytes over those of a row.
    pub fn compression(&self, row: &Row) -> f64 {
        self.bytes_full as f64 / row.bytes as f64
    }

    /// min D(S) subject to E(S) ≥ `least`.
    pub fn best_within(&self, least: f64) -> Option<&Row> {
        self.rows.iter().filter(|row| self.compression(row) >= least).min_by(|a, b| by_disparity(a, b))
    }

    /// Rows that no other beats in both disparity and bytes, from the smallest on.
    pub fn front(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| a.bytes.cmp(&b.bytes).then(by_disparity(a, b)));
        let mut least = f64::INFINITY;
        rows.retain(|row| {
            let of = disparity(row);
            let better = of < least;
            least = least.min(of);
            better
        });
        rows
    }

    /// The smallest row whose disparity lies within the interval of the best row's.
    pub fn cheapest(&self) -> Option<&Row> {
        let best = self.rows.iter().min_by(|a, b| by_disparity(a, b))?.cost.disparity?;
        let near = self.rows.iter().filter(|row| disparity(row) <= best.high);
        near.min_by(|a, b| a.bytes.cmp(&b.bytes).then(by_disparity(a, b)))
    }

    /// The row of a set.
    pub fn row(&self, set: LayerSet) -> Option<&Row> {
        self.rows.iter().find(|row| row.set == set)
    }
}

fn disparity(row: &Row) -> f64 {
    row.cost.disparity.map_or(f64::INFINITY, |of| of.value)
}

/// Better first; of equals the one whose layers come first.
pub fn by_disparity(a: &Row, b: &Row) -> std::cmp::Ordering {
    disparity(a).total_cmp(&disparity(b)).then(a.set.cmp(&b.set))
}

/// The theory's set {0, 3L/4, L − 1}; none where two of them are the same layer.
pub fn predicted(layers: usize) -> Option<LayerSet> {
    let set: LayerSet = [0, 3 * layers / 4, layers.checked_sub(1)?].into_iter().collect();
    (set.len() == 3).then_some(set)
}

/// The first and the last layer.
pub fn ends(layers: usize) -> LayerSet {
    [0, layers.saturating_sub(1)].into_iter().collect()
}

/// A way to choose layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Picker {
    /// The theory's {0, 3L/4, L − 1}.
    Predicted,
    /// The best set that holds the first and the last layer.
    Ends,
    /// From no layer, the layer that helps most, again and again.
    Forward,
    /// From all layers, the layer that is missed least, again and again.
    Backward,
    /// The layers of largest κ.
    Kurtosis,
    /// The layers of largest output error: MSE × activation energy.
    OutputError,
    /// The layers whose activation differs most between languages.
    Variance,
    /// The layers that help most alone: as if effects added up.
    Additive,
}

/// What a picker chose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pick {
    /// Who.
    pub picker: Picker,
    /// What.
    pub set: LayerSet,
    /// Its place among all sets of its size, 1 for the least disparity, with the quantiles of its place over resamples.
    pub rank: Interval,
    /// How many sets there are of its size.
    pub among: usize,
    /// Its disparity less that of the best set of its size, paired over texts.
    pub regret: Interval,
}
