//! The vocabulary in which an architecture is described.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::grouping::Layout;

/// A decoder: embeddings, blocks, a last norm, a head tied to the token embeddings.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// `model_type` of the config.
    pub architecture: &'static str,
    /// What some checkpoints put before every tensor's name and others leave out.
    pub prefix: &'static str,
    /// Channels of the residual stream.
    pub width: usize,
    /// Longest input in tokens.
    pub context: usize,
    /// Rows of the token table.
    pub vocabulary: usize,
    /// Token table (vocabulary, width), also the head.
    pub tokens: String,
    /// Learned position table (context, width).
    pub positions: String,
    /// In order.
    pub blocks: Vec<Block>,
    /// Before the head.
    pub last_norm: Norm,
}

/// One layer: x += attention(norm(x)); x += mlp(norm(x)).
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Before attention.
    pub attention_norm: Norm,
    /// Self-attention.
    pub attention: Attention,
    /// Before the MLP.
    pub mlp_norm: Norm,
    /// Feed-forward part.
    pub mlp: Mlp,
}

/// Layer norm with gain and bias (width).
#[derive(Debug, Clone, PartialEq)]
pub struct Norm {
    /// Tensor.
    pub gain: String,
    /// Tensor.
    pub bias: String,
    /// Added to the variance.
    pub eps: f32,
}

/// A linear layer; its weight is what quantization acts on.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// Tensor.
    pub weight: String,
    /// Tensor (n).
    pub bias: String,
    /// k inputs, n outputs, and how they are stored.
    pub layout: Layout,
}

/// Causal attention with one fused projection to queries, keys and values.
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    /// (width → 3·width), queries first.
    pub qkv: Linear,
    /// (width → width).
    pub out: Linear,
    /// Heads.
    pub heads: usize,
    /// Multiplies q·k.
    pub scale: f32,
}

/// up, GELU (tanh form), down.
#[derive(Debug, Clone, PartialEq)]
pub struct Mlp {
    /// (width → inner).
    pub up: Linear,
    /// (inner → width).
    pub down: Linear,
}

/// What a tensor is to the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A block's weight matrix: what quantization acts on.
    Matrix {
        /// The block.
        layer: usize,
        /// How it is stored.
        layout: Layout,
    },
    /// A block's gain or bias.
    Vector {
        /// The block.
        layer: usize,
    },
    /// The token table, which is also the head: rounded only where that is asked for, and read as f32 all the same.
    Table {
        /// As the head sees it: (width, vocabulary).
        layout: Layout,
    },
    /// Positions and the last norm.
    Outside,
}

/// A tensor that the spec needs.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorSpec {
    /// Name after the checkpoint's prefix is taken off.
    pub name: String,
    /// Shape in the file.
    pub shape: Vec<usize>,
    /// Its role.
    pub role: Role,
}

impl Linear {
    fn tensors(&self, layer: usize) -> [TensorSpec; 2] {
        let Layout { k, n, transposed } = self.layout;
        let shape = if transposed { vec![n, k] } else { vec![k, n] };
        [
            TensorSpec { name: self.weight.clone(), shape, role: Role::Matrix { layer, layout: self.layout } },
            TensorSpec { name: self.bias.clone(), shape: vec![n], role: Role::Vector { layer } },
        ]
    }
}

impl Norm {
    fn tensors(&self, width: usize, role: Role) -> [TensorSpec; 2] {
        [&self.gain, &self.bias].map(|name| TensorSpec { name: name.clone(), shape: vec![width], role })
    }
}

/// Which of a block's weight matrices, in the order they are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Attention's queries, keys and values.
    Qkv,
    /// Attention's output.
    Out,
    /// Into the MLP.
    Up,
    /// Out of the MLP.
    Down,
}

impl Part {
    /// As [`Block::linears`] has them.
    pub const ALL: [Part; 4] = [Part::Qkv, Part::Out, Part::Up, Part::Down];

    /// Whether it is of the attention; else of the MLP.
    pub fn is_attention(self) -> bool {
        matches!(self, Part::Qkv | Part::Out)
    }
}

impl Block {
    /// Its linear layers, in the order they are met; [`Part::ALL`] names them.
    pub fn linears(&self) -> [&Linear; 4] {
        [&self.attention.qkv, &self.attention.out, &self.mlp.up, &self.mlp.down]
    }
}

impl Spec {
    /// The name that the spec uses for a tensor of the file.
    pub fn canonical<'a>(&self, name: &'a str) -> &'a str {
        name.strip_prefix(self.prefix).unwrap_or(name)
    }

    /// Every linear layer, in the order of the forward pass.
    pub fn linears(&self) -> impl Iterator<Item = &Linear> {
        self.blocks.iter().flat_map(|block| block.linears())
    }

    /// Every linear layer in the same order, with the places of its input channels among those of all.
    pub fn inputs(&self) -> impl Iterator<Item = (&Linear, Range<usize>)> {
        self.linears().scan(0, |first, linear| {
            let channels = *first..*first + linear.layout.k;
            *first = channels.end;
            Some((linear, channels))
        })
    }

    /// Every weight matrix with its block and its part, in the same order.
    pub fn matrices(&self) -> impl Iterator<Item = (usize, Part, &Linear)> {
        self.blocks.iter().enumerate().flat_map(|(layer, block)| {
            Part::ALL.into_iter().zip(block.linears()).map(move |(part, linear)| (layer, part, linear))
        })
    }

    /// Every tensor that the forward pass reads, in the order it reads them.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let table = |name: &String, rows, role| TensorSpec { name: name.clone(), shape: vec![rows, self.width], role };
        let layout = Layout { k: self.width, n: self.vocabulary, transposed: true };
        let mut all = vec![
            table(&self.tokens, self.vocabulary, Role::Table { layout }),
            table(&self.positions, self.context, Role::Outside),
        ];
        for (layer, block) in self.blocks.iter().enumerate() {
            for norm in [&block.attention_norm, &block.mlp_norm] {
                all.extend(norm.tensors(self.width, Role::Vector { layer }));
            }
            for linear in block.linears() {
                all.extend(linear.tensors(layer));
            }
        }
        all.extend(self.last_norm.tensors(self.width, Role::Outside));
        all
    }

    /// Multiply-adds of one forward pass over a sequence of `rows` tokens, with the losses of all of them. In u64: a
    /// small model's pass overflows the 32 bits of wasm's usize.
    pub fn multiply_adds(&self, rows: usize) -> u64 {
        let [rows, width, vocabulary, layers] =
            [rows, self.width, self.vocabulary, self.blocks.len()].map(|figure| figure as u64);
        let blocks: u64 = self.linears().map(|linear| linear.layout.k as u64 * linear.layout.n as u64).sum();
        // Row i of causal attention meets i + 1 keys, once for scores and once for values.
        rows * (blocks + vocabulary * width) + layers * width * rows * (rows + 1)
    }
}
