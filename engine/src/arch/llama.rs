//! Llama and its kin (SmolLM2 and TinyLlama are of its type, Qwen2 adds biases): RMS norms, SwiGLU, rotary positions, heads that
//! share keys, a head tied or not.

use super::{
    ArchError,
    fields::{
        MAX_CONTEXT, MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, activation, head, joined, only, per_root, unsupported,
    },
    rope::{BASES, on_whole_heads, rotary, scaling},
    scoring::Scoring,
    spec::{
        Activation, Attention, Block, Embedding, Head, Linear, Mixer, Mlp, Norm, Projections, Rotary, Side, Sight,
        Spec, Sublayer,
    },
};
use crate::model::config::Config;

const USUAL_BASE: f64 = 10_000.0;
const TOKENS: &str = "embed_tokens.weight";
const OWN_HEAD: &str = "lm_head.weight";

/// What Llama and those that are built like it read from a config.
pub(super) struct Shape {
    pub(super) width: usize,
    pub(super) layers: usize,
    heads: usize,
    key_heads: usize,
    /// Channels of all queries.
    queries: usize,
    pub(super) head: usize,
    inner: usize,
    context: usize,
    vocabulary: usize,
    pub(super) eps: f32,
}

impl Shape {
    /// The fields that all of them have.
    pub fn read(config: &Config) -> Result<Shape, ArchError> {
        let width = config.whole("hidden_size", 1..=MAX_WIDTH)?;
        let heads = config.whole("num_attention_heads", 1..=MAX_WIDTH)?;
        let key_heads = config.whole_if_there("num_key_value_heads", 1..=MAX_WIDTH)?.unwrap_or(heads);
        if !heads.is_multiple_of(key_heads) {
            let value = format!("{key_heads} with num_attention_heads = {heads}");
            return Err(unsupported("num_key_value_heads", value));
        }
        let of_head = match config.whole_if_there("head_dim", 2..=MAX_WIDTH)? {
            Some(stated) => stated,
            None => head(("num_attention_heads", heads), ("hidden_size", width))?,
        };
        let queries = joined(("num_attention_heads", heads), ("head_dim", of_head))?;
        Ok(Shape {
            width,
            layers: config.whole("num_hidden_layers", 1..=MAX_LAYERS)?,
            heads,
            key_heads,
            queries,
            head: of_head,
            inner: config.whole("intermediate_size", 1..=4 * MAX_WIDTH)?,
            context: config.whole("max_position_embeddings", 2..=MAX_CONTEXT)?,
            vocabulary: config.whole("vocab_size", 1..=MAX_VOCABULARY)?,
            eps: config.number_if_there("rms_norm_eps", 0.0..=1.0)?.unwrap_or(1e-6) as f32,
        })
    }

    /// Attention of a layer, with biases on queries, keys and values, and on the output.
    pub fn attention(&self, layer: usize, [biased, out_biased]: [bool; 2], rotary: Rotary) -> Attention {
        let linear = |of: &str, k, n, biased| Linear::new(format!("layers.{layer}.self_attn.{of}"), [k, n], biased);
        // Keys have at most as many heads as queries.
        let (queries, keys) = (self.queries, self.key_heads * self.head);
        Attention {
            projections: Projections::Separate {
                query: linear("q_proj", self.width, queries, biased),
                key: linear("k_proj", self.width, keys, biased),
                value: linear("v_proj", self.width, keys, biased),
            },
            out: linear("o_proj", queries, self.width, out_biased),
            heads: self.heads,
            key_heads: self.key_heads,
            head: self.head,
            scale: per_root(self.head),
            head_norms: None,
            rotary: Some(rotary),
            bias: None,
            sight: Sight::Sequence,
        }
    }

    /// The gated MLP of a layer.
    pub fn mlp(&self, layer: usize, activation: Activation, biased: bool) -> Mlp {
        let linear = |of: &str, k, n| Linear::new(format!("layers.{layer}.mlp.{of}"), [k, n], biased);
        Mlp {
            gate: Some(linear("gate_proj", self.width, self.inner)),
            up: linear("up_proj", self.width, self.inner),
            down: linear("down_proj", self.inner, self.width),
            activation,
        }
    }

    /// Blocks, norm and head around a way of embedding.
    pub fn spec(
        self,
        architecture: &'static str,
        embedding: Embedding,
        blocks: Vec<Block>,
        norm: Norm,
        tied: bool,
    ) -> Spec {
        Spec {
            architecture,
            prefixes: &["model."],
            width: self.width,
            context: self.context,
            vocabulary: self.vocabulary,
            scoring: Scoring::Causal,
            tokens: TOKENS.into(),
            embedding,
            blocks,
            source_norm: None,
            last_norm: Some(norm),
            head: Head::of(if tied { TOKENS } else { OWN_HEAD }),
        }
    }
}

/// The spec of a Llama config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let biased = config.flag_if_there("attention_bias")?.unwrap_or(false);
    let mlp_biased = config.flag_if_there("mlp_bias")?.unwrap_or(false);
    build(config, "llama", [biased, biased], mlp_biased)
}

/// The spec of a Qwen2 config.
pub fn qwen2(config: &Config) -> Result<Spec, ArchError> {
    only(config, &[("use_sliding_window", false)])?;
    build(config, "qwen2", [true, false], false)
}

fn build(config: &Config, architecture: &'static str, biased: [bool; 2], mlp_biased: bool) -> Result<Spec, ArchError> {
    let shape = Shape::read(config)?;
    let activation = activation(config, "hidden_act", "silu")?;
    let base = config.number_if_there("rope_theta", BASES)?.unwrap_or(USUAL_BASE);
    let scaling = scaling(config)?;
    on_whole_heads(scaling.as_ref())?;
    let rotary = rotary(scaling.as_ref(), base, shape.head)?;
    let block = |layer: usize| {
        let norm = |of: &str| Norm::rms(format!("layers.{layer}.{of}"), shape.eps);
        let attention = shape.attention(layer, biased, rotary.clone());
        let sublayers = vec![
            Sublayer::pre(norm("input_layernorm"), Mixer::Attention(attention)),
            Sublayer::pre(norm("post_attention_layernorm"), Mixer::Mlp(shape.mlp(layer, activation, mlp_biased))),
        ];
        Block { side: Side::Main, parallel: false, sublayers }
    };
    let blocks = (0..shape.layers).map(block).collect();
    let tied = config.flag_if_there("tie_word_embeddings")?.unwrap_or(false);
    let norm = Norm::rms("norm", shape.eps);
    Ok(shape.spec(architecture, Embedding::default(), blocks, norm, tied))
}
