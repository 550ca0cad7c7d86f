//! How much a language could lose and still be understood: its redundancy R, measured in each way in which the theory defines it,
//! and whether the loss goes with 1/R (documents 000 and 001, theorem 1 and its corollary).

mod figures;
mod findings;
mod report;
mod settings;
pub mod verdicts;

pub use figures::*;
pub use report::*;
pub use settings::*;
pub use verdicts::{Claim, SEED_OBSERVED, SEED_PREDICTED, Verdict};

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Inside",
    path: "redundancy",
    title: "Redundancy",
    measures: "how much a language could lose",
    of_one_model: true,
};
