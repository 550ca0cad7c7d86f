//! How a tokenizer cuts the words of a language.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::analysis::{AnalysisError, lab::Lab, sample::Reading};

/// Fertility of a language under the model's tokenizer, over the texts measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CausesFertility")]
pub struct Fertility {
    /// Tokens per UTF-8 byte.
    pub tokens_per_byte: f64,
    /// Tokens per word; words are what stands between white space, so scripts without spaces have long ones.
    pub tokens_per_word: f64,
    /// Share of words that are one token, alone or with the space before them.
    pub single_token_words: f64,
    /// Words.
    pub words: usize,
}

/// Of every language, in the order of the config.
pub async fn fertility(config: &Config, reading: &Reading, lab: &impl Lab) -> Result<Vec<Fertility>, AnalysisError> {
    let tokenizer = lab.model().tokenizer.as_ref().ok_or(AnalysisError::NoTokenizer)?;
    let mut all = Vec::new();
    for code in &config.languages {
        let texts = reading.corpus.texts(lab.site(), code).await?;
        let (mut tokens, mut bytes, mut words, mut single) = (0, 0, 0, 0);
        // Most words come again and again.
        let mut known: BTreeMap<&str, bool> = BTreeMap::new();
        for text in texts.units.iter().take(config.units) {
            tokens += tokenizer.encode(text)?.len();
            bytes += text.len();
            for word in text.split_whitespace() {
                let whole = match known.get(word) {
                    Some(whole) => *whole,
                    None => {
                        let spaced = format!(" {word}");
                        let whole = tokenizer.encode(word)?.len() == 1 || tokenizer.encode(&spaced)?.len() == 1;
                        known.insert(word, whole);
                        whole
                    }
                };
                words += 1;
                single += usize::from(whole);
            }
            lab.pause().await;
        }
        all.push(Fertility {
            tokens_per_byte: tokens as f64 / bytes.max(1) as f64,
            tokens_per_word: tokens as f64 / words.max(1) as f64,
            single_token_words: single as f64 / words.max(1) as f64,
            words,
        });
    }
    Ok(all)
}
