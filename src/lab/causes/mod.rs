//! Why a language loses more than another: tokenization T, alignment A, redundancy R and degradation D of each language, the
//! path model T → A → R → D between them (document 000, theorem 4; document 001, theory 4), and the simulated model beside it.

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
    path: "causes",
    title: "Causes",
    measures: "what goes before a loss",
    of_one_model: true,
};
