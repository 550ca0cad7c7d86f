//! Aligned texts: unit i says the same in every language.

use serde::{Deserialize, Serialize};

/// `card.json` of a corpus folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorpusCard {
    /// Folder's name.
    pub name: String,
    /// For the picker.
    pub title: String,
    /// What it is.
    pub description: String,
    /// What one unit is: `article`, `paragraph`.
    pub unit: String,
    /// Units per language.
    pub units: usize,
    /// Where it comes from.
    pub source: String,
    /// Its licence.
    pub licence: String,
    /// Languages in it.
    pub languages: Vec<CorpusLanguage>,
}

/// One language of a corpus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorpusLanguage {
    /// ISO 639-3.
    pub code: String,
    /// English name.
    pub name: String,
    /// Name in its own script.
    pub endonym: String,
    /// ISO 15924.
    pub script: String,
    /// Family.
    pub family: String,
    /// `ltr` or `rtl`.
    pub direction: String,
    /// File in the folder.
    pub file: String,
    /// UTF-8 bytes of all units.
    pub bytes: u64,
    /// SHA-256 of the file.
    pub sha256: String,
}

/// One language's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Texts {
    /// ISO 639-3.
    pub code: String,
    /// The units in order.
    pub units: Vec<String>,
}
