//! Gateway layers: every protection set of the sizes asked for, exactly, ranked by disparity (document 000, theorem 3).

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
    group: "Remedies",
    path: "gateway",
    title: "Gateway",
    measures: "which layers to protect",
    of_one_model: true,
};
