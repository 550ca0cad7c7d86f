//! What a coordinator and its members say to each other.

use serde::{Deserialize, Serialize};

use crate::{
    arch::{
        recipe::{Quantization, Recipe},
        walk::ProtectedPart,
    },
    backend::choose::Wanted,
    lab::{hidden_states::Looks, plan::Taps},
    math::sets::{Branch, Family},
    model::tokenizer::{About, Besides, Cut, Part},
    protocol::Profile,
};

/// Coordinator → member.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Open a device; before that there is none.
    Open {
        /// What the person wants.
        wanted: Wanted,
        /// Take the time of each kernel.
        profile: bool,
    },
    /// The time of each kernel since this was last asked.
    Profile,
    /// Begin a model; what was there is dropped.
    Model {
        /// Text of config.json.
        config: String,
        /// Hold what recipes pack, and ask for the rest where a pass needs it.
        packed: bool,
    },
    /// A tensor of it; its floats come as the parcel's buffer.
    Tensor {
        /// Name in the file.
        name: String,
        /// Shape in the file.
        shape: Vec<usize>,
    },
    /// Pack a tensor ahead of the recipe that asks for it; its floats come as the parcel's buffer and are not held.
    Pack {
        /// Its name.
        name: String,
        /// How.
        how: Quantization,
    },
    /// Tell a tensor's values in full precision; the answer's buffer holds them.
    Read {
        /// Its name.
        name: String,
    },
    /// What [`Answer::Need`] of the same number asked for; its floats come as the parcel's buffer.
    Values {
        /// Why they do not come.
        fault: Option<String>,
    },
    /// The weights of the jobs to come.
    Recipes(Vec<Recipe>),
    /// Texts under one of the recipes; the answer's buffer holds their figures.
    Job {
        /// Index into the recipes.
        recipe: usize,
        /// Tokens.
        texts: Vec<Vec<u32>>,
        /// What is to be seen of each.
        taps: Taps,
    },
    /// The protection sets of a family beyond a branch, over texts; the answer's buffer holds their nats in the order of the
    /// tree.
    Walk {
        /// Index into the recipes: every block quantized.
        recipe: usize,
        /// What protection keeps.
        kept: ProtectedPart,
        /// The sets.
        family: Family,
        /// Of them those beyond.
        branch: Branch,
        /// Tokens.
        texts: Vec<Vec<u32>>,
        /// Bytes for states.
        budget: usize,
    },
    /// Texts of one language under all recipes; the answer's buffer holds what their hidden states show.
    Study {
        /// What is to be seen.
        looks: Looks,
        /// Tokens.
        texts: Vec<Vec<u32>>,
    },
    /// One forward pass over a sequence, timed by the coordinator.
    Sequence {
        /// Tokens.
        tokens: Vec<u32>,
        /// With fused products, whatever the device usually does.
        fused: bool,
    },
    /// Read a tokenizer; the parcel's buffers are its file and, where the folder has them, its settings.
    Tokenizer {
        /// Tokens of its model.
        vocabulary: usize,
    },
    /// Cut texts with it.
    Cut {
        /// The texts.
        texts: Vec<String>,
        /// What is wanted of them.
        besides: Besides,
    },
    /// Answer at once, whatever is being run.
    Alive,
    /// Forget every request up to this number, also the one being run.
    Cancel,
}

/// Member → coordinator.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// It is done; results are in the buffer.
    Done,
    /// A device is being opened; the answer is still to come.
    Opening {
        /// Steps done.
        done: usize,
        /// Steps in all.
        total: usize,
    },
    /// It is open.
    Opened {
        /// `cpu`, `fused` or `webgpu`.
        backend: String,
        /// Why this one.
        why: String,
    },
    /// Where the time went.
    Profiled(Profile),
    /// The tokenizer was read.
    Tokenizer(About),
    /// A part of it is next; the answer is still to come.
    At(Part),
    /// Texts were cut.
    Cut(Vec<Cut>),
    /// A tensor's values are in the buffer.
    Values,
    /// A tensor that is not held is needed; the number is the member's own, and the answer is still to come.
    Need {
        /// Its name.
        name: String,
    },
    /// It could not be done, as a sentence.
    Failed(String),
    /// The device is gone, or has no memory left: what was asked can be asked again on another.
    Lost(String),
    /// It was cancelled.
    Cancelled,
}
