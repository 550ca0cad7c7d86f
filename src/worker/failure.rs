//! Why an operation of the lead ended without its result.

use super::pool::PoolError;
use crate::{analysis::AnalysisError, arch::ArchError, model::ModelError};

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
            PoolError::Failed(sentence) | PoolError::Lost(sentence) => Failure::Said(sentence),
            PoolError::Cancelled => Failure::Silent,
        }
    }
}

/// The fault, and what can be done about it.
impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Failure {
        let what_to_do = error.what_to_do();
        Failure::Said(if what_to_do.is_empty() { error.to_string() } else { format!("{error}. {what_to_do}") })
    }
}

impl From<ArchError> for Failure {
    fn from(error: ArchError) -> Failure {
        match error {
            ArchError::Config(fault) => fault.into(),
            ArchError::TooLarge(sentence) => Failure::TooLarge(sentence),
            fault @ (ArchError::Unknown(_)
            | ArchError::Unsupported { .. }
            | ArchError::Rope(_)
            | ArchError::RopeField(_)
            | ArchError::Missing(_)
            | ArchError::Shape { .. }) => Failure::Said(format!("{fault}. Choose another model.")),
            fault => Failure::Said(fault.to_string()),
        }
    }
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Failure {
        match error {
            AnalysisError::Cancelled => Failure::Silent,
            AnalysisError::Model(fault) => fault.into(),
            AnalysisError::Arch(fault) => fault.into(),
            fault => Failure::Said(fault.to_string()),
        }
    }
}
