//! How much each language uses each layer, and whether that goes with its loss (documents 002 and 004).

mod claims;
mod findings;
mod measure;
mod report;
mod settings;

pub use measure::*;
pub use report::*;
pub use settings::*;

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Inside",
    path: "activation",
    title: "Activation",
    measures: "who uses which layers",
    of_one_model: true,
};
