//! How much each language uses each layer, and whether that goes with its loss (documents 002 and 004).

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
    group: "Inside",
    path: "activation",
    title: "Activation",
    measures: "who uses which layers",
    of_one_model: true,
};
