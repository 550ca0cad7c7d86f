//! What ends the program before its end.

use std::path::PathBuf;

use crate::{
    analysis::{AnalysisError, gateway::shards::PartError},
    arch::ArchError,
    share::LinkError,
};

/// The command line, a link or a file cannot be used as it is.
pub(super) const USAGE: u8 = 3;
/// The run failed.
const FAILED: u8 = 4;

/// A sentence, and an exit code.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file that cannot be read, or holds something else.
    #[error("{file}: {fault}")]
    Input {
        /// Its name.
        file: String,
        /// What is wrong with it.
        fault: String,
    },
    /// A link that cannot be read or made.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A model is needed, and nothing says which.
    #[error("no model is named: add --model with its folder or its address")]
    NoModel,
    /// A stranger's link does not decide which host is asked.
    #[error("the link's model lies at {0}; to fetch it from there, add --model {0}")]
    OtherHost(String),
    /// The native program has no encryption of its own.
    #[error("{0}: this program speaks plain http only; download the folder and give its path instead")]
    Encrypted(String),
    /// No graphics hardware that computes rightly.
    #[error("--backend wgpu: {0}")]
    NoDevice(String),
    /// From the model's files.
    #[error(transparent)]
    Arch(Box<ArchError>),
    /// From the run.
    #[error(transparent)]
    Analysis(Box<AnalysisError>),
    /// Only searches over protection sets are long enough to be cut.
    #[error("--shard is for searches over protection sets; this is a run of {0}")]
    NoShards(&'static str),
    /// Parts that do not make a whole.
    #[error(transparent)]
    Part(#[from] PartError),
    /// A result that cannot be written.
    #[error("{0}: {1}")]
    Output(PathBuf, std::io::Error),
}

impl From<ArchError> for Failure {
    fn from(fault: ArchError) -> Failure {
        Failure::Arch(Box::new(fault))
    }
}

impl From<AnalysisError> for Failure {
    fn from(fault: AnalysisError) -> Failure {
        Failure::Analysis(Box::new(fault))
    }
}

impl Failure {
    /// What the program ends with.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Input { .. }
            | Failure::Link(_)
            | Failure::NoModel
            | Failure::NoShards(_)
            | Failure::OtherHost(_)
            | Failure::Encrypted(_) => USAGE,
            Failure::Part(PartError::Analysis(_)) => FAILED,
            Failure::Part(_) => USAGE,
            _ => FAILED,
        }
    }

    /// A file, and what is wrong with it.
    pub(super) fn input(file: impl ToString, fault: impl ToString) -> Failure {
        Failure::Input { file: file.to_string(), fault: fault.to_string() }
    }
}
