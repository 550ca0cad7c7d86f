//! GPT-2: pre-norm, learned positions, fused QKV stored (inputs, outputs), GELU in its tanh form, tied head.

use super::{
    ArchError,
    fields::{MAX_CONTEXT, MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, activation, head, only, per_root},
    scoring::Scoring,
    spec::{
        Attention, Block, Embedding, Head, Linear, Mixer, Mlp, Norm, Positions, Projections, Side, Sight, Spec,
        Sublayer,
    },
};
use crate::{math::grouping::Layout, model::config::Config};

/// The spec of a GPT-2 config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = config.whole("n_embd", 1..=MAX_WIDTH)?;
    let layers = config.whole("n_layer", 1..=MAX_LAYERS)?;
    let heads = config.whole("n_head", 1..=width)?;
    let inner = config.whole_if_there("n_inner", 1..=4 * MAX_WIDTH)?.unwrap_or(4 * width);
    let eps = config.number_if_there("layer_norm_epsilon", 0.0..=1.0)?.unwrap_or(1e-5) as f32;
    let head = head(("n_head", heads), ("n_embd", width))?;
    let activation = activation(config, "activation_function", "gelu_new")?;
    only(
        config,
        &[
            ("scale_attn_weights", true),
            ("scale_attn_by_inverse_layer_idx", false),
            ("add_cross_attention", false),
            ("tie_word_embeddings", true),
        ],
    )?;
    let context = config.whole("n_positions", 2..=MAX_CONTEXT)?;

    let linear =
        |name: String, k, n| Linear { layout: Layout { k, n, transposed: false }, ..Linear::new(name, [k, n], true) };
    let block = |layer: usize| {
        let attention = Attention {
            projections: Projections::Fused {
                qkv: linear(format!("h.{layer}.attn.c_attn"), width, 3 * width),
                by_head: false,
            },
            out: linear(format!("h.{layer}.attn.c_proj"), width, width),
            heads,
            key_heads: heads,
            head,
            scale: per_root(head),
            head_norms: None,
            rotary: None,
            bias: None,
            sight: Sight::Sequence,
        };
        let mlp = Mlp {
            gate: None,
            up: linear(format!("h.{layer}.mlp.c_fc"), width, inner),
            down: linear(format!("h.{layer}.mlp.c_proj"), inner, width),
            activation,
        };
        let sublayers = vec![
            Sublayer::pre(Norm::layer(format!("h.{layer}.ln_1"), eps), Mixer::Attention(attention)),
            Sublayer::pre(Norm::layer(format!("h.{layer}.ln_2"), eps), Mixer::Mlp(mlp)),
        ];
        Block { side: Side::Main, parallel: false, sublayers }
    };
    Ok(Spec {
        architecture: "gpt2",
        prefixes: &["transformer."],
        width,
        context,
        vocabulary: config.whole("vocab_size", 1..=MAX_VOCABULARY)?,
        scoring: Scoring::Causal,
        tokens: "wte.weight".into(),
        embedding: Embedding {
            positions: Positions::Learned { table: "wpe.weight".into(), rows: context, offset: 0 },
            ..Embedding::default()
        },
        blocks: (0..layers).map(block).collect(),
        source_norm: None,
        last_norm: Some(Norm::layer("ln_f", eps)),
        head: Head::of("wte.weight"),
    })
}
