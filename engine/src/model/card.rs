//! A model's card: what it was trained on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::ModelError,
    source::{DESCRIPTION_LIMIT, Source, check_digest, parse_json},
};

/// Where a model folder keeps its card.
pub const FILE: &str = "card.json";

/// `card.json` beside a checkpoint. Fields that the lab does not use are left unread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Folder's name.
    pub name: String,
    /// One line for the picker.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// What one may do with its weights.
    #[serde(default)]
    pub licence: Option<String>,
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

/// Times as many bytes of the most seen language as of the least seen, below which a mix is even.
const EVEN: f64 = 1.25;

/// How much of a language the model saw in training, from its card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Upper third of the trained languages by bytes seen.
    High,
    /// Middle third; or any language of a model that saw all of its languages about equally.
    Middle,
    /// Lower third.
    Low,
    /// Not in the training text: its D(λ) is noise and stays out of the disparity figures.
    Unseen,
    /// The model has no card.
    Unknown,
}

impl Resource {
    /// Level of a language for a model that may have a card.
    pub fn of(card: Option<&Card>, code: &str) -> Resource {
        card.map_or(Resource::Unknown, |card| card.resource(code))
    }
}

impl Card {
    /// The card of a model folder, where it has one.
    pub async fn read_if_there(source: &impl Source) -> Result<Option<Card>, ModelError> {
        let bytes = source.read_if_there(FILE, DESCRIPTION_LIMIT).await?;
        bytes.map(|bytes| parse_json(FILE, &bytes)).transpose()
    }

    /// Languages that the model saw, with how many bytes of each, most first.
    fn trained(&self) -> Vec<(&str, u64)> {
        let seen = self.languages.iter().map(|(code, language)| (code.as_str(), language.bytes_seen));
        let mut trained: Vec<(&str, u64)> = seen.filter(|(_, bytes)| *bytes > 0).collect();
        trained.sort_by_key(|(code, bytes)| (std::cmp::Reverse(*bytes), *code));
        trained
    }

    /// Whether all trained languages were seen about equally; then none of them is high- or low-resource.
    pub fn even(&self) -> bool {
        let trained = self.trained();
        match (trained.first(), trained.last()) {
            (Some((_, most)), Some((_, least))) => (*most as f64) < EVEN * *least as f64,
            _ => true,
        }
    }

    /// Level of a language: thirds of the trained languages by bytes seen, equal ones by code, unless all were seen about
    /// equally. The thirds at the ends are rounded to the nearest whole number of languages.
    pub fn resource(&self, code: &str) -> Resource {
        let trained = self.trained();
        let third = if self.even() { 0 } else { (trained.len() + 1) / 3 };
        match trained.iter().position(|(trained, _)| *trained == code) {
            None => Resource::Unseen,
            Some(rank) if rank < third => Resource::High,
            Some(rank) if rank >= trained.len() - third => Resource::Low,
            Some(_) => Resource::Middle,
        }
    }

    /// Training bytes of a language; a language that the card does not name was not seen.
    pub fn bytes_seen(&self, code: &str) -> u64 {
        self.languages.get(code).map_or(0, |language| language.bytes_seen)
    }

    /// Whether a file is the one that the card describes; true too where the card says nothing of it.
    pub fn check_file(&self, file: &str, sha256: &str) -> Result<(), ModelError> {
        check_digest(file, "the card", self.files.get(file).map(String::as_str), sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(seen: &[(&str, u64)]) -> Card {
        let language = |bytes_seen| CardLanguage {
            bytes_seen,
            tokens_seen: 0,
            fertility: None,
            help_bpb: None,
            ngram5_bpb: None,
            udhr_bpb: None,
        };
        Card {
            name: "m".into(),
            title: String::new(),
            description: String::new(),
            licence: None,
            parameters: 1,
            languages: seen.iter().map(|(code, bytes)| (code.to_string(), language(*bytes))).collect(),
            kurtosis: Vec::new(),
            files: BTreeMap::from([("model.safetensors".into(), "AB".into())]),
        }
    }

    #[test]
    fn levels_are_thirds_of_the_trained_languages() {
        use Resource::*;
        let levels = |seen: &[(&str, u64)]| {
            let card = card(seen);
            seen.iter().map(|(code, _)| card.resource(code)).collect::<Vec<_>>()
        };
        assert_eq!(
            levels(&[("a", 9), ("b", 1), ("c", 5), ("d", 0), ("e", 7), ("f", 2), ("g", 4)]),
            [High, Low, Middle, Unseen, High, Low, Middle]
        );
        assert_eq!(levels(&[("a", 3), ("b", 3), ("c", 4)]), [Middle, Low, High]);
        // A mix that was meant to be even differs by a few bytes.
        assert_eq!(levels(&[("a", 1000), ("b", 1003), ("c", 998), ("d", 0)]), [Middle, Middle, Middle, Unseen]);
        assert_eq!(levels(&[("a", 3), ("b", 4)]), [Low, High]);
        assert_eq!(levels(&[("a", 3)]), [Middle]);
        assert_eq!(card(&[("a", 3)]).resource("zzz"), Unseen);
        assert_eq!(Resource::of(None, "a"), Unknown);
    }

    #[test]
    fn a_file_of_another_digest_is_refused() {
        let card = card(&[]);
        assert_eq!(card.check_file("model.safetensors", "ab"), Ok(()));
        assert_eq!(card.check_file("other", "cd"), Ok(()));
        assert_eq!(
            card.check_file("model.safetensors", "cd").unwrap_err().to_string(),
            "model.safetensors: its SHA-256 is cd, the card says AB"
        );
    }
}
