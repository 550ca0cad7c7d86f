//! How the model's weights are spread: moments, tails and histogram of every weight matrix and of every layer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AnalysisError, Needs,
    lab::{Lab, Progress, Step},
    origin::Origin,
};
use crate::math::{
    histogram::Histogram,
    moments::{Moments, Summary},
};

pub use crate::arch::tensors::Part;

/// What to measure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsConfig")]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// A layer whose excess kurtosis κ lies above this is an outlier layer.
    pub threshold: f64,
}

/// Seed 004: below κ = 5 no disparity is expected, above 50 it is.
pub const THRESHOLD: f64 = 5.0;

/// One weight matrix, or all matrices of one layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsSpread")]
pub struct Spread {
    /// n, mean, σ, κ, tails.
    pub summary: Summary,
    /// Counts by distance from the mean.
    pub histogram: Histogram,
}

/// A weight matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsTensor")]
pub struct Tensor {
    /// Name in the checkpoint.
    pub name: String,
    /// Its block.
    pub layer: usize,
    /// What it is to the block.
    pub part: Part,
    /// Its weights.
    pub spread: Spread,
}

/// A layer: its matrices as if they were one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsLayer")]
pub struct Layer {
    /// Number of the block.
    pub layer: usize,
    /// Its weights.
    pub spread: Spread,
    /// Whether κ lies above the threshold of the config.
    pub outlier: bool,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WeightsReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the forward pass.
    pub tensors: Vec<Tensor>,
    /// From the first.
    pub layers: Vec<Layer>,
}

impl Config {
    /// No text is read.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Weights
    }

    /// Refuses what cannot be measured, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        match self.threshold.is_finite() {
            true => Ok(()),
            false => Err(AnalysisError::Threshold(self.threshold)),
        }
    }
}

impl Spread {
    /// Of slices as if they were one, whose merged moments are known.
    fn of(moments: &Moments, parts: &[&[f32]]) -> Spread {
        Spread { summary: Summary::with_tails(moments, parts), histogram: Histogram::of(moments, parts) }
    }
}

/// Every matrix is read once and its moments are taken once; a layer's are merged from those of its matrices.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let device = &lab.model().device;
    let (mut tensors, mut layers, total) = (Vec::new(), Vec::new(), device.spec.linears().count());
    for (layer, block) in device.spec.blocks.iter().enumerate() {
        let (mut read, mut whole) = (Vec::new(), Moments::default());
        for (part, linear) in block.parts() {
            lab.tell(Progress { step: Step::Tensors, done: tensors.len(), total });
            let values = device.values(&linear.weight).await?;
            let moments = Moments::of(&values);
            whole = whole.merge(&moments);
            let spread = Spread::of(&moments, &[&values]);
            tensors.push(Tensor { name: linear.weight.clone(), layer, part, spread });
            read.push(values);
            lab.pause().await;
        }
        let parts: Vec<&[f32]> = read.iter().map(|values| &values[..]).collect();
        let spread = Spread::of(&whole, &parts);
        layers.push(Layer { layer, outlier: spread.summary.kurtosis > config.threshold, spread });
        lab.pause().await;
    }
    lab.tell(Progress { step: Step::Tensors, done: total, total });
    Ok(Report { config: *config, origin: Origin::of(lab, None), tensors, layers })
}
