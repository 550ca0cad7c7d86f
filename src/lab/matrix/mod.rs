//! One weight matrix, seen: before rounding, after it, and the difference, cell by cell. Only the cells leave the engine.

mod figures;
mod findings;
mod report;
mod settings;

pub use figures::*;
pub use report::*;
pub use settings::*;

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Weights",
    path: "matrix",
    title: "Matrix",
    measures: "what rounding does to one matrix",
    of_one_model: true,
};
