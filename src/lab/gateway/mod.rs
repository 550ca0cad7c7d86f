//! Gateway layers: every protection set of the sizes asked for, exactly, ranked by disparity (document 000, theorem 3).

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
    path: "gateway",
    title: "Gateway",
    measures: "which layers to protect",
    of_one_model: true,
};
