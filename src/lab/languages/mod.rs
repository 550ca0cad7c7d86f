//! Which languages pay: D(λ) and Δ bits per byte for each language, with paired intervals.

mod figures;
mod findings;
mod report;
pub mod sentence;
mod settings;

pub use figures::*;
pub use report::*;
pub use settings::*;

/// How the lab knows it.
pub const ABOUT: crate::lab::About =
    crate::lab::About { group: "Damage", path: "", title: "Languages", measures: "who pays", of_one_model: true };
