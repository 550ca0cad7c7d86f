//! Screening: does the loaded model meet what document 004 says disparity needs (section 2.3), what does its decision rule advise
//! (7.2), and does what is measured agree (5.4)?

mod conditions;
mod figures;
mod findings;
pub mod models;
mod report;
mod settings;
pub mod verdicts;

pub use conditions::{Advice, Condition, Needed};
pub use figures::*;
pub use report::*;
pub use settings::*;
pub use verdicts::{Claim, Verdict};

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Causes",
    path: "screening",
    title: "Screening",
    measures: "whether to expect disparity",
    of_one_model: true,
};
