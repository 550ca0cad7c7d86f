//! Architectures as data, and the one interpreter that runs them.
//!
//! To add one: a file like [`gpt2`] that turns a config into a [`spec::Spec`], a row in [`ARCHITECTURES`], and a golden
//! fixture. Quantization is a [`recipe::Recipe`] applied to the weights, never a second model.

pub mod batch;
pub mod dial;
pub mod flatten;
pub mod forward;
pub mod gpt2;
mod halves;
pub mod load;
pub mod recipe;
mod shelf;
pub mod spec;
pub mod walk;
pub mod weights;

use crate::{backend::BackendError, math::quantizer::Bits, model::ModelError, model::config::Config};
use dial::{MOST_TURN, Turn};
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
    /// A recipe's thresholds do not fit its tensor.
    #[error("tensor `{name}` at {bits} bits needs {needed} thresholds, the recipe has {given}", bits = bits.get())]
    Thresholds {
        /// The tensor.
        name: String,
        /// Its width.
        bits: Bits,
        /// Thresholds its grouping has.
        needed: usize,
        /// Thresholds given.
        given: usize,
    },
    /// A dial names a place that the model does not have, or turns it further than can be exact.
    #[error(
        "layer {l}, channel {c}, turned by 2^{e}: the model has layers up to {last} and channels up to {widest}, and a \
         turn is at most 2^±{MOST_TURN}",
        l = turn.layer, c = turn.channel, e = turn.exponent, last = layers - 1, widest = width - 1
    )]
    NoSuchTurn {
        /// What was asked.
        turn: Turn,
        /// Layers there are.
        layers: usize,
        /// Channels there are.
        width: usize,
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

/// Reads a config into a spec.
type Read = fn(&Config) -> Result<Spec, ArchError>;

/// Every architecture by its `model_type`.
pub const ARCHITECTURES: &[(&str, Read)] = &[("gpt2", gpt2::spec)];

fn known() -> String {
    ARCHITECTURES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// The spec of a checkpoint's config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let kind = config.text("model_type")?;
    let (_, read) =
        ARCHITECTURES.iter().find(|(name, _)| *name == kind).ok_or_else(|| ArchError::Unknown(kind.to_string()))?;
    read(config)
}
