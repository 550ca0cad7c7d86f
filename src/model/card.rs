//! A model's card: what it was trained on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `card.json` beside a checkpoint. Fields that the lab does not use are left unread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Folder's name.
    pub name: String,
    /// One line for the picker.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// Parameters.
    pub parameters: u64,
    /// By ISO 639-3 code.
    pub languages: BTreeMap<String, CardLanguage>,
    /// Excess kurtosis per layer, as training left it.
    #[serde(default)]
    pub kurtosis: Vec<f64>,
    /// SHA-256 by file name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// One language of a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CardLanguage {
    /// Training bytes; 0 for an unseen language.
    pub bytes_seen: u64,
    /// Training tokens.
    #[serde(default)]
    pub tokens_seen: u64,
    /// Tokens per byte and per word.
    #[serde(default)]
    pub fertility: Option<Fertility>,
    /// Bits per byte on held-out text of the training kind.
    #[serde(default)]
    pub help_bpb: Option<f64>,
    /// The same for an order-5 byte n-gram model of the same mix.
    #[serde(default)]
    pub ngram5_bpb: Option<f64>,
    /// Bits per byte on the Declaration.
    #[serde(default)]
    pub udhr_bpb: Option<f64>,
}

/// How finely a tokenizer cuts a language.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fertility {
    /// Tokens per UTF-8 byte.
    pub tokens_per_byte: f64,
    /// Tokens per word, where words are separated.
    pub tokens_per_word: Option<f64>,
}
