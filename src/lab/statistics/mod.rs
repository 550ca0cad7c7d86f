//! What figures can say together: correlations, plain and partial, groups set against each other, what one row does to them, the
//! power there was, and p corrected for all tests of a named family.

mod check;
mod figures;
mod findings;
mod names;
mod report;
mod settings;
pub mod verdicts;

pub use check::{FiguresError, MOST_COLUMNS, MOST_EARLIER, MOST_LETTERS, MOST_ROWS};
pub use figures::*;
pub use report::*;
pub use settings::*;
pub use verdicts::{Claim, Verdict};

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Causes",
    path: "statistics",
    title: "Statistics",
    measures: "what figures can say together",
    of_one_model: false,
};
