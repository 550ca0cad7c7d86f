//! Where the figures of a report are from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{lab::Lab, sample::Reading};
pub use crate::arch::scoring::Asked;

/// The model, the texts, what computed, and by which program: part of every report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Name of the model.
    pub model: String,
    /// SHA-256 of the checkpoint, model.safetensors.
    pub model_sha256: String,
    /// SHA-256 of config.json; none in reports from before it was kept.
    #[serde(default)]
    pub config_sha256: Option<String>,
    /// SHA-256 of tokenizer.json; none where the model has none.
    #[serde(default)]
    pub tokenizer_sha256: Option<String>,
    /// [`Reading::sha256`] of what was read; none where no text was.
    #[serde(default)]
    pub corpus_sha256: Option<String>,
    /// `cpu`, `fused` (the CPU with fused products) or `webgpu`; `webgpu, then cpu` where the run moved.
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

/// Where the figures of a report are from that is not about one model: from numbers alone, or from several models that the report
/// names itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Made {
    /// [`Reading::sha256`] of what was read; none where no text was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus_sha256: Option<String>,
    /// As that of an [`Origin`].
    pub backend: String,
    /// Program version.
    pub version: String,
}

impl Made {
    /// From numbers alone, which are always computed in exact mode.
    pub fn of_numbers() -> Made {
        Made { corpus_sha256: None, backend: EXACT.into(), version: env!("CARGO_PKG_VERSION").into() }
    }
}

/// Where any report is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whence<'a> {
    /// One model.
    Model(&'a Origin),
    /// None, or several.
    Made(&'a Made),
}

impl<'a> Whence<'a> {
    /// The model's, where the report is about one.
    pub fn model(self) -> Option<&'a Origin> {
        match self {
            Whence::Model(origin) => Some(origin),
            Whence::Made(_) => None,
        }
    }

    /// Of the texts that were read.
    pub fn corpus_sha256(self) -> Option<&'a String> {
        match self {
            Whence::Model(origin) => origin.corpus_sha256.as_ref(),
            Whence::Made(made) => made.corpus_sha256.as_ref(),
        }
    }

    /// What it was computed on.
    pub fn backend(self) -> &'a str {
        match self {
            Whence::Model(origin) => &origin.backend,
            Whence::Made(made) => &made.backend,
        }
    }

    /// Which program computed it.
    pub fn version(self) -> &'a str {
        match self {
            Whence::Model(origin) => &origin.version,
            Whence::Made(made) => &made.version,
        }
    }

    /// Whether every browser and the native program give these figures to the last bit.
    pub fn exact(self) -> bool {
        self.backend() == EXACT
    }
}

impl<'a> From<&'a Origin> for Whence<'a> {
    fn from(origin: &'a Origin) -> Whence<'a> {
        Whence::Model(origin)
    }
}

impl<'a> From<&'a Made> for Whence<'a> {
    fn from(made: &'a Made) -> Whence<'a> {
        Whence::Made(made)
    }
}

/// What a run in exact mode was computed on.
pub const EXACT: &str = "cpu";

impl Origin {
    /// Of what this lab computes on these texts.
    pub fn of(lab: &impl Lab, texts: Option<&Reading>) -> Origin {
        let model = lab.model();
        Origin {
            model: model.name.clone(),
            model_sha256: model.file.sha256.clone(),
            config_sha256: Some(model.config_sha256.clone()),
            tokenizer_sha256: model.tokenizer.as_ref().map(|tokenizer| tokenizer.sha256().to_string()),
            corpus_sha256: texts.map(|texts| texts.sha256.clone()),
            backend: lab.computed_on(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            asked: model.device.spec.scoring.asked(),
            encoder_layers: model.device.spec.encoder_layers(),
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
