//! The outlier dial, do(κ): the same function with heavier and heavier tails, and what quantization then costs whom.

mod findings;
mod measure;
mod report;
mod settings;

pub use measure::*;
pub use report::*;
pub use settings::*;

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Remedies",
    path: "dial",
    title: "Dial",
    measures: "what heavier tails do",
    of_one_model: true,
};
