//! What the page and the worker say to each other. Versioned: a page and a worker of different builds refuse each other.

use serde::{Deserialize, Serialize};

pub use crate::arch::preview::{How, Preview, Room};
use crate::arch::tensors::Part;
pub use crate::backend::{
    choose::Wanted,
    cpu::{FUSED, is_cpu},
};
pub use crate::lab::origin::Origin;
pub use crate::lab::rounding::Rounding;
pub use crate::lab::{Config, Kind, Needs, Report};
use crate::math::moments::Summary;
pub use crate::model::files::Files;
pub use crate::model::hub::HOST as USUAL_HUB;
use crate::model::{card::Card, catalog::Catalog, corpus::CorpusCard};
pub use crate::report::progress::{Progress, Step};

/// Both sides are built from one source; a stale cached worker shows here.
pub use crate::lab::origin::VERSION;

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
    /// Say what a model is, from its config and headers alone.
    Preview {
        /// As of [`Request::Load`].
        url: String,
        /// Address of the hub.
        hub: String,
    },
    /// Stream a model in.
    Load {
        /// A folder's URL, absolute or relative to the base; a model of a hub, as a [`Place`](crate::share::Place) is written; or
        /// [`LOCAL`] and a name, for the files that came with the message.
        url: String,
        /// Address of the hub.
        #[serde(default = "usual_hub")]
        hub: String,
        /// Held, packed or looked through.
        #[serde(default)]
        how: How,
        /// What the person is about to run: matrices are packed so as they land, where only that is held of them.
        #[serde(default)]
        rounding: Option<Rounding>,
    },
    /// Say what models are kept in this browser.
    Kept,
    /// Drop kept models.
    Remove {
        /// Their names.
        names: Vec<String>,
    },
    /// Run an analysis.
    Run {
        /// Names this run in events.
        id: u64,
        /// What to measure.
        config: Box<Config>,
    },
    /// Say whether a search with these settings was begun on this model and not ended.
    Begun {
        /// The search.
        config: Box<Config>,
    },
    /// Say something, whatever is under way.
    Alive,
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

/// How the address of files of this device begins; the folder's name follows.
pub const LOCAL: &str = "files:";

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
    /// The answer to [`Request::Preview`], or why there is none, as a sentence.
    Preview(Result<Previewed, String>),
    /// The answer to [`Request::Kept`] and [`Request::Remove`].
    Kept(Keeping),
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
    /// The matrices of a layer are all in.
    Layer {
        /// The block.
        layer: usize,
        /// All its weight matrices as one.
        summary: Summary,
    },
    /// The model can be run.
    Loaded(Box<Loaded>),
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
    /// The answer to [`Request::Begun`].
    Begun {
        /// The search.
        config: Box<Config>,
        /// Whether there are notes that it would go on from.
        begun: bool,
    },
    /// A run or load was stopped at the person's wish.
    Cancelled,
    /// The answer to [`Request::Alive`], once every pool member has answered too.
    Alive,
    /// What was under way came to nothing, and the model that was there before it is there still.
    StillThere,
    /// Something failed; the engine is still there.
    Failed {
        /// One sentence that names the file or the setting and the fault.
        message: String,
    },
    /// Result of a [`Request::Bench`].
    Bench(BenchResult),
}

/// A model before it is loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Previewed {
    /// What to load: of a hub's model, with its commit.
    pub url: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub preview: Preview,
    /// What this device has for it.
    pub room: Room,
}

/// What is kept in this browser.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Keeping {
    /// The model that was used longest ago comes first.
    pub models: Vec<KeptModel>,
    /// Bytes that the site has in this browser, where the browser says.
    pub used: Option<u64>,
    /// Bytes that the browser allows it. Some browsers say more than they then give.
    pub allowed: Option<u64>,
    /// The model that was last loaded, where there was no room to keep all of it.
    pub unkept: Option<String>,
}

/// A model that is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptModel {
    /// Its name.
    pub name: String,
    /// Bytes of its files that are there.
    pub bytes: u64,
    /// When it was last read, in milliseconds since 1970.
    pub read: f64,
}

/// A tensor as it lands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TensorLanded {
    /// Name in the checkpoint.
    pub name: String,
    /// Shape.
    pub shape: Vec<usize>,
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
    /// What weight matrices its blocks have.
    pub parts: Vec<Part>,
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
    /// The model by its files.
    pub files: Files,
    /// The place of a hub's model, with its commit.
    pub found: Option<String>,
    /// The card, where the folder has one.
    pub card: Option<Card>,
    /// Who holds what of it.
    pub how: How,
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
    /// The best in exact mode, where the CPU computes.
    pub exact_milliseconds: Option<f64>,
    /// 1000·tokens/milliseconds.
    pub tokens_per_second: f64,
    /// How many rounds the best was taken of.
    pub rounds: usize,
    /// Arithmetic rate of the best round: 2 · multiply-adds of matmuls and attention.
    pub gflops: f64,
}
