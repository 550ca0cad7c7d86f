//! One way of rounding, applied to every weight matrix of the model.

pub use reports::lab::rounding::*;

use super::{
    AnalysisError,
    runner::{Lab, Progress, Step},
};
use crate::{
    arch::{dial::Dial, recipe::Recipe},
    math::moments::Summary,
};

/// Thresholds for every weight matrix.
pub async fn recipe(rounding: &Rounding, lab: &impl Lab) -> Result<Recipe, AnalysisError> {
    recipe_after(rounding, &Dial::default(), lab).await
}

/// The same for weights that a dial has turned first.
pub async fn recipe_after(rounding: &Rounding, dial: &Dial, lab: &impl Lab) -> Result<Recipe, AnalysisError> {
    recipe_where(rounding, dial, |_| true, lab).await
}

/// The same for the layers that `keep` names; others stay in full precision.
pub async fn recipe_where(
    rounding: &Rounding,
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
        let ahead = if scalings.is_empty() { lab.rounded_ahead(rounding, &name) } else { None };
        let how = match ahead {
            Some(how) => how,
            None => rounding.of(&device.values_after(&scalings, &name).await?, layout),
        };
        recipe.tensors.insert(name, how);
        lab.pause().await;
    }
    Ok(recipe)
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
