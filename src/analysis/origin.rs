//! Where the figures of a report are from.

use serde::{Deserialize, Serialize};

use super::lab::Lab;
pub use crate::arch::scoring::Asked;

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
    /// What it was asked about a text.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub asked: Asked,
    /// Of its layers, so many belong to an encoder beside the decoder.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub encoder_layers: usize,
}

/// Reports of models that are asked for the next token do not speak of it.
fn is_usual(asked: &Asked) -> bool {
    *asked == Asked::Next
}

/// Reports of models without such an encoder do not speak of it.
fn is_zero(layers: &usize) -> bool {
    *layers == 0
}

impl Origin {
    /// Of what this lab computes.
    pub fn of(lab: &impl Lab) -> Origin {
        Origin {
            model: lab.model().name.clone(),
            model_sha256: lab.model().file.sha256.clone(),
            backend: lab.computed_on(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            asked: lab.model().device.spec.scoring.asked(),
            encoder_layers: lab.model().device.spec.encoder_layers(),
        }
    }

    /// A layer's number; those of an encoder and of its decoder are counted apart, as `e0` and `d0`.
    pub fn layer(&self, layer: usize) -> String {
        match layer.checked_sub(self.encoder_layers) {
            _ if self.encoder_layers == 0 => layer.to_string(),
            Some(of_decoder) => format!("d{of_decoder}"),
            None => format!("e{layer}"),
        }
    }
}
