//! The vocabulary in which an architecture is described: data over shared blocks. What has no word here is refused by the
//! file that reads the config.

use super::scoring::Scoring;
use crate::{backend::kernels::activate, math::grouping::Layout};

/// A model: embeddings, blocks, a last norm and a head; for an encoder–decoder, the blocks of the encoder come first.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// `model_type` of the config.
    pub architecture: &'static str,
    /// What some checkpoints put before every tensor's name and others leave out; the longest first.
    pub prefixes: &'static [&'static str],
    /// Channels of the residual stream.
    pub width: usize,
    /// Longest input in tokens.
    pub context: usize,
    /// Rows of the token table.
    pub vocabulary: usize,
    /// What is asked of the model about a text.
    pub scoring: Scoring,
    /// Token table (vocabulary, channels of the table).
    pub tokens: String,
    /// From tokens to the stream.
    pub embedding: Embedding,
    /// In order.
    pub blocks: Vec<Block>,
    /// After the encoder of an encoder–decoder.
    pub source_norm: Option<Norm>,
    /// After the last block.
    pub last_norm: Option<Norm>,
    /// From the stream to logits.
    pub head: Head,
}

/// From tokens to the stream: `scale·tokens[id] + positions`, projected, normed.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// Multiplies the token's row.
    pub scale: f32,
    /// What is added for its place.
    pub positions: Positions,
    /// From a table that is narrower than the stream.
    pub project: Option<Linear>,
    /// A table of segments (rows, width), of which the first row is added.
    pub segments: Option<(String, usize)>,
    /// Then.
    pub norm: Option<Norm>,
}

impl Default for Embedding {
    fn default() -> Embedding {
        Embedding { scale: 1.0, positions: Positions::None, project: None, segments: None, norm: None }
    }
}

/// Positions that are added to the embeddings. Rotary ones and biases belong to attention.
#[derive(Debug, Clone, PartialEq)]
pub enum Positions {
    /// None.
    None,
    /// A table (rows, width); the first token has line `offset`.
    Learned {
        /// Tensor.
        table: String,
        /// Lines.
        rows: usize,
        /// Line of the first token.
        offset: usize,
    },
    /// Sines, then cosines, of place/10000^(c/(half − 1)), the first token at place `offset`.
    Sinusoidal {
        /// Place of the first token.
        offset: usize,
    },
}

/// From the last hidden states to logits.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// (vocabulary, channels of the table); the token table where the two are tied.
    pub table: String,
    /// (vocabulary), added to the logits.
    pub bias: Option<String>,
    /// Before it, to a table that is narrower than the stream.
    pub project: Option<Linear>,
    /// Before it: norm(activation(dense(x))).
    pub transform: Option<Transform>,
}

impl Head {
    /// Logits from a table alone.
    pub fn of(table: impl Into<String>) -> Head {
        Head { table: table.into(), bias: None, project: None, transform: None }
    }
}

/// norm(activation(dense(x))) before a masked model's head.
#[derive(Debug, Clone, PartialEq)]
pub struct Transform {
    /// (width → width).
    pub dense: Linear,
    /// Of its output.
    pub activation: Activation,
    /// Then.
    pub norm: Norm,
}

/// Which rows a block works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// What an encoder reads, where the model has one beside its decoder.
    Source,
    /// Everything else.
    Main,
}

/// One layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its rows.
    pub side: Side,
    /// All of its sublayers read what the first reads; else each reads what the one before left.
    pub parallel: bool,
    /// In order.
    pub sublayers: Vec<Sublayer>,
}

/// x = after(x + of_update(mixer(before(x)))), where a norm that is not there changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Sublayer {
    /// Of what the mixer reads.
    pub before: Option<Norm>,
    /// What it does.
    pub mixer: Mixer,
    /// Of what the mixer adds.
    pub of_update: Option<Norm>,
    /// Of the stream, afterwards.
    pub after: Option<Norm>,
}

impl Sublayer {
    /// Normed before.
    pub fn pre(norm: Norm, mixer: Mixer) -> Sublayer {
        Sublayer { before: Some(norm), mixer, of_update: None, after: None }
    }

    /// The stream is normed afterwards.
    pub fn post(mixer: Mixer, norm: Norm) -> Sublayer {
        Sublayer { before: None, mixer, of_update: None, after: Some(norm) }
    }
}

/// What a sublayer does.
#[allow(clippy::large_enum_variant)] // a model has a few dozen of them, each read once
#[derive(Debug, Clone, PartialEq)]
pub enum Mixer {
    /// Between rows.
    Attention(Attention),
    /// Within a row.
    Mlp(Mlp),
    /// From row to row.
    Scan(Scan),
}

impl Mixer {
    /// Whether rows see each other in it.
    pub fn is_attention(&self) -> bool {
        !matches!(self, Mixer::Mlp(_))
    }
}

/// How a norm measures a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Layer norm: about the mean.
    Centred,
    /// RMS norm: about 0.
    Rms,
}

/// A norm (width).
#[derive(Debug, Clone, PartialEq)]
pub struct Norm {
    /// Its kind.
    pub measure: Measure,
    /// Tensor.
    pub gain: String,
    /// Added to every gain: Gemma stores them about 0.
    pub gain_offset: f32,
    /// Tensor.
    pub bias: Option<String>,
    /// Added to the variance.
    pub eps: f32,
}

