//! The outlier dial, do(κ): the same function with heavier and heavier tails, and what quantization then costs whom.

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
    path: "dial",
    title: "Dial",
    measures: "what heavier tails do",
    of_one_model: true,
};
