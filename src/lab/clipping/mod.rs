//! Where the grid should end: MSE(α) in its two parts on the real weights, what every rule pays, the fit of f(κ, B), and
//! Theorem 2's α per language.

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
    group: "Weights",
    path: "clipping",
    title: "Clipping",
    measures: "where the grid should end",
    of_one_model: true,
};
