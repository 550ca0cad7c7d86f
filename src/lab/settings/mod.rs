//! What an analysis is asked, declared once: a setting's name, label, default and range stand in the `settings!` of its analysis, and
//! its control on the page, its check, its place in links and files and its schema follow.
//!
//! A setting has a name in JSON and a *place*, under which the page keeps what was chosen. Settings of several analyses that name
//! one place are one choice: who chooses 4 bits on one page has them on every page.

mod control;
mod declare;
mod groups;

use std::marker::PhantomData;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::AnalysisError;
use crate::model::corpus::CorpusCard;

pub use control::{Control, Offer, flag, number, numbers, one_of, own, several_of, text, whole};
pub(crate) use declare::settings;
pub use groups::{
    REFERENCE, Resampling, THRESHOLD, Texts, USUAL_PERMUTATIONS, permutations, reference_among, settle_languages,
    threshold, titled,
};

/// One setting, or a group of them that several analyses have.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// In JSON.
    pub name: &'static str,
    /// Under which the page keeps it.
    pub place: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What it does, where the label does not say it.
    pub help: &'static str,
    /// What it may be, and how it is chosen.
    pub control: Control,
    /// Whether it stands under “More”: few people change it.
    pub aside: bool,
}

impl Setting {
    /// The same with an explanation.
    pub fn help(self, help: &'static str) -> Setting {
        Setting { help, ..self }
    }

    /// The same under “More”.
    pub fn aside(self) -> Setting {
        Setting { aside: true, ..self }
    }

    /// Where it is declared.
    pub(crate) fn standing(self, name: &'static str, place: &'static str) -> Setting {
        Setting { name, place, ..self }
    }

    /// What was kept of it, as JSON has it: a number may have been kept as it was typed.
    fn read(&self, kept: Value) -> Result<Value, AnalysisError> {
        let read = self.control.typed(&kept).unwrap_or(kept);
        self.check(&read).map(|()| read)
    }

    fn check(&self, value: &Value) -> Result<(), AnalysisError> {
        match self.control.wants(value) {
            None => Ok(()),
            Some(wanted) => Err(AnalysisError::Setting { label: self.label.into(), came: shown(value), wanted }),
        }
    }
}

/// A value as a person reads it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().take(MOST_LETTERS).collect(),
        other => other.to_string().chars().take(MOST_LETTERS).collect(),
    }
}

/// Letters of a wrong value that a sentence repeats.
const MOST_LETTERS: usize = 40;

/// A place and the type of what is kept there.
#[derive(Debug)]
pub struct Key<T> {
    /// See [`Setting::place`].
    pub place: &'static str,
    of: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    /// Of a place.
    pub const fn at(place: &'static str) -> Key<T> {
        Key { place, of: PhantomData }
    }
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Key<T> {
        *self
    }
}

impl<T> Copy for Key<T> {}

/// Settings whose declaration is known; `settings!` writes this.
pub trait Declared: Default + Serialize + DeserializeOwned {
    /// Each, in the order of the declaration.
    fn settings() -> Vec<Setting>;

    /// Refuses what lies out of its range, with a sentence.
    fn check_ranges(&self) -> Result<(), AnalysisError> {
        let value = serde_json::to_value(self).expect("settings are numbers, strings and lists");
        check(&Self::settings(), &value)
    }
}

/// A group that several analyses have.
pub(crate) fn group<G: Declared>(name: &'static str) -> Setting {
    let control = Control::Group(G::settings());
    Setting { name, place: name, label: "", help: "", control, aside: false }
}

fn check(settings: &[Setting], value: &Value) -> Result<(), AnalysisError> {
    settings.iter().try_for_each(|setting| match &setting.control {
        Control::Group(of) => check(of, &value[setting.name]),
        _ => setting.check(&value[setting.name]),
    })
}

/// Each setting, those of groups too.
pub fn flat(settings: &[Setting]) -> Vec<&Setting> {
    let mut all = Vec::new();
    for setting in settings {
        match &setting.control {
            Control::Group(of) => all.extend(flat(of)),
            _ => all.push(setting),
        }
    }
    all
}

/// JSON of settings, from what is kept at their places. What is not kept is left out, and has its default.
pub fn gather(settings: &[Setting], kept: &impl Fn(&'static str) -> Option<Value>) -> Result<Value, AnalysisError> {
    let mut all = Map::new();
    for setting in settings {
        let value = match &setting.control {
            Control::Group(of) => Some(gather(of, kept)?),
            _ => kept(setting.place).map(|kept| setting.read(kept)).transpose()?,
        };
        all.extend(value.map(|value| (setting.name.to_string(), value)));
    }
    Ok(Value::Object(all))
}

/// The way back: each value of the JSON, with its place.
pub fn spread<'a>(settings: &[Setting], value: &'a Value) -> Vec<(&'static str, &'a Value)> {
    let each = |setting: &Setting| match &setting.control {
        Control::Group(of) => spread(of, &value[setting.name]),
        _ => vec![(setting.place, &value[setting.name])],
    };
    settings.iter().flat_map(each).collect()
}

/// What a page knows when it asks: settings are fitted to it before they are run.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Texts of the site.
    pub corpora: &'a [CorpusCard],
    /// Layers of the model; 0 while there is none.
    pub layers: usize,
}

#[cfg(test)]
mod tests;
