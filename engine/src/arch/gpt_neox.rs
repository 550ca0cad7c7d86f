//! GPT-NeoX and Pythia: attention and MLP side by side, rotary positions on a part of each head, queries, keys and values fused
//! head by head, a head of its own.

use super::{
    ArchError,
    fields::{MAX_CONTEXT, MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, activation, head, per_root},
    rope::{BASES, rotary, scaling},
    scoring::Scoring,
    spec::{Attention, Block, Embedding, Head, Linear, Mixer, Mlp, Norm, Projections, Side, Sight, Spec, Sublayer},
};
use crate::model::config::Config;

/// Where the config does not say.
const USUAL_BASE: f64 = 10_000.0;
const USUAL_SHARE: f64 = 0.25;

/// The spec of a GPT-NeoX config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = config.whole("hidden_size", 1..=MAX_WIDTH)?;
    let layers = config.whole("num_hidden_layers", 1..=MAX_LAYERS)?;
    let heads = config.whole("num_attention_heads", 1..=width)?;
    let inner = config.whole("intermediate_size", 1..=4 * MAX_WIDTH)?;
    let eps = config.number_if_there("layer_norm_eps", 0.0..=1.0)?.unwrap_or(1e-5) as f32;
    let activation = activation(config, "hidden_act", "gelu")?;
    let head = head(("num_attention_heads", heads), ("hidden_size", width))?;
    let parallel = config.flag_if_there("use_parallel_residual")?.unwrap_or(true);
    let biased = config.flag_if_there("attention_bias")?.unwrap_or(true);
    let scaling = scaling(config)?;
    let share = match &scaling {
        Some(scaling) => scaling.number_if_there("partial_rotary_factor", 0.0..=1.0)?,
        None => None,
    };
    let share = share.or(config.number_if_there("rotary_pct", 0.0..=1.0)?).unwrap_or(USUAL_SHARE);
    let base = config.number_if_there("rotary_emb_base", BASES)?.unwrap_or(USUAL_BASE);
    let rotary = rotary(scaling.as_ref(), base, (head as f64 * share) as usize)?;

    let block = |layer: usize| {
        let name = |of: &str| format!("layers.{layer}.{of}");
        let attention = Attention {
            projections: Projections::Fused {
                qkv: Linear::new(name("attention.query_key_value"), [width, 3 * width], biased),
                by_head: true,
            },
            out: Linear::new(name("attention.dense"), [width, width], biased),
            heads,
            key_heads: heads,
            head,
            scale: per_root(head),
            head_norms: None,
            rotary: Some(rotary.clone()),
            bias: None,
            sight: Sight::Sequence,
        };
        let mlp = Mlp {
            gate: None,
            up: Linear::new(name("mlp.dense_h_to_4h"), [width, inner], true),
            down: Linear::new(name("mlp.dense_4h_to_h"), [inner, width], true),
            activation,
        };
        let sublayers = vec![
            Sublayer::pre(Norm::layer(name("input_layernorm"), eps), Mixer::Attention(attention)),
            Sublayer::pre(Norm::layer(name("post_attention_layernorm"), eps), Mixer::Mlp(mlp)),
        ];
        Block { side: Side::Main, parallel, sublayers }
    };
    let (tokens, own) = ("embed_in.weight", "embed_out.weight");
    let tied = config.flag_if_there("tie_word_embeddings")?.unwrap_or(false);
    Ok(Spec {
        architecture: "gpt_neox",
        prefixes: &["gpt_neox."],
        width,
        context: config.whole("max_position_embeddings", 2..=MAX_CONTEXT)?,
        vocabulary: config.whole("vocab_size", 1..=MAX_VOCABULARY)?,
        scoring: Scoring::Causal,
        tokens: tokens.into(),
        embedding: Embedding::default(),
        blocks: (0..layers).map(block).collect(),
        source_norm: None,
        last_norm: Some(Norm::layer("final_layer_norm", eps)),
        head: Head::of(if tied { tokens } else { own }),
    })
}
