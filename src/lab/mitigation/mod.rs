//! What helps: ways of rounding at one bit-width side by side, each with what it costs whom (document 002, strategies A to C).

mod claims;
mod figures;
mod findings;
mod report;
mod settings;

pub use figures::*;
pub use report::*;
pub use settings::*;

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Remedies",
    path: "mitigation",
    title: "Mitigation",
    measures: "what helps",
    of_one_model: true,
};
