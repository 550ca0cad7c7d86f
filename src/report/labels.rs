//! What settings and levels are called, in one place for the page, the exports and the command line.

use super::Resource;
use super::format;
use super::progress::Step;
use crate::arch::tensors::Part;
pub use crate::backend::OUR_FAULT;
use crate::math::clipping::Rule;
use crate::math::quantizer::Granularity;

/// Codes of languages that have one of two letters, with it: browsers and programs that read aloud know them by that.
#[rustfmt::skip]
const TAGS: [(&str, &str); 36] = [
    ("amh", "am"), ("ara", "ar"), ("ben", "bn"), ("ces", "cs"), ("deu", "de"), ("dzo", "dz"), ("ell", "el"), ("eng", "en"),
    ("eus", "eu"), ("fin", "fi"), ("fra", "fr"), ("heb", "he"), ("hin", "hi"), ("ind", "id"), ("ita", "it"), ("jpn", "ja"),
    ("kat", "ka"), ("khm", "km"), ("kor", "ko"), ("nld", "nl"), ("orm", "om"), ("pol", "pl"), ("por", "pt"), ("rus", "ru"),
    ("spa", "es"), ("swa", "sw"), ("swe", "sv"), ("tam", "ta"), ("tha", "th"), ("tur", "tr"), ("ukr", "uk"), ("urd", "ur"),
    ("vie", "vi"), ("yor", "yo"), ("zho", "zh"), ("zul", "zu"),
];

/// The tag of a language as HTML wants it: the shortest code that there is.
pub fn tag(code: &str) -> &str {
    TAGS.iter().find(|(known, _)| *known == code).map_or(code, |(_, tag)| tag)
}

/// What a step of a run counts: `48 matrices`, `1 pass`.
pub fn counted_step(step: Step, total: usize) -> String {
    let (one, many) = match step {
        Step::Tensors => ("matrix", "matrices"),
        Step::Passes => ("pass", "passes"),
        Step::Sets => ("walk", "walks"),
        Step::Tests => ("test", "tests"),
        Step::Models => ("model", "models"),
    };
    format!("{} {}", format::count(total as u64), if total == 1 { one } else { many })
}

/// A resource level as a table cell.
pub fn resource(level: Resource) -> &'static str {
    match level {
        Resource::High => "high",
        Resource::Middle => "middle",
        Resource::Low => "low",
        Resource::Unseen => "unseen",
        Resource::Unknown => "not stated",
    }
}

/// A resource level as a legend entry.
pub fn resource_long(level: Resource) -> &'static str {
    match level {
        Resource::High => "high-resource",
        Resource::Middle => "middle",
        Resource::Low => "low-resource",
        Resource::Unseen => "unseen in training",
        Resource::Unknown => "resource level not stated",
    }
}

/// Every rule, in the order of the page.
pub const RULES: [Rule; Rule::ALL.len()] = Rule::ALL;

/// A clipping rule's name.
pub fn rule(rule: Rule) -> &'static str {
    rule.label()
}

/// What a clipping rule does.
pub fn rule_explained(rule: Rule) -> &'static str {
    rule.sentence()
}

/// What a weight matrix is to its block.
pub fn part(part: Part) -> &'static str {
    match part {
        Part::Qkv => "attention q, k, v",
        Part::Query => "attention q",
        Part::Key => "attention k",
        Part::Value => "attention v",
        Part::Out => "attention out",
        Part::CrossQuery => "cross-attention q",
        Part::CrossKey => "cross-attention k",
        Part::CrossValue => "cross-attention v",
        Part::CrossOut => "cross-attention out",
        Part::In => "scan in",
        Part::Select => "scan selection",
        Part::Step => "scan steps",
        Part::ScanOut => "scan out",
        Part::Gate => "MLP gate",
        Part::Up => "MLP up",
        Part::Down => "MLP down",
    }
}

/// The same as a name on the page and in files.
pub fn part_key(part: Part) -> &'static str {
    match part {
        Part::Qkv => "qkv",
        Part::Query => "query",
        Part::Key => "key",
        Part::Value => "value",
        Part::Out => "out",
        Part::CrossQuery => "cross_query",
        Part::CrossKey => "cross_key",
        Part::CrossValue => "cross_value",
        Part::CrossOut => "cross_out",
        Part::In => "scan_in",
        Part::Select => "scan_select",
        Part::Step => "scan_step",
        Part::ScanOut => "scan_out",
        Part::Gate => "gate",
        Part::Up => "up",
        Part::Down => "down",
    }
}

/// A clipping rule as a name on the page and in files.
pub fn rule_key(rule: Rule) -> &'static str {
    rule.key()
}

/// Every granularity, in the order of the page.
pub const GRANULARITIES: [Granularity; 5] =
    [Granularity::Tensor, Granularity::Channel, Granularity::Group128, Granularity::Group64, Granularity::Group32];

/// A granularity's name.
pub fn granularity(granularity: Granularity) -> &'static str {
    match granularity {
        Granularity::Tensor => "weight matrix",
        Granularity::Channel => "output channel",
        Granularity::Group128 => "group of 128 weights",
        Granularity::Group64 => "group of 64 weights",
        Granularity::Group32 => "group of 32 weights",
    }
}

/// A clause with a capital at its beginning and a full stop at its end. A symbol at its beginning stays as it is: r is not R.
pub fn as_sentence(clause: &str) -> String {
    let clause = clause.trim();
    let mut letters = clause.chars();
    let first = letters.next();
    let word = letters.clone().next().is_some_and(char::is_alphabetic) || clause.starts_with("a ");
    let first: String = match first {
        Some(first) if word => first.to_uppercase().collect(),
        first => first.into_iter().collect(),
    };
    let end = if clause.is_empty() || clause.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// A fault and what can be done about it; the fault alone, as it is, where there is nothing to add.
pub fn with_step(fault: &str, step: &str) -> String {
    match step {
        "" => fault.to_string(),
        step if fault.ends_with(['.', '!', '?']) => format!("{fault} {step}"),
        step => format!("{fault}. {step}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_begins_with_a_capital_and_a_symbol_stays() {
        assert_eq!(as_sentence("a fault, "), "A fault,.");
        assert_eq!(as_sentence(" disparity is 0.1"), "Disparity is 0.1.");
        assert_eq!(as_sentence("r(R̂, D) = 0.1"), "r(R̂, D) = 0.1.");
        assert_eq!(
            (as_sentence("n = 3."), as_sentence("κ is 4"), as_sentence("")),
            ("n = 3.".into(), "κ is 4.".into(), "".into())
        );
    }

    #[test]
    fn a_fault_is_followed_by_what_can_be_done() {
        assert_eq!(with_step("config.json: is empty", "Get it anew."), "config.json: is empty. Get it anew.");
        assert_eq!(with_step("It is empty.", "Get it anew."), "It is empty. Get it anew.");
        assert_eq!(with_step("stopped", ""), "stopped");
    }

    #[test]
    fn a_clause_becomes_a_sentence() {
        assert_eq!(as_sentence("exact mode: the same bits"), "Exact mode: the same bits.");
        assert_eq!(as_sentence("Done."), "Done.");
        assert_eq!(as_sentence(""), "");
    }
}
