//! What figures can say together: correlations, plain and partial, groups set against each other, what one row does to them, the
//! power there was, and p corrected for all tests of a named family.

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
    path: "statistics",
    title: "Statistics",
    measures: "what figures can say together",
    of_one_model: false,
};
