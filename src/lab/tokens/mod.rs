//! What each token pays: the loss of every token of one text, before and after rounding, in every language.

mod figures;
mod findings;
mod report;
mod settings;

pub use figures::*;
pub use report::*;
pub use settings::*;

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Damage",
    path: "tokens",
    title: "Tokens",
    measures: "what each token pays",
    of_one_model: true,
};
