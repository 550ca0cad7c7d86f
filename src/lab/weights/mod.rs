//! How the model's weights are spread: moments, tails and histogram of every weight matrix and of every layer.

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
    path: "weights",
    title: "Weights",
    measures: "how the weights are spread",
    of_one_model: true,
};
