//! What quantization does to the hidden states themselves: how far each layer's states move, for each language; whether
//! translations of one text still lie beside each other; and what a linear probe can still read off (document 003).

mod figures;
mod findings;
mod report;
mod settings;
pub mod verdicts;

pub use figures::*;
pub use report::*;
pub use settings::*;
pub use verdicts::{Claim, Verdict, claimed_layer};

/// How the lab knows it.
pub const ABOUT: crate::lab::About = crate::lab::About {
    group: "Inside",
    path: "representation",
    title: "Representation",
    measures: "what happens to hidden states",
    of_one_model: true,
};
