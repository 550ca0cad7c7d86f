//! What the engine, the model and a run go through, as the page tells it.

use std::sync::Arc;

use crate::protocol::{Loaded, Previewed, Progress, Report};
use crate::report::Summary;

/// The worker as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    /// Asked to start, nothing heard yet.
    Starting,
    /// A device is being opened.
    Opening {
        /// Steps done.
        done: usize,
        /// Steps in all.
        total: usize,
    },
    /// Not heard of for longer than a download should take.
    Late,
    /// It answered.
    Ready {
        /// Backend in use.
        backend: String,
        /// Why this one.
        why: String,
        /// Pool members.
        workers: usize,
    },
    /// It failed again and again, or is of another version.
    Stopped,
}

/// The model.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// None asked for.
    None,
    /// On its way.
    Loading {
        /// Bytes in.
        bytes: u64,
        /// Bytes in all, where known.
        total: Option<u64>,
        /// Since the load began.
        seconds: f64,
    },
    /// Can be run.
    Loaded(Arc<Loaded>),
    /// Did not come.
    Failed,
}

/// A model that was there when another was asked for, as the page showed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Former {
    /// As it was asked for.
    pub url: Option<String>,
    /// What it is.
    pub loaded: Arc<Loaded>,
    /// Its layers.
    pub layers: Vec<Option<Summary>>,
    /// Its tensors, and the last one's name and shape.
    pub landed: (usize, String),
}

/// A model that may be loaded.
#[derive(Debug, Clone, PartialEq)]
pub enum NextModel {
    /// None was asked about.
    Nothing,
    /// The engine is asked what it is.
    Asked,
    /// What it is.
    Told(Arc<Previewed>),
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub enum Run {
    /// None under way.
    Idle,
    /// Under way.
    Running {
        /// Its number.
        id: u64,
        /// How far its present step is; none until the engine has said.
        progress: Option<Progress>,
        /// Since it began.
        seconds: f64,
        /// Since the step began.
        step_seconds: f64,
    },
    /// Asked to stop.
    Cancelling {
        /// Its number.
        id: u64,
    },
}

/// A finished run, or what a long one has found so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Its number.
    pub id: u64,
    /// Its report.
    pub report: Arc<Report>,
    /// Digest of a whole report that was computed in exact mode.
    pub digest: Option<String>,
    /// Seconds it took.
    pub seconds: f64,
    /// Whether the run has not come to its end.
    pub partial: bool,
    /// Whether it was read from a file, and nothing was computed here.
    pub from_file: bool,
}
