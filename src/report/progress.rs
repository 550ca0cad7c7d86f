//! How far a run is.

use serde::{Deserialize, Serialize};

/// What a run is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Looking at weight matrices, one after another.
    Tensors,
    /// Running texts.
    Passes,
    /// Walking protection sets, text by text.
    Sets,
    /// Making tests of figures, one after another.
    Tests,
    /// Fetching one model after another.
    Models,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The step.
    pub step: Step,
    /// Of it, so many are done.
    pub done: usize,
    /// Of so many.
    pub total: usize,
}
