//! `config.json`: bounded, typed access with sentences; what its keys mean is the business of `arch`.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::{
    error::ModelError,
    source::{DESCRIPTION_LIMIT, Source, parse_json},
};

/// Where a model folder keeps its configuration.
pub const FILE: &str = "config.json";
/// Characters of a wrong value that are shown.
const SHOWN: usize = 60;

/// Keys that published files write as null, which then means: as usual. Any other null is a value of the wrong type.
const MAY_BE_NULL: [&str; 4] = ["head_dim", "n_inner", "num_key_value_heads", "rope_scaling"];

/// The keys of a `config.json`, or of an object in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    map: Map<String, Value>,
    /// The keys that lead to it, each with a dot after it.
    path: String,
}

impl Config {
    /// Reads `config.json` of a model folder.
    pub async fn read(source: &impl Source) -> Result<Config, ModelError> {
        Config::parse(&source.read(FILE, DESCRIPTION_LIMIT).await?)
    }

    /// From the file's bytes.
    pub fn parse(bytes: &[u8]) -> Result<Config, ModelError> {
        Ok(Config { map: parse_json(FILE, bytes)?, path: String::new() })
    }

    /// The value itself, unless it is missing or null.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// A whole number that must be there.
    pub fn whole(&self, key: &str, range: RangeInclusive<usize>) -> Result<usize, ModelError> {
        self.whole_if_there(key, range)?.ok_or_else(|| self.missing(key))
    }

    /// A whole number, if there.
    pub fn whole_if_there(&self, key: &str, range: RangeInclusive<usize>) -> Result<Option<usize>, ModelError> {
        self.typed(
            key,
            |value| value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| range.contains(n)),
            || format!("a whole number from {} to {}", range.start(), range.end()),
        )
    }

    /// A number that must be there.
    pub fn number(&self, key: &str, range: RangeInclusive<f64>) -> Result<f64, ModelError> {
        self.number_if_there(key, range)?.ok_or_else(|| self.missing(key))
    }

    /// A number, if there.
    pub fn number_if_there(&self, key: &str, range: RangeInclusive<f64>) -> Result<Option<f64>, ModelError> {
        self.typed(
            key,
            |value| value.as_f64().filter(|x| range.contains(x)),
            || format!("a number from {} to {}", range.start(), range.end()),
        )
    }

    /// A text that must be there.
    pub fn text(&self, key: &str) -> Result<&str, ModelError> {
        self.text_if_there(key)?.ok_or_else(|| self.missing(key))
    }

    /// A text, if there.
    pub fn text_if_there(&self, key: &str) -> Result<Option<&str>, ModelError> {
        self.typed(key, Value::as_str, || "a text".into())
    }

    /// True or false, if there.
    pub fn flag_if_there(&self, key: &str) -> Result<Option<bool>, ModelError> {
        self.typed(key, Value::as_bool, || "true or false".into())
    }

    /// An object that must be there.
    pub fn section(&self, key: &str) -> Result<Config, ModelError> {
        self.section_if_there(key)?.ok_or_else(|| self.missing(key))
    }

    /// An object, if there.
    pub fn section_if_there(&self, key: &str) -> Result<Option<Config>, ModelError> {
        let map = self.typed(key, Value::as_object, || "an object".into())?;
        Ok(map.map(|map| Config { map: map.clone(), path: format!("{}{key}.", self.path) }))
    }

    /// A list, if there.
    pub fn list_if_there(&self, key: &str) -> Result<Option<&[Value]>, ModelError> {
        self.typed(key, |value| value.as_array().map(Vec::as_slice), || "a list".into())
    }

    /// The sentence for a value that is well formed but cannot be used.
    pub fn wrong(&self, key: &str, expected: impl Into<String>) -> ModelError {
        match self.map.get(key) {
            None => self.missing(key),
            Some(value) => ModelError::WrongValue {
                file: FILE.into(),
                key: format!("{}{key}", self.path),
                came: shortened(&value.to_string()),
                expected: expected.into(),
            },
        }
    }

    fn typed<'a, T>(
        &'a self,
        key: &str,
        read: impl Fn(&'a Value) -> Option<T>,
        expected: impl Fn() -> String,
    ) -> Result<Option<T>, ModelError> {
        match self.map.get(key) {
            None => Ok(None),
            Some(Value::Null) if MAY_BE_NULL.contains(&key) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.wrong(key, expected())),
        }
    }

    fn missing(&self, key: &str) -> ModelError {
        ModelError::Missing { file: FILE.into(), key: format!("{}{key}", self.path) }
    }
}

/// A stranger's text, short enough for a sentence.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
