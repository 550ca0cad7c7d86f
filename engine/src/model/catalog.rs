//! What the site ships: models and corpora.

use serde::{Deserialize, Serialize};

use super::{
    card::{self, Card},
    error::ModelError,
    source::{DESCRIPTION_LIMIT, Source, check_name},
};

/// Where a site keeps its list of models.
pub const FILE: &str = "models/catalog.json";
/// A picker with more would be of no use.
const MOST_MODELS: usize = 64;

/// `models/catalog.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogFile {
    /// Loaded when the page opens.
    pub default: String,
    /// Folder names.
    pub models: Vec<String>,
}

/// The catalog with the models' cards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// Loaded when the page opens.
    pub default: String,
    /// In the file's order.
    pub models: Vec<Card>,
}

impl Catalog {
    /// The catalog of a site, with the card of every model in it.
    pub async fn read(site: &impl Source) -> Result<Catalog, ModelError> {
        let file: CatalogFile = site.read_json(FILE, DESCRIPTION_LIMIT).await?;
        if file.models.len() > MOST_MODELS {
            return Err(wrong("models", format!("a list of {}", file.models.len()), format!("at most {MOST_MODELS}")));
        }
        if !file.models.contains(&file.default) {
            return Err(wrong("default", format!("\"{}\"", file.default), "a name in the list of models".into()));
        }
        let mut models = Vec::new();
        for name in &file.models {
            check_name(FILE, name)?;
            let path = format!("models/{name}/{}", card::FILE);
            let card: Card = site.read_json(&path, DESCRIPTION_LIMIT).await?;
            if card.name != *name {
                return Err(ModelError::WrongValue {
                    file: path,
                    key: "name".into(),
                    came: format!("\"{}\"", card.name),
                    expected: format!("\"{name}\", as its folder"),
                });
            }
            models.push(card);
        }
        Ok(Catalog { default: file.default, models })
    }
}

fn wrong(key: &str, came: String, expected: String) -> ModelError {
    ModelError::WrongValue { file: FILE.into(), key: key.into(), came, expected }
}
