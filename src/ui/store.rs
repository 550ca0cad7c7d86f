//! What is chosen, with a signal for each setting: a change of one is heard by what shows or needs that one.

use std::collections::BTreeMap;

use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::chosen::{Chosen, asked};
use crate::lab::settings::{Around, Key};
use crate::protocol::{Config, Kind};

/// A signal for each place.
#[derive(Clone, Copy)]
pub struct Store(StoredValue<BTreeMap<&'static str, RwSignal<Value>>>);

impl Default for Store {
    fn default() -> Store {
        let all = Chosen::default();
        Store(StoredValue::new(all.iter().map(|(place, value)| (place, RwSignal::new(value.clone()))).collect()))
    }
}

impl Store {
    fn signal(self, place: &'static str) -> Option<RwSignal<Value>> {
        self.0.with_value(|all| all.get(place).copied())
    }

    /// What is kept at a place: a number may be half typed.
    pub fn value(self, place: &'static str) -> Value {
        self.signal(place).map(|signal| signal.get()).unwrap_or_default()
    }

    /// What is chosen at a place; its default where that is half typed.
    pub fn get<T: DeserializeOwned>(self, key: Key<T>) -> T {
        T::deserialize(self.value(key.place)).unwrap_or_else(|_| Chosen::default().get(key))
    }

    /// Chooses.
    pub fn set<T: Serialize>(self, key: Key<T>, value: T) {
        self.put(key.place, serde_json::to_value(value).unwrap_or_default());
    }

    /// Chooses anew from what is chosen.
    pub fn update<T: Serialize + DeserializeOwned>(self, key: Key<T>, change: impl FnOnce(&mut T)) {
        let mut value = untrack(|| self.get(key));
        change(&mut value);
        self.set(key, value);
    }

    /// Keeps what was typed or chosen at a place. What is the same as before is heard by nobody.
    pub fn put(self, place: &'static str, value: Value) {
        if let Some(signal) = self.signal(place)
            && signal.with_untracked(|before| *before != value)
        {
            signal.set(value);
        }
    }

    /// Everything; whoever asks hears of every change.
    pub fn all(self) -> Chosen {
        let mut all = Chosen::default();
        self.0.with_value(|signals| signals.iter().for_each(|(place, signal)| all.put(place, signal.get())));
        all
    }

    /// Takes over all of these.
    pub fn take(self, all: &Chosen) {
        all.iter().for_each(|(place, value)| self.put(place, value.clone()));
    }

    /// Takes over settings, such as a link carries.
    pub fn adopt(self, config: &Config) {
        self.change(|all| all.adopt(config));
    }

    /// Takes over what a function makes of all.
    pub fn change(self, change: impl FnOnce(&mut Chosen)) {
        let mut all = untrack(|| self.all());
        change(&mut all);
        self.take(&all);
    }

    /// What the page of an analysis asks; whoever asks hears of changes in its own settings alone.
    pub fn config(self, kind: Kind, around: &Around) -> Result<Config, String> {
        asked(kind, around, &|place| self.signal(place).map(|signal| signal.get()))
    }
}
