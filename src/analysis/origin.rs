//! Where the figures of a report are from.

use serde::{Deserialize, Serialize};

use super::lab::Lab;

/// The model, what computed, and by which program: part of every report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the model.
    pub model: String,
    /// SHA-256 of the checkpoint.
    pub model_sha256: String,
    /// `cpu` or `webgpu`.
    pub backend: String,
    /// Program version.
    pub version: String,
}

impl Origin {
    /// Of what this lab computes.
    pub fn of(lab: &impl Lab) -> Origin {
        Origin {
            model: lab.model().name.clone(),
            model_sha256: lab.model().file.sha256.clone(),
            backend: lab.computed_on(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}
