//! The bit sweep: what every width costs whom, under several clipping rules, and how fast the cost falls from bit to bit (seed
//! 004, section 5.1; document 003's rate–distortion view).

mod critical;
mod figures;
mod findings;
mod report;
mod settings;
pub mod verdicts;

pub use critical::Critical;
pub use figures::*;
pub use report::*;
pub use settings::*;
pub use verdicts::{Claim, Verdict};

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Damage",
    path: "bits",
    title: "Bits",
    measures: "what each bit buys",
    of_one_model: true,
};
