//! Four models that differ in two things only, the mix of languages in their training text and in their tokenizer's: what either
//! does to the loss of each language, and whether they do it together. Here something was changed on purpose, so a difference is
//! an effect and not a correlation.

mod figures;
mod findings;
mod report;
mod settings;
pub mod verdicts;

pub use figures::*;
pub use report::*;
pub use settings::*;
pub use verdicts::{Claim, Verdict};

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Causes",
    path: "family",
    title: "Family",
    measures: "what data and tokenizer do",
    of_one_model: false,
};
