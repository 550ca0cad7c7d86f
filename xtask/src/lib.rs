//! The project's commands and the parts of them that the tests share; see `main.rs` for the commands.

pub mod bench;
pub mod checks;
pub mod chromium;
pub mod debian;
pub mod deny;
pub mod hashed;
pub mod licences;
pub mod lint;
pub mod memory;
pub mod minute;
pub mod offline;
pub mod others;
pub mod page;
pub mod run;
pub mod server;
pub mod sources;
pub mod spent;
pub mod squeeze;
pub mod tools;
pub mod vulkan;

use std::path::{Path, PathBuf};

/// Everything that can go wrong in a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program could not be started.
    #[error("`{program}` could not be started: {source}")]
    Start {
        /// Its name.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program ended badly.
    #[error("`{command}` ended with {status}")]
    Ended {
        /// The command line.
        command: String,
        /// How.
        status: std::process::ExitStatus,
    },
    /// Something that must be on this machine is not.
    #[error("{0}")]
    Missing(String),
    /// Cargo.lock names no such package.
    #[error("Cargo.lock has no package `{0}`; run cargo once so that it is written")]
    Unlocked(String),
    /// The command line was not understood.
    #[error("{0}")]
    Usage(String),
    /// A measurement did not come back.
    #[error("{what} gave no measurement within {seconds} seconds")]
    Silent {
        /// What was measured.
        what: String,
        /// How long was waited.
        seconds: u64,
    },
    /// A measurement came back as something else.
    #[error("{what} gave what is not a measurement: {text}")]
    Unreadable {
        /// What was measured.
        what: String,
        /// What came.
        text: String,
    },
    /// A file or socket failed.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// Result of a command.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Names what was tried when an I/O error came.
    pub fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}

/// The workspace's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands inside the workspace")
}

/// Cargo's output folder, where tools and measurements are kept too.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}
