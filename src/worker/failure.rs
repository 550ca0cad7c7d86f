//! Why an operation of the coordinator ended without its result.

use super::pool::{FEWER, PoolError};
use crate::{
    arch::ArchError,
    backend::RELOAD_OR_CPU,
    lab::AnalysisError,
    model::{ModelError, OF_THE_SITE},
    report::labels::{as_sentence, with_step},
};

/// Why an operation ended without its result.
pub enum Failure {
    /// A sentence for the person.
    Said(String),
    /// The model is larger than what there is for it, as a sentence.
    TooLarge(String),
    /// It was cancelled; whoever cancelled it has answered.
    Silent,
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Failure {
        match error {
            PoolError::Failed(sentence) => Failure::Said(sentence),
            PoolError::Lost(clause) => Failure::told(clause, RELOAD_OR_CPU),
            PoolError::Died(clause) => Failure::told(clause, FEWER),
            PoolError::Cancelled => Failure::Silent,
        }
    }
}

/// The fault, and what can be done about it. It begins with the name of a file, so it is left as it is.
impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Failure {
        Failure::Said(with_step(&error.to_string(), error.what_to_do()))
    }
}

impl From<ArchError> for Failure {
    fn from(error: ArchError) -> Failure {
        match error {
            ArchError::Backend(fault) => Failure::told(&fault, fault.what_to_do()),
            fault => Failure::Said(with_step(&fault.to_string(), fault.what_to_do())),
        }
    }
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Failure {
        match error {
            AnalysisError::Cancelled => Failure::Silent,
            AnalysisError::Arch(fault) => fault.into(),
            AnalysisError::Worker(sentence) => Failure::Said(sentence),
            fault @ (AnalysisError::Model(_) | AnalysisError::NoTokenizer) => {
                Failure::Said(with_step(&fault.to_string(), fault.what_to_do()))
            }
            fault => Failure::told(&fault, fault.what_to_do()),
        }
    }
}

impl Failure {
    /// A clause that names no file, as a sentence, and what can be done about it.
    pub fn told(clause: impl ToString, step: &str) -> Failure {
        Failure::Said(with_step(&as_sentence(&clause.to_string()), step))
    }

    /// As it is shown.
    pub fn sentence(self) -> String {
        match self {
            Failure::Said(sentence) | Failure::TooLarge(sentence) => sentence,
            Failure::Silent => "It was cancelled.".into(),
        }
    }

    /// A file that the site itself should have: whoever loads the page has typed no address that could be wrong.
    pub fn of_site(error: &ModelError) -> Failure {
        Failure::Said(with_step(&error.to_string(), OF_THE_SITE))
    }
}
