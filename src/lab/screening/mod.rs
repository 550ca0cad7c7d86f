//! Screening: does the loaded model meet what document 004 says disparity needs (section 2.3), what does its decision rule advise
//! (7.2), and does what is measured agree (5.4)?

mod findings;
mod measure;
mod report;
mod settings;

pub use measure::*;
pub use report::*;
pub use settings::*;

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Causes",
    path: "screening",
    title: "Screening",
    measures: "whether to expect disparity",
    of_one_model: true,
};
