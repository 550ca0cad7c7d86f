//! Why an operation of the lead ended without its result.

use super::pool::PoolError;
use crate::{analysis::AnalysisError, arch::ArchError, model::ModelError};

/// Why an operation ended without its result.
pub enum Failure {
    /// A sentence for the person.
    Said(String),
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

macro_rules! said {
    ($($error:ty),*) => { $(impl From<$error> for Failure {
        fn from(error: $error) -> Failure { Failure::Said(error.to_string()) }
    })* };
}
said!(ModelError, ArchError);

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Failure {
        match error {
            AnalysisError::Cancelled => Failure::Silent,
            fault => Failure::Said(fault.to_string()),
        }
    }
}
