//! A language as reports tell it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Resource;

/// A language of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Language {
    /// ISO 639-3.
    pub code: String,
    /// English name.
    pub name: String,
    /// Name in its own script.
    pub endonym: String,
    /// `ltr` or `rtl`.
    pub direction: String,
    /// Resource level.
    pub resource: Resource,
    /// Training tokens, where the model has a card.
    pub tokens_seen: Option<u64>,
}

impl Language {
    /// Seen in training, or of unknown resource: it counts in figures over languages.
    pub fn counts(&self) -> bool {
        self.resource != Resource::Unseen
    }
}
