//! What ends the program before its end.

use std::path::PathBuf;

use crate::{
    arch::ArchError,
    backend::OUR_FAULT,
    lab::{AnalysisError, gateway::shards::PartError},
    model::ModelError,
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
    /// Flags that no run can be made of.
    #[error(transparent)]
    Flags(Box<AnalysisError>),
    /// Only searches over protection sets are long enough to be cut.
    #[error("--shard is for searches over protection sets; this is a run of {0}")]
    NoShards(&'static str),
    /// Parts that do not make a whole.
    #[error(transparent)]
    Part(#[from] PartError),
    /// A result that cannot be written.
    #[error("{0}: {1}")]
    Output(PathBuf, std::io::Error),
    /// The program, or a library that it uses, panicked.
    #[error("the program broke off: {0}")]
    Broke(String),
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
            | Failure::Flags(_)
            | Failure::NoShards(_)
            | Failure::OtherHost(_)
            | Failure::Encrypted(_) => USAGE,
            Failure::Part(PartError::Analysis(_)) => FAILED,
            Failure::Part(_) => USAGE,
            _ => FAILED,
        }
    }

    /// What a person can do about it on a command line, as a sentence; nothing where the fault says it itself.
    pub fn what_to_do(&self) -> &'static str {
        match self {
            Failure::Input { .. } => "Check its path, and that it is what the command takes (fairbits --help).",
            Failure::Link(LinkError::Version(_)) => {
                "Get a newer version of this program, or ask for a link of version 1."
            }
            Failure::Link(LinkError::NoRoom { .. }) => "Pass the report's file on instead.",
            Failure::Link(LinkError::Settings(_)) => "Choose them on the page, and share that link.",
            Failure::Link(LinkError::Place(_)) => "Name one with --folder, where the command takes it.",
            Failure::Link(LinkError::Page(_)) => "Copy the link again, all of it.",
            Failure::Link(fault) => fault.what_to_do(),
            Failure::NoModel | Failure::OtherHost(_) | Failure::Encrypted(_) => "",
            Failure::NoDevice(_) => "Leave --backend wgpu out to compute on the CPU.",
            Failure::Arch(fault) => about_model(fault),
            Failure::Analysis(fault) => about_run(fault),
            Failure::Flags(_) => "The same command with --help names its flags.",
            Failure::NoShards(_) => "Leave --shard out.",
            Failure::Part(PartError::None) => "Name the files that run --shard wrote.",
            Failure::Part(PartError::Other { .. }) => {
                "Join shards of one run only, with the --model and --site that they had."
            }
            Failure::Part(PartError::Twice { .. }) => "Name each shard once.",
            Failure::Part(PartError::Missing { .. }) => "Run those with --shard, and name all the files.",
            Failure::Part(PartError::Pieces { .. }) => "Run that shard again.",
            Failure::Part(PartError::Analysis(fault)) => about_run(fault),
            Failure::Broke(_) => OF_PROGRAM,
            Failure::Output(..) => {
                "Check that the folder of --out is there, and that it can be written to and has room."
            }
        }
    }

    /// A file, and what is wrong with it.
    pub(super) fn input(file: impl ToString, fault: impl ToString) -> Failure {
        Failure::Input { file: file.to_string(), fault: fault.to_string() }
    }
}

/// Where the program contradicts itself.
const OF_PROGRAM: &str = "This is a fault of the program itself: report it with the sentence above.";

/// About the model or the device. What the page says of them names its own buttons.
fn about_model(fault: &ArchError) -> &'static str {
    match fault {
        ArchError::Config(ModelError::CutShort { .. } | ModelError::HubUnreadable { .. }) => {
            "Check the network, and run it again."
        }
        ArchError::Config(ModelError::NotFound { .. } | ModelError::Status { .. } | ModelError::Unreadable { .. }) => {
            "Check --model and --site: a model's folder has config.json and model.safetensors in it."
        }
        ArchError::Config(ModelError::OutOfMemory { .. }) => "Run it on a machine with more memory.",
        ArchError::Backend(fault) if fault.what_to_do() == OUR_FAULT => OF_PROGRAM,
        ArchError::Backend(_) => "Leave --backend wgpu out to compute on the CPU.",
        ArchError::NoSuchLayer { .. }
        | ArchError::NoSuchTurn { .. }
        | ArchError::NoJoint { .. }
        | ArchError::Turned { .. } => "Change that in the settings.",
        ArchError::Config(_)
        | ArchError::Unknown(_)
        | ArchError::Unsupported { .. }
        | ArchError::Rope(_)
        | ArchError::Missing(_)
        | ArchError::Shape { .. } => "Get the file anew, or name another model with --model.",
        ArchError::NotQuantizable(_) | ArchError::Numbers { .. } => OF_PROGRAM,
    }
}

fn about_run(fault: &AnalysisError) -> &'static str {
    match fault {
        AnalysisError::Arch(fault) => about_model(fault),
        AnalysisError::Model(
            ModelError::NotFound { .. } | ModelError::Status { .. } | ModelError::Unreadable { .. },
        ) => "Check --site: the site's folder has the corpora and models in it.",
        AnalysisError::Model(_) => "Get the file anew, or name another folder with --model or --site.",
        AnalysisError::NoTokenizer => "Put the model's tokenizer.json into its folder.",
        AnalysisError::NotFinite { which: "quantized", .. } => "Choose more bits, or another clipping rule.",
        AnalysisError::NotFinite { .. } => "Choose other texts, or name another model with --model.",
        AnalysisError::Cancelled | AnalysisError::Worker(_) => "",
        _ => "Change that in the settings.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: where the sentence itself names no flag to add, a step is told; and no step names what only the page has.
    #[test]
    fn every_ending_says_what_to_do() {
        let missing = || ModelError::NotFound { file: "config.json".into(), place: "x".into() };
        let endings = [
            Failure::input("a.json", "is empty"),
            Failure::Link(LinkError::NoRun),
            Failure::Link(LinkError::Version("9".into())),
            Failure::Link(LinkError::NoRoom { most: 1 }),
            Failure::NoDevice("none".into()),
            Failure::NoShards("weights"),
            Failure::Flags(Box::new(AnalysisError::NoLanguages)),
            ArchError::Unknown("x".into()).into(),
            ArchError::Config(missing()).into(),
            ArchError::Backend(crate::backend::BackendError::Lost { reason: "x".into() }).into(),
            AnalysisError::NoLanguages.into(),
            AnalysisError::Model(missing()).into(),
            Failure::Part(PartError::Missing { missing: "1".into(), of: 2 }),
            Failure::Output("x".into(), std::io::Error::other("x")),
            Failure::Broke("x".into()),
        ];
        for failure in endings {
            let step = failure.what_to_do();
            assert!(step.ends_with('.'), "{failure}: {step}");
            assert!(!step.contains("page") && !step.contains("#/"), "{failure}: {step}");
        }
        for failure in [Failure::NoModel, Failure::OtherHost("x".into())] {
            assert!(failure.to_string().contains("add --model"), "{failure}");
        }
    }
}
