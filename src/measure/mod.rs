//! The frame in which every analysis measures: plans and who runs them, the cache of results, texts, losses and their intervals.
//!
//! What an analysis needs of the model's arithmetic it asks for in a [`plan::Plan`]; its [`runner::Lab`] runs the plan, alone or over
//! any number of workers, and the figures come back in the order of the plan, so that the report does not depend on who computed them.

pub mod degradation;
pub mod detection;
pub mod effective_weights;
pub mod groups;
pub mod hidden_states;
pub mod layer_activation;
pub mod origin;
pub mod overflow;
pub mod plan;
pub mod result_cache;
pub mod rounding;
pub mod runner;
pub mod sample;
pub mod search;
pub mod state_similarity;

use super::{Analysis, AnalysisError, Report, draws};
use runner::Progress;

/// How an analysis is measured, beside the function `run` of its folder.
pub trait Measuring: Analysis {
    /// Measures without a model, where nothing but the settings is needed; none where a model is.
    fn alone(
        &self,
        _heard: &impl AsyncFn(Progress),
    ) -> impl Future<Output = Option<Result<<Self as Analysis>::Report, AnalysisError>>> {
        async { None }
    }
}
