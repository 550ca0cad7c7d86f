//! Models that give no number: which text showed it, and in which layer it began.

pub use reports::lab::Began;

use super::{
    AnalysisError,
    origin::layer_name,
    plan::{Plan, Seen, Taps, Text},
    runner::Lab,
};
use crate::arch::recipe::Recipe;

/// Of a token. One that is drawn from 16 million costs 17, and e to the power of this can still be squared.
const MOST_NATS: f64 = 100.0;

/// Whether a text's loss is no number, or one that no perplexity can be made of.
pub(super) fn broken(text: &Text, nats: f64) -> bool {
    !nats.is_finite() || nats > MOST_NATS * text.scored as f64
}

/// A text's loss that is no number.
pub(super) fn not_finite(which: &'static str, text: &Text, nats: f64, began: Began) -> AnalysisError {
    AnalysisError::NotFinite { which, began, code: text.code.clone(), unit: text.unit + 1, value: nats }
}

/// Refuses a plan of which a text has no loss that can be used.
pub(crate) async fn refuse(lab: &impl Lab, plan: &Plan, seen: &Seen) -> Result<(), AnalysisError> {
    let mut passes = plan.asked().map(|(recipe, text, _)| (recipe, text));
    match passes.find(|&(recipe, text)| broken(&plan.texts()[text], seen.nats(recipe, text))) {
        Some((recipe, text)) => {
            Err(explain(lab, &plan.recipes()[recipe], &plan.texts()[text], seen.nats(recipe, text)).await?)
        }
        None => Ok(()),
    }
}

/// The same of texts that were run under one recipe.
pub(crate) async fn refuse_texts(
    lab: &impl Lab,
    recipe: &Recipe,
    texts: &[Text],
    nats: &[f64],
) -> Result<(), AnalysisError> {
    match texts.iter().zip(nats).find(|(text, nats)| broken(text, **nats)) {
        Some((text, &nats)) => Err(explain(lab, recipe, text, nats).await?),
        None => Ok(()),
    }
}

/// Runs the text once more and looks at every layer.
async fn explain(lab: &impl Lab, recipe: &Recipe, text: &Text, nats: f64) -> Result<AnalysisError, AnalysisError> {
    let mut plan = Plan::new(vec![text.clone()]);
    let number = plan.ask(recipe, 0..1, Taps { norms: true, ..Taps::LOSSES });
    let seen = lab.run_jobs(&plan).await?;
    let layer = seen.norms(number, 0).iter().position(|norm| !norm.is_finite());
    let encoder_layers = lab.model().device.spec.encoder_layers();
    let began = layer.map_or(Began::Logits, |layer| Began::Layer(layer_name(layer, encoder_layers)));
    Ok(not_finite(which(recipe), text, nats, began))
}

/// Which model it is, in words.
fn which(recipe: &Recipe) -> &'static str {
    match recipe {
        Recipe { skipped, .. } if !skipped.is_empty() => "shortened",
        Recipe { tensors, .. } if tensors.is_empty() => "full-precision",
        _ => "quantized",
    }
}
