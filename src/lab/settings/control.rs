//! What a setting may be, and so how it is chosen.

use serde::Serialize;
use serde_json::Value;

use super::Setting;

/// How a setting is chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum Control {
    /// A whole number.
    Whole {
        /// Smallest.
        least: u64,
        /// Largest.
        most: u64,
    },
    /// Any number.
    Number {
        /// Smallest.
        least: f64,
        /// Largest.
        most: f64,
    },
    /// Whole numbers, written as `0-3, 7`.
    Numbers {
        /// Largest.
        most: u64,
    },
    /// Yes or no.
    Flag,
    /// A line of text.
    Text,
    /// One of these.
    OneOf(Vec<Offer>),
    /// At least so many of these.
    SeveralOf {
        /// Least.
        least: usize,
        /// From which.
        of: Vec<Offer>,
    },
    /// The page has a control of its own for it, and its type says what it may be.
    Own,
    /// Settings that several analyses have together.
    Group(Vec<Setting>),
}

/// What can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// In JSON.
    pub value: Value,
    /// As a person reads it.
    pub title: String,
    /// What it means, where the title does not say it.
    pub help: &'static str,
}

impl Offer {
    /// As elements of the page and flags call it.
    pub fn key(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

impl Control {
    /// What was typed, as JSON has it; none where nothing can be made of it.
    pub(super) fn typed(&self, kept: &Value) -> Option<Value> {
        let text = kept.as_str()?.trim().replace('−', "-");
        match self {
            Control::Whole { .. } => text.parse::<u64>().ok().map(Value::from),
            Control::Number { .. } => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
            Control::Numbers { most } => listed(&text, *most).map(Value::from),
            _ => None,
        }
    }

    /// What is wanted, as the end of a sentence, where it is not this.
    pub(super) fn wants(&self, value: &Value) -> Option<String> {
        let (holds, wanted) = match self {
            Control::Whole { least, most } => {
                let bounds = if *most == u64::MAX { String::new() } else { format!(" from {least} to {most}") };
                (
                    value.as_u64().is_some_and(|number| (*least..=*most).contains(&number)),
                    format!("a whole number{bounds}"),
                )
            }
            Control::Number { least, most } => {
                let wanted = match (least.is_finite(), most.is_finite()) {
                    (true, true) => format!("a number from {least} to {most}"),
                    (true, false) => format!("a finite number, {least} or more"),
                    _ => "a finite number".to_string(),
                };
                (value.as_f64().is_some_and(|number| (*least..=*most).contains(&number) && number.is_finite()), wanted)
            }
            Control::Numbers { most } => {
                let within = |number: &Value| number.as_u64().is_some_and(|number| number <= *most);
                let holds = value.as_array().is_some_and(|all| all.iter().all(within));
                (holds, "numbers and ranges, such as 0-3, 7".to_string())
            }
            Control::SeveralOf { least, of } => {
                let all: &[Value] = value.as_array().map_or(&[], Vec::as_slice);
                let twice = (1..all.len()).any(|at| all[..at].contains(&all[at]));
                let known = all.iter().all(|value| offered(of, value));
                (all.len() >= *least && !twice && known, format!("{least} or more of {}, each once", keys(of)))
            }
            Control::OneOf(of) => (offered(of, value), format!("one of {}", keys(of))),
            Control::Flag => (value.is_boolean(), "true or false".to_string()),
            Control::Text | Control::Own | Control::Group(_) => return None,
        };
        (!holds).then_some(wanted)
    }
}

fn offered(of: &[Offer], value: &Value) -> bool {
    of.iter().any(|offer| offer.value == *value)
}

fn keys(of: &[Offer]) -> String {
    of.iter().map(Offer::key).collect::<Vec<_>>().join(", ")
}

/// Numbers written as `0-3, 7`, ascending and each once.
fn listed(text: &str, most: u64) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once(['-', '–']).unwrap_or((part, part));
        let (from, to) = (from.trim().parse::<u64>().ok()?, to.trim().parse::<u64>().ok()?);
        if from > to || to > most {
            return None;
        }
        all.extend(from..=to);
    }
    all.sort_unstable();
    all.dedup();
    (!all.is_empty()).then_some(all)
}

fn declared(label: &'static str, control: Control) -> Setting {
    Setting { name: "", place: "", label, help: "", control, aside: false }
}

/// A whole number within bounds.
pub fn whole(label: &'static str, least: u64, most: u64) -> Setting {
    declared(label, Control::Whole { least, most })
}

/// A number within bounds.
pub fn number(label: &'static str, least: f64, most: f64) -> Setting {
    declared(label, Control::Number { least, most })
}

/// A list of whole numbers.
pub fn numbers(label: &'static str, most: u64) -> Setting {
    declared(label, Control::Numbers { most })
}

/// Yes or no.
pub fn flag(label: &'static str) -> Setting {
    declared(label, Control::Flag)
}

/// A line of text.
pub fn text(label: &'static str) -> Setting {
    declared(label, Control::Text)
}

/// One of these.
pub fn one_of(label: &'static str, of: Vec<Offer>) -> Setting {
    declared(label, Control::OneOf(of))
}

/// Several of these.
pub fn several_of(label: &'static str, least: usize, of: Vec<Offer>) -> Setting {
    declared(label, Control::SeveralOf { least, of })
}

/// Whatever its type allows, with a control of the page's own.
pub fn own(label: &'static str) -> Setting {
    declared(label, Control::Own)
}

impl Offer {
    /// Of a value.
    pub fn of(value: impl Serialize, title: impl Into<String>, help: &'static str) -> Offer {
        let value = serde_json::to_value(value).expect("a choice is a word or a number");
        Offer { value, title: title.into(), help }
    }
}
