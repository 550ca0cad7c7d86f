//! Aligned texts: unit i says the same in every language.

use serde::{Deserialize, Serialize};

use super::{
    config::shortened,
    error::ModelError,
    source::{DESCRIPTION_LIMIT, Source, check_digest, check_name, parse_json, sha256},
};

/// Where a site keeps its list of corpora.
pub const FILE: &str = "corpora/catalog.json";
/// A choice among more would be of no use.
const MOST_CORPORA: usize = 64;
/// Bound on one language's file: the shipped ones are under 50 kB, a book is a few MB.
const TEXTS_LIMIT: u64 = 16 << 20;

/// `corpora/catalog.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogFile {
    /// Folder names; the first is chosen when the page opens.
    pub corpora: Vec<String>,
}

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

impl CorpusCard {
    /// The card of a site's corpus.
    pub async fn read(site: &impl Source, name: &str) -> Result<CorpusCard, ModelError> {
        check_name("corpora", name)?;
        let path = format!("corpora/{name}/card.json");
        let card: CorpusCard = site.read_json(&path, DESCRIPTION_LIMIT).await?;
        card.check(&path, name)?;
        Ok(card)
    }

    /// The cards of every corpus that the site lists.
    pub async fn read_all(site: &impl Source) -> Result<Vec<CorpusCard>, ModelError> {
        let file: CatalogFile = site.read_json(FILE, DESCRIPTION_LIMIT).await?;
        if file.corpora.is_empty() || file.corpora.len() > MOST_CORPORA {
            return Err(ModelError::WrongValue {
                file: FILE.into(),
                key: "corpora".into(),
                came: format!("a list of {}", file.corpora.len()),
                expected: format!("1 to {MOST_CORPORA}"),
            });
        }
        let mut cards = Vec::new();
        for name in &file.corpora {
            cards.push(CorpusCard::read(site, name).await?);
        }
        Ok(cards)
    }

    /// One of its languages.
    pub fn language(&self, code: &str) -> Result<&CorpusLanguage, ModelError> {
        let unknown = || ModelError::UnknownLanguage {
            file: format!("corpora/{}/card.json", self.name),
            code: code.chars().take(40).collect(),
        };
        self.languages.iter().find(|language| language.code == code).ok_or_else(unknown)
    }

    /// The texts of one language, as the card describes them.
    pub async fn texts(&self, site: &impl Source, code: &str) -> Result<Texts, ModelError> {
        let language = self.language(code)?;
        let file = format!("corpora/{}/{}", self.name, language.file);
        let bytes = site.read(&file, TEXTS_LIMIT).await?;
        check_digest(&file, "the card", Some(&language.sha256), &sha256(&bytes))?;
        let texts: Texts = parse_json(&file, &bytes)?;
        if texts.code != code {
            return Err(wrong(&file, "code", &texts.code, code));
        }
        if texts.units.len() != self.units {
            return Err(ModelError::UnitCount { file, expected: self.units, came: texts.units.len() });
        }
        if let Some(unit) = texts.units.iter().position(|unit| unit.trim().is_empty()) {
            return Err(ModelError::EmptyUnit { file, unit });
        }
        let held: u64 = texts.units.iter().map(|unit| unit.len() as u64).sum();
        if held != language.bytes {
            return Err(ModelError::WrongValue {
                file,
                key: "the text of all units".into(),
                came: format!("{held} bytes"),
                expected: format!("{} by the card", language.bytes),
            });
        }
        Ok(texts)
    }

    fn check(&self, file: &str, name: &str) -> Result<(), ModelError> {
        if self.name != name {
            return Err(wrong(file, "name", &self.name, name));
        }
        if self.units == 0 {
            return Err(ModelError::WrongValue {
                file: file.into(),
                key: "units".into(),
                came: "0".into(),
                expected: "at least 1".into(),
            });
        }
        for (i, language) in self.languages.iter().enumerate() {
            if self.languages[..i].iter().any(|other| other.code == language.code) {
                return Err(ModelError::DuplicateLanguage { file: file.into(), code: language.code.clone() });
            }
            if !matches!(language.direction.as_str(), "ltr" | "rtl") {
                let key = format!("direction of {}", language.code);
                return Err(wrong(file, &key, &language.direction, "ltr\" or \"rtl"));
            }
            check_name(file, &language.code)?;
            check_name(file, &language.file)?;
        }
        Ok(())
    }
}

fn wrong(file: &str, key: &str, came: &str, expected: &str) -> ModelError {
    ModelError::WrongValue {
        file: file.into(),
        key: key.into(),
        came: format!("\"{}\"", shortened(came)),
        expected: format!("\"{expected}\""),
    }
}
