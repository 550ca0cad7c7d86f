//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{degradation::Language, origin::Origin};
use crate::model::source::hex;

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TokensToken")]
pub struct Token {
    /// What it stands for; none where that is a part of a character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes in hexadecimal, where they are no text by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Its loss in nats: full precision, quantized. None where the model is not asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<(f64, f64)>,
}

/// The text in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TokensRow")]
pub struct Row {
    /// The language.
    pub language: Language,
    /// UTF-8 bytes of what is scored.
    pub bytes: u64,
    /// Tokens that are scored.
    pub scored: u64,
    /// Their loss in nats, full precision.
    pub full: f64,
    /// The same, quantized.
    pub quantized: f64,
    /// All tokens of the text, in its order.
    pub tokens: Vec<Token>,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TokensReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// What a unit is called: `article`.
    pub unit: String,
    /// In the order of the config.
    pub rows: Vec<Row>,
}

impl Token {
    /// Of its bytes, with its losses.
    pub fn new(bytes: Vec<u8>, nats: Option<(f64, f64)>) -> Token {
        match String::from_utf8(bytes) {
            Ok(text) => Token { text: Some(text), bytes: None, nats },
            Err(part) => Token { text: None, bytes: Some(hex(part.as_bytes())), nats },
        }
    }
}
