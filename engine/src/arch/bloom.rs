//! BLOOM: ALiBi slopes, a norm right after the embeddings, queries, keys and values fused head by head, tied head.

use super::{
    ArchError,
    fields::{MAX_CONTEXT, MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, first_whole, head, only, per_root},
    position_tables::slopes,
    scoring::Scoring,
    spec::{
        Activation, Attention, Bias, Block, Embedding, Head, Linear, Mixer, Mlp, Norm, Projections, Side, Sight, Spec,
        Sublayer,
    },
};
use crate::model::config::Config;

/// BLOOM has no longest input of its own; this is what it was trained on.
const USUAL_CONTEXT: usize = 2_048;

/// The spec of a BLOOM config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = first_whole(config, &["hidden_size", "n_embed"], 1..=MAX_WIDTH)?;
    let layers = first_whole(config, &["n_layer", "num_hidden_layers"], 1..=MAX_LAYERS)?;
    let heads = first_whole(config, &["n_head", "num_attention_heads"], 1..=width)?;
    let eps = config.number_if_there("layer_norm_epsilon", 0.0..=1.0)?.unwrap_or(1e-5) as f32;
    let head = head(("n_head", heads), ("hidden_size", width))?;
    only(config, &[("apply_residual_connection_post_layernorm", false), ("tie_word_embeddings", true)])?;

    let block = |layer: usize| {
        let name = |of: &str| format!("h.{layer}.{of}");
        let attention = Attention {
            projections: Projections::Fused {
                qkv: Linear::new(name("self_attention.query_key_value"), [width, 3 * width], true),
                by_head: true,
            },
            out: Linear::new(name("self_attention.dense"), [width, width], true),
            heads,
            key_heads: heads,
            head,
            scale: per_root(head),
            head_norms: None,
            rotary: None,
            bias: Some(Bias::Slopes(slopes(heads))),
            sight: Sight::Sequence,
        };
        let mlp = Mlp {
            gate: None,
            up: Linear::new(name("mlp.dense_h_to_4h"), [width, 4 * width], true),
            down: Linear::new(name("mlp.dense_4h_to_h"), [4 * width, width], true),
            activation: Activation::GeluTanh,
        };
        let sublayers = vec![
            Sublayer::pre(Norm::layer(name("input_layernorm"), eps), Mixer::Attention(attention)),
            Sublayer::pre(Norm::layer(name("post_attention_layernorm"), eps), Mixer::Mlp(mlp)),
        ];
        Block { side: Side::Main, parallel: false, sublayers }
    };
    let tokens = "word_embeddings.weight";
    Ok(Spec {
        architecture: "bloom",
        prefixes: &["transformer."],
        width,
        context: config.whole_if_there("seq_length", 2..=MAX_CONTEXT)?.unwrap_or(USUAL_CONTEXT),
        vocabulary: config.whole("vocab_size", 1..=MAX_VOCABULARY)?,
        scoring: Scoring::Causal,
        tokens: tokens.into(),
        embedding: Embedding { norm: Some(Norm::layer("word_embeddings_layernorm", eps)), ..Embedding::default() },
        blocks: (0..layers).map(block).collect(),
        source_norm: None,
        last_norm: Some(Norm::layer("ln_f", eps)),
        head: Head::of(tokens),
    })
}
