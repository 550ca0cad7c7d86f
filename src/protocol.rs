//! What the page and the worker say to each other. Versioned: a page and a worker of different builds refuse each other.

use serde::{Deserialize, Serialize};

pub use crate::analysis::lab::{Progress, Step};
pub use crate::analysis::{Config, Kind, Needs, Report};
pub use crate::backend::choose::Wanted;
use crate::math::moments::Summary;
pub use crate::model::hub::HOST as USUAL_HUB;
use crate::model::{card::Card, catalog::Catalog, corpus::CorpusCard};

/// Both sides are built from one source; a stale cached worker shows here.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Page → worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// First message: where the site's files are (`document.baseURI`) and how many pool members to use (0: choose).
    Start {
        /// Absolute URL of the page's folder.
        base: String,
        /// Pool size, 0 for one per core, at most 8.
        workers: usize,
        /// What to compute on.
        backend: Wanted,
        /// Take the time of each kernel.
        profile: bool,
        /// Compute again what was computed before, as whoever measures time wants it.
        #[serde(default)]
        afresh: bool,
    },
    /// Stream a model in.
    Load {
        /// A folder's URL, absolute or relative to the base; or a model of a hub, as a [`Place`](crate::share::Place) is written.
        url: String,
        /// Address of the hub.
        #[serde(default = "usual_hub")]
        hub: String,
    },
    /// Run an analysis.
    Run {
        /// Names this run in events.
        id: u64,
        /// What to measure.
        config: Box<Config>,
    },
    /// Stop a run or a load.
    Cancel,
    /// Time the forward pass of a model folder.
    Bench {
        /// The folder.
        url: String,
        /// Tokens per sequence.
        tokens: usize,
    },
}

fn usual_hub() -> String {
    USUAL_HUB.into()
}

/// Worker → page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The worker's first word: from here on it hears. A page sends nothing before it.
    Booted {
        /// Must equal the page's [`VERSION`].
        version: String,
    },
    /// A device is being opened: its kernels are compiled and checked.
    Opening {
        /// Steps done.
        done: usize,
        /// Steps in all.
        total: usize,
    },
    /// The answer to [`Request::Start`].
    Ready {
        /// Must equal the page's [`VERSION`].
        version: String,
        /// Backend in use: `cpu` or `webgpu`.
        backend: String,
        /// Why this backend, as a sentence.
        why: String,
        /// Pool members.
        workers: usize,
    },
    /// The device was lost or ran out of memory; what was under way goes on elsewhere.
    Moved {
        /// What happened, as a sentence.
        sentence: String,
        /// Backend from now on.
        backend: String,
        /// Why this backend.
        why: String,
        /// Pool members.
        workers: usize,
    },
    /// Time of each kernel in a run or a measurement that has just ended.
    Profile(Profile),
    /// What the site offers.
    Catalog {
        /// Models, with their cards.
        catalog: Catalog,
        /// Corpora, with their cards.
        corpora: Vec<CorpusCard>,
    },
    /// Bytes of a load so far.
    Loading {
        /// Bytes in.
        bytes: u64,
        /// Bytes in all, where known.
        total: Option<u64>,
        /// Seconds since the load began.
        seconds: f64,
    },
    /// A tensor's last byte is in.
    Tensor(TensorLanded),
    /// The model can be run.
    Loaded(Loaded),
    /// Something that the person may want to know; what was under way goes on.
    Note {
        /// What.
        sentence: String,
    },
    /// Part of a run is done.
    Progress {
        /// The run.
        id: u64,
        /// How far its present step is.
        progress: Progress,
        /// Seconds since the run began.
        seconds: f64,
        /// Seconds since the step began.
        step_seconds: f64,
    },
    /// What a long run has found so far, as a report that is not whole yet.
    Partial {
        /// The run.
        id: u64,
        /// Its report.
        report: Box<Report>,
        /// Seconds since the run began.
        seconds: f64,
    },
    /// A run's report.
    Finished {
        /// The run.
        id: u64,
        /// Its report.
        report: Box<Report>,
        /// `share::digest` of it, which takes the page too long for the largest searches.
        digest: Option<String>,
        /// Seconds it took.
        seconds: f64,
    },
    /// A run or load was stopped at the person's wish.
    Cancelled,
    /// Something failed; the engine is still there.
    Failed {
        /// One sentence that names the file or the setting and the fault.
        message: String,
    },
    /// Result of a [`Request::Bench`].
    Bench(BenchResult),
}

/// A tensor with its statistics, as it lands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TensorLanded {
    /// Name in the checkpoint.
    pub name: String,
    /// Shape.
    pub shape: Vec<usize>,
    /// Block it belongs to, if any.
    pub layer: Option<usize>,
    /// Whether quantization touches it (a block's weight matrix).
    pub quantizable: bool,
    /// n, mean, σ, κ, largest, shares beyond 3σ and 6σ.
    pub summary: Summary,
    /// The same for the weight matrices of its layer so far, merged.
    pub layer_summary: Option<Summary>,
}

/// A loaded model in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// Folder's name.
    pub name: String,
    /// `gpt2`, …
    pub architecture: String,
    /// Blocks.
    pub layers: usize,
    /// Channels.
    pub width: usize,
    /// Longest input.
    pub context: usize,
    /// Tokens known.
    pub vocabulary: usize,
    /// Parameters.
    pub parameters: u64,
    /// Bytes fetched.
    pub bytes: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// SHA-256 of the checkpoint.
    pub sha256: String,
    /// The place of a hub's model, with its commit.
    pub found: Option<String>,
    /// The card, where the folder has one.
    pub card: Option<Card>,
}

/// Where the time of a run went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// How the times were taken, as a sentence.
    pub how: String,
    /// The longest first.
    pub kernels: Vec<KernelRow>,
}

/// One kernel of a [`Profile`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelRow {
    /// Its stem.
    pub name: String,
    /// How often it ran.
    pub runs: u64,
    /// Together.
    pub milliseconds: f64,
}

/// Time of a forward pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchResult {
    /// Folder measured.
    pub model: String,
    /// Backend.
    pub backend: String,
    /// Sequences side by side.
    pub workers: usize,
    /// Tokens per sequence.
    pub tokens: usize,
    /// Best time per sequence: losses of all positions computed, loading not counted.
    pub milliseconds: f64,
    /// 1000·tokens/milliseconds.
    pub tokens_per_second: f64,
    /// How many rounds the best was taken of.
    pub rounds: usize,
    /// Arithmetic rate of the best round: 2 · multiply-adds of matmuls and attention.
    pub gflops: f64,
}
