//! What the person has chosen: a value for each place that some analysis declares, as JSON has it; numbers are kept as typed, so
//! that a half-typed one is not corrected. Settings of an analysis are these values, and nothing is converted there and back.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::lab::settings::{Around, Key, Texts, flat, gather, spread};
use crate::protocol::{Config, Kind};
use crate::report::{Card, CorpusCard, Resource, labels};

/// A value for each place.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen(BTreeMap<&'static str, Value>);

impl Default for Chosen {
    /// The defaults, as they are declared.
    fn default() -> Chosen {
        let mut all = Chosen(BTreeMap::new());
        for kind in Kind::ALL {
            let default = Config::of(*kind, Value::Object(Default::default())).map(|config| config.settings());
            for (place, value) in spread(&kind.settings(), &default.unwrap_or_default()) {
                all.0.entry(place).or_insert_with(|| value.clone());
            }
        }
        all
    }
}

impl Chosen {
    /// What is chosen at a place; its default where that is half typed.
    ///
    /// # Panics
    /// If no analysis declares the place.
    pub fn get<T: DeserializeOwned>(&self, key: Key<T>) -> T {
        let own = self.0.get(key.place).and_then(|value| T::deserialize(value).ok());
        own.unwrap_or_else(|| T::deserialize(&Chosen::default().0[key.place]).expect("a default is of its type"))
    }

    /// Chooses.
    pub fn set<T: Serialize>(&mut self, key: Key<T>, value: T) {
        self.put(key.place, serde_json::to_value(value).unwrap_or_default());
    }

    /// The same in passing.
    pub fn with<T: Serialize>(mut self, key: Key<T>, value: T) -> Chosen {
        self.set(key, value);
        self
    }

    /// Keeps what was typed or chosen at a place.
    pub fn put(&mut self, place: &'static str, value: Value) {
        self.0.insert(place, value);
    }

    /// Each place and its value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(place, value)| (*place, value))
    }

    /// What the page of an analysis asks, or what is wrong with the choices, as a sentence.
    pub fn config(&self, kind: Kind, around: &Around) -> Result<Config, String> {
        asked(kind, around, &|place| self.0.get(place).cloned())
    }

    /// Takes over settings, such as a link carries.
    pub fn adopt(&mut self, config: &Config) {
        for (place, value) in spread(&config.kind().settings(), &config.settings()) {
            self.put(place, value.clone());
        }
    }

    /// Takes over what another look at the same thing changes. Which languages a text is looked at in is chosen for all pages,
    /// so a look that reads fewer of them does not take the others away.
    pub fn look_at(&mut self, config: &Config) {
        let Config::Tokens(look) = config else { return self.adopt(config) };
        if look.corpus == self.get(Texts::KEYS.corpus) {
            self.set(crate::lab::tokens::Config::KEYS.unit, look.unit);
        }
    }

    /// What was kept of a visit, over what is here. What cannot be read, or is no setting, changes nothing.
    pub fn restore(&mut self, kept: &str) {
        let kept: BTreeMap<String, Value> = serde_json::from_str(kept).unwrap_or_default();
        for kind in Kind::ALL {
            for setting in flat(&kind.settings()) {
                let Some(value) = kept.get(setting.place) else { continue };
                let before = self.0.insert(setting.place, value.clone());
                let read = gather(&kind.settings(), &|place| self.0.get(place).cloned());
                if let (Err(_), Some(before)) = (read.and_then(|json| Config::of(*kind, json)), before) {
                    self.0.insert(setting.place, before);
                }
            }
        }
    }
}

/// What an analysis is asked with these values, fitted to the site and the model; or what is wrong, as a sentence.
pub fn asked(kind: Kind, around: &Around, kept: &impl Fn(&'static str) -> Option<Value>) -> Result<Config, String> {
    let fitted = || {
        let mut config = Config::of(kind, gather(&kind.settings(), kept)?)?;
        config.settle(around)?;
        config.check().map(|()| config)
    };
    fitted().map_err(|fault| labels::with_step(&labels::as_sentence(&fault.to_string()), fault.what_to_do()))
}

/// Languages of a corpus that the model was trained on; all of them where it has no card.
pub fn trained(corpus: &CorpusCard, card: Option<&Card>) -> BTreeSet<String> {
    let seen = |code: &str| Resource::of(card, code) != Resource::Unseen;
    corpus.languages.iter().map(|language| &language.code).filter(|code| seen(code)).cloned().collect()
}

#[cfg(test)]
pub(super) mod tests;
