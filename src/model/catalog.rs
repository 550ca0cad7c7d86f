//! What the site ships: models and corpora.

use serde::{Deserialize, Serialize};

use super::card::Card;

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