impl Norm {
    /// Layer norm with gain `<name>.weight` and bias `<name>.bias`.
    pub fn layer(name: impl AsRef<str>, eps: f32) -> Norm {
        let name = name.as_ref();
        let (gain, bias) = (format!("{name}.weight"), Some(format!("{name}.bias")));
        Norm { measure: Measure::Centred, gain, gain_offset: 0.0, bias, eps }
    }

    /// RMS norm with gain `<name>.weight`.
    pub fn rms(name: impl AsRef<str>, eps: f32) -> Norm {
        let gain = format!("{}.weight", name.as_ref());
        Norm { measure: Measure::Rms, gain, gain_offset: 0.0, bias: None, eps }
    }
}

/// A linear layer; its weight is what quantization acts on.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// Tensor.
    pub weight: String,
    /// Tensor (n).
    pub bias: Option<String>,
    /// k inputs, n outputs, and how they are stored.
    pub layout: Layout,
}

impl Linear {
    /// `<name>.weight` stored (outputs, inputs), as most checkpoints do, with `<name>.bias` where it has one.
    pub fn new(name: impl AsRef<str>, [k, n]: [usize; 2], biased: bool) -> Linear {
        let name = name.as_ref();
        let bias = biased.then(|| format!("{name}.bias"));
        Linear { weight: format!("{name}.weight"), bias, layout: Layout { k, n, transposed: true } }
    }
}

/// Softmax attention.
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    /// To queries, keys and values.
    pub projections: Projections,
    /// (heads·head → width).
    pub out: Linear,
    /// Heads of the queries.
    pub heads: usize,
    /// Heads of keys and values; each serves as many of the queries'.
    pub key_heads: usize,
    /// Channels of a head.
    pub head: usize,
    /// Multiplies q·k.
    pub scale: f32,
    /// Of each head of queries and of keys, before positions.
    pub head_norms: Option<[Norm; 2]>,
    /// Turns queries and keys by their place.
    pub rotary: Option<Rotary>,
    /// Added to scores by distance.
    pub bias: Option<Bias>,
    /// Which keys a row sees.
    pub sight: Sight,
}

/// Which keys a row sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// All of its sequence that the batch lets it see: up to itself, or all.
    Sequence,
    /// Of these the last so many, itself included.
    Window(usize),
    /// The encoder's rows of the same text.
    Source,
}

/// How queries, keys and values are made.
#[derive(Debug, Clone, PartialEq)]
pub enum Projections {
    /// By one layer.
    Fused {
        /// (width → 3·heads·head).
        qkv: Linear,
        /// Whether its outputs are q, k, v of the first head, then of the next; else all queries, all keys, all values.
        by_head: bool,
    },
    /// Each by its own.
    Separate {
        /// (width → heads·head).
        query: Linear,
        /// (width → key_heads·head).
        key: Linear,
        /// (width → key_heads·head).
        value: Linear,
    },
}

/// Rotary positions: channels c and c + half of a head turn by place·frequency c.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotary {
    /// Radians per place, one for each pair of channels; other channels stay.
    pub frequencies: Vec<f32>,
}

/// What is added to a score by the distance of key and query.
#[derive(Debug, Clone, PartialEq)]
pub enum Bias {
    /// −slope·distance, one slope per head.
    Slopes(Vec<f32>),
    /// A learned table (buckets, heads) over distances that grow coarser.
    Buckets {
        /// Tensor.
        table: String,
        /// Lines.
        buckets: usize,
        /// Distances from here on share the last bucket.
        farthest: usize,
        /// Whether keys after the row have buckets of their own.
        both_ways: bool,
    },
}

/// An activation function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// GELU in its tanh form.
    GeluTanh,
    /// GELU itself.
    Gelu,
    /// The greater of x and 0.
    Relu,
    /// x·σ(x).
    Silu,
}

impl Activation {
    /// As the kernel numbers it.
    pub fn kind(self) -> u32 {
        match self {
            Activation::GeluTanh => activate::GELU_TANH,
            Activation::Gelu => activate::GELU,
            Activation::Relu => activate::RELU,
            Activation::Silu => activate::SILU,
        }
    }
}

/// down(activation(up(x))), or with a gate down(activation(gate(x))·up(x)).
#[derive(Debug, Clone, PartialEq)]
pub struct Mlp {
    /// (width → inner).
    pub gate: Option<Linear>,
    /// (width → inner).
    pub up: Linear,
    /// (inner → width).
    pub down: Linear,
    /// Between them.
    pub activation: Activation,
}

/// Mamba's mixer: out(scan(activation(convolution(x')), Δ, B, C)·activation(gate)), where x' and the gate are into(x), and Δ, B and
/// C are selected by what the convolution gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// (width → 2·inner): what is scanned, then the gate.
    pub into: Linear,
    /// Tensor (inner, 1, size).
    pub convolution: String,
    /// Tensor (inner).
    pub convolution_bias: Option<String>,
    /// Rows that the convolution sees.
    pub size: usize,
    /// (inner → rank + 2·state): the step, narrow, then B and C.
    pub select: Linear,
    /// (rank → inner): the step of each channel, before its softplus.
    pub step: Linear,
    /// Tensor (inner, state): logarithms of how fast states fade.
    pub rates: String,
    /// Tensor (inner): what passes by the scan.
    pub skip: String,
    /// (inner → width).
    pub out: Linear,
    /// States of a channel.
    pub state: usize,
    /// Of the convolution and of the gate.
    pub activation: Activation,
}
