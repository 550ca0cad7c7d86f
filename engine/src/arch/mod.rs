//! Architectures as data, and the one interpreter that runs them.
//!
//! To add one: a file like [`gpt2`] that turns a config into a [`spec::Spec`], a row in [`ARCHITECTURES`], and a golden
//! fixture. Quantization is a [`recipe::Recipe`] applied to the weights, never a second model.

mod attend;
pub mod batch;
pub mod bloom;
pub mod design;
pub mod dial;
mod equalization_sites;
mod fairseq;
mod fields;
pub mod flatten;
pub mod forward;
pub mod gemma3;
pub mod gpt2;
pub mod gpt_neox;
mod halves;
pub mod layer_stats;
pub mod llama;
pub mod load;
pub mod mamba;
pub mod mt5;
pub mod opt;
mod pass;
pub mod passes;
mod position_tables;
pub mod preview;
pub mod recipe;
mod rope;
mod scan;
pub mod scoring;
pub mod spec;
mod state_cache;
pub mod tensor_reader;
mod tensor_set;
pub mod tensors;
pub mod walk;
mod weight_cache;
pub mod weights;
pub mod xglm;
pub mod xlm_roberta;

use crate::{
    backend::{BackendError, OUR_FAULT},
    model::ModelError,
    model::config::Config,
};
use dial::{Joint, MOST_TURN, Turn};
use spec::Spec;

/// What can go wrong between a checkpoint and a forward pass.
#[derive(Debug, thiserror::Error)]
pub enum ArchError {
    /// No row for this `model_type`.
    #[error("config.json: model_type \"{0}\" is not supported; supported are {known}", known = known())]
    Unknown(String),
    /// A config field is missing or out of range.
    #[error(transparent)]
    Config(#[from] ModelError),
    /// A field asks for something the interpreter does not do; running without it would give wrong numbers.
    #[error("config.json: {field} = {value} is not supported")]
    Unsupported {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
    },
    /// A way of scaling rotary frequencies that the interpreter does not have.
    #[error("config.json: rope_scaling type '{0}' is not supported")]
    Rope(String),
    /// The checkpoint lacks a tensor.
    #[error("model.safetensors: tensor `{0}` is missing")]
    Missing(String),
    /// A tensor has another shape than the config implies.
    #[error("model.safetensors: tensor `{name}` has shape {given:?}, config.json implies {expected:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// Shape in the file.
        given: Vec<usize>,
        /// Shape by the config.
        expected: Vec<usize>,
    },
    /// A recipe names a tensor that is not a block's weight matrix.
    #[error("tensor `{0}` is not a weight matrix of a block and cannot be quantized")]
    NotQuantizable(String),
    /// A recipe's numbers do not fit its tensor.
    #[error("tensor `{name}` as `{format}` needs {needed} numbers, the recipe has {given}")]
    Numbers {
        /// The tensor.
        name: String,
        /// The name of its quantizer.
        format: String,
        /// Numbers that its blocks have.
        needed: usize,
        /// Numbers given.
        given: usize,
    },
    /// A recipe leaves out a layer that the model does not have.
    #[error("layer {layer} cannot be left out: the model has layers up to {last}", last = layers.saturating_sub(1))]
    NoSuchLayer {
        /// The layer.
        layer: usize,
        /// Layers there are.
        layers: usize,
    },
    /// A dial names a place that the model does not have, or turns it further than can be exact.
    #[error(
        "layer {l}, channel {c}, turned by 2^{e}: the model has layers up to {last} and channels up to {widest}, and a \
         turn is at most 2^±{MOST_TURN}",
        l = turn.layer, c = turn.channel, e = turn.exponent, last = layers - 1, widest = channels - 1
    )]
    NoSuchTurn {
        /// What was asked.
        turn: Turn,
        /// Layers there are.
        layers: usize,
        /// Channels there are.
        channels: usize,
    },
    /// A dial asks for a joint that the layer does not have.
    #[error("the outlier dial cannot turn {joint} of {layer}: {why}", joint = joint.name())]
    NoJoint {
        /// Which.
        joint: Joint,
        /// The layer, as a person calls it.
        layer: String,
        /// Why not.
        why: &'static str,
    },
    /// A turn would take a weight out of the range in which scaling is exact.
    #[error("tensor `{name}`: {value} times 2^{exponent} leaves the range in which scaling by a power of two is exact")]
    Turned {
        /// The tensor.
        name: String,
        /// The weight.
        value: f32,
        /// The turn.
        exponent: i32,
    },
    /// The device failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

impl ArchError {
    /// What a person can do about it on the page, as a sentence; nothing where the fault says it itself.
    pub fn what_to_do(&self) -> &'static str {
        use ArchError as E;
        match self {
            E::Config(fault) => fault.what_to_do(),
            E::Backend(fault) => fault.what_to_do(),
            E::Unknown(_) | E::Unsupported { .. } | E::Rope(_) | E::Missing(_) | E::Shape { .. } => {
                "Choose another model."
            }
            E::NoSuchLayer { .. } | E::NoSuchTurn { .. } => "Choose among those.",
            E::NoJoint { .. } => "Choose other joints or layers, or another model.",
            E::Turned { .. } => "Turn the tails up less far.",
            E::NotQuantizable(_) | E::Numbers { .. } => OUR_FAULT,
        }
    }
}

/// Reads a config into a spec.
type Read = fn(&Config) -> Result<Spec, ArchError>;

/// Every architecture by its `model_type`.
pub const ARCHITECTURES: &[(&str, Read)] = &[
    ("gpt2", gpt2::spec),
    ("bloom", bloom::spec),
    ("xglm", xglm::spec),
    ("opt", opt::spec),
    ("gpt_neox", gpt_neox::spec),
    ("llama", llama::spec),
    ("qwen2", llama::qwen2),
    ("gemma3_text", gemma3::spec),
    ("xlm-roberta", xlm_roberta::spec),
    ("mt5", mt5::spec),
    ("mamba", mamba::spec),
];

fn known() -> String {
    ARCHITECTURES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// The spec of a checkpoint's config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let kind = config.text("model_type")?;
    // Its tensors would be codes, not weights.
    fields::absent(config, &["quantization_config"])?;
    let (_, read) =
        ARCHITECTURES.iter().find(|(name, _)| *name == kind).ok_or_else(|| ArchError::Unknown(kind.to_string()))?;
    read(config)
}
