//! A model by its files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// SHA-256 of each file that decides what a model says. Where one of them differs, it is another model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Files {
    /// SHA-256 of the checkpoint, model.safetensors.
    pub model_sha256: String,
    /// SHA-256 of config.json; none in reports from before it was kept.
    #[serde(default)]
    pub config_sha256: Option<String>,
    /// SHA-256 of tokenizer.json; none where the model has none.
    #[serde(default)]
    pub tokenizer_sha256: Option<String>,
    /// SHA-256 of tokenizer_config.json, which may say what stands before a text; none where the model has none, and in
    /// reports from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer_config_sha256: Option<String>,
}

impl Files {
    /// The first letters of the checkpoint's digest, as people compare them.
    pub fn short(&self) -> &str {
        self.model_sha256.get(..12).unwrap_or(&self.model_sha256)
    }
}
