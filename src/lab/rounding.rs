//! One way of rounding, for every weight matrix of the model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AnalysisError,
    runner::{Lab, Progress, Step},
    settings::{Offer, Setting, one_of, settings, titled},
};
use crate::{
    arch::{
        dial::Dial,
        recipe::{Quantization, Recipe},
    },
    math::{
        clipping::Rule,
        grouping::Layout,
        moments::Summary,
        quantizer::{Bits, Granularity, Uniform},
    },
    report::labels,
};

/// The width of the first look: the fewest bits at which the models that come with the page still work.
pub const USUAL_BITS: Bits = Bits::ALL[1];

settings! {
    /// How all matrices are rounded.
    #[derive(Copy, Eq)]
    pub struct Rounding("quantizer") {
        /// Bit-width.
        bits: Bits = USUAL_BITS, bits();
        /// How the clipping threshold is chosen.
        rule: Rule = Rule::Absmax, one_of("Where the grid ends (clipping rule)", rules());
        /// How many weights share a threshold.
        granularity: Granularity = Granularity::Tensor, granularity();
    }
}

/// The bit-widths to choose from.
pub fn widths() -> Vec<Offer> {
    titled(Bits::ALL, |bits| bits.get().to_string())
}

/// The clipping rules to choose from.
pub fn rules() -> Vec<Offer> {
    labels::RULES.into_iter().map(|rule| Offer::of(rule, labels::rule(rule), labels::rule_explained(rule))).collect()
}

/// One bit-width.
pub fn bits() -> Setting {
    one_of("Bits per weight", widths())
}

/// How many weights share a grid.
pub fn granularity() -> Setting {
    one_of("One grid per", titled(labels::GRANULARITIES, labels::granularity))
}

/// What rounding did to one tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TensorRow {
    /// Name in the checkpoint.
    pub name: String,
    /// Layer it belongs to.
    pub layer: usize,
    /// Smallest and largest clipping threshold over its groups, in units of the tensor's σ.
    pub alpha_over_sigma: (f64, f64),
    /// Mean squared error over the variance.
    pub relative_mse: f64,
}

impl Rounding {
    /// Of one matrix.
    pub fn of(&self, values: &[f32], layout: Layout) -> Quantization {
        let Rounding { bits, rule, granularity } = *self;
        Quantization::of(Uniform { bits, granularity, rule }, values, layout)
    }

    /// Thresholds for every weight matrix.
    pub async fn recipe(&self, lab: &impl Lab) -> Result<Recipe, AnalysisError> {
        self.recipe_after(&Dial::default(), lab).await
    }

    /// The same for weights that a dial has turned first.
    pub async fn recipe_after(&self, dial: &Dial, lab: &impl Lab) -> Result<Recipe, AnalysisError> {
        self.recipe_where(dial, |_| true, lab).await
    }

    /// The same for the layers that `keep` names; others stay in full precision.
    pub async fn recipe_where(
        &self,
        dial: &Dial,
        keep: impl Fn(usize) -> bool,
        lab: &impl Lab,
    ) -> Result<Recipe, AnalysisError> {
        let device = &lab.model().device;
        let scalings = dial.scalings(&device.spec)?;
        let mut recipe = Recipe { dial: dial.clone(), ..Recipe::default() };
        let matrices: Vec<_> = device.matrices().into_iter().filter(|(_, layer, _)| keep(*layer)).collect();
        let total = matrices.len();
        for (done, (name, _, layout)) in matrices.into_iter().enumerate() {
            lab.tell(Progress { step: Step::Tensors, done, total });
            let ahead = if scalings.is_empty() { lab.rounded_ahead(self, &name) } else { None };
            let how = match ahead {
                Some(how) => how,
                None => self.of(&device.values_after(&scalings, &name).await?, layout),
            };
            recipe.tensors.insert(name, how);
            lab.pause().await;
        }
        Ok(recipe)
    }
}

/// What a recipe without a dial does to each tensor that it rounds.
pub async fn rows(recipe: &Recipe, lab: &impl Lab) -> Result<Vec<TensorRow>, AnalysisError> {
    let device = &lab.model().device;
    let mut rows = Vec::new();
    for (name, layer, layout) in device.matrices() {
        let Some(how) = recipe.tensors.get(&name) else { continue };
        let values = device.values(&name).await?;
        let sigma = Summary::of(&values).sigma;
        let over_sigma = |alpha: f32| if sigma > 0.0 { f64::from(alpha) / sigma } else { 0.0 };
        rows.push(TensorRow {
            layer,
            alpha_over_sigma: (
                over_sigma(how.numbers.iter().copied().fold(f32::INFINITY, f32::min)),
                over_sigma(how.numbers.iter().copied().fold(0.0, f32::max)),
            ),
            relative_mse: how.relative_mse(&values, layout),
            name,
        });
        lab.pause().await;
    }
    Ok(rows)
}

/// Mean squared error of each layer's rounded weights over their variance, its matrices as if they were one.
pub async fn layer_errors(recipe: &Recipe, lab: &impl Lab) -> Result<Vec<f64>, AnalysisError> {
    let device = &lab.model().device;
    let mut sums = vec![(0.0, 0.0); device.spec.blocks.len()];
    for (name, layer, layout) in device.matrices() {
        let Some(how) = recipe.tensors.get(&name) else { continue };
        let values = device.values(&name).await?;
        let (sigma, count) = (Summary::of(&values).sigma, values.len() as f64);
        let relative = how.relative_mse(&values, layout);
        sums[layer].0 += relative * sigma * sigma * count;
        sums[layer].1 += sigma * sigma * count;
        lab.pause().await;
    }
    Ok(sums.into_iter().map(|(error, whole)| if whole > 0.0 { error / whole } else { 0.0 }).collect())
}
