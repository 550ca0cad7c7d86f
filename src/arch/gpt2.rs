//! GPT-2: pre-norm, learned positions, fused QKV stored (inputs, outputs), GELU in its tanh form, tied head.

use super::{
    ArchError,
    spec::{Attention, Block, Linear, Mlp, Norm, Spec},
};
use crate::{math::grouping::Layout, model::config::Config};

/// Bounds of what a stranger's config may ask for; far above any GPT-2.
const MAX_LAYERS: usize = 1_024;
const MAX_WIDTH: usize = 65_536;
const MAX_CONTEXT: usize = 1 << 20;
const MAX_VOCABULARY: usize = 1 << 24;

/// The spec of a GPT-2 config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = config.whole("n_embd", 1..=MAX_WIDTH)?;
    let layers = config.whole("n_layer", 1..=MAX_LAYERS)?;
    let heads = config.whole("n_head", 1..=width)?;
    let inner = config.whole_if_there("n_inner", 1..=4 * MAX_WIDTH)?.unwrap_or(4 * width);
    let eps = config.number_if_there("layer_norm_epsilon", 0.0..=1.0)?.unwrap_or(1e-5) as f32;
    if !width.is_multiple_of(heads) {
        return Err(ArchError::Unsupported { field: "n_head", value: format!("{heads} with n_embd = {width}") });
    }
    let activation = config.text_if_there("activation_function")?.unwrap_or("gelu_new");
    if activation != "gelu_new" && activation != "gelu_pytorch_tanh" {
        return Err(ArchError::Unsupported { field: "activation_function", value: format!("\"{activation}\"") });
    }
    for (field, usual) in [
        ("scale_attn_weights", true),
        ("scale_attn_by_inverse_layer_idx", false),
        ("add_cross_attention", false),
        ("tie_word_embeddings", true),
    ] {
        let value = config.flag_if_there(field)?.unwrap_or(usual);
        if value != usual {
            return Err(ArchError::Unsupported { field, value: value.to_string() });
        }
    }

    let linear = |name: String, k, n| Linear {
        weight: format!("{name}.weight"),
        bias: format!("{name}.bias"),
        layout: Layout { k, n, transposed: false },
    };
    let norm = |name: String| Norm { gain: format!("{name}.weight"), bias: format!("{name}.bias"), eps };
    let block = |layer: usize| Block {
        attention_norm: norm(format!("h.{layer}.ln_1")),
        attention: Attention {
            qkv: linear(format!("h.{layer}.attn.c_attn"), width, 3 * width),
            out: linear(format!("h.{layer}.attn.c_proj"), width, width),
            heads,
            scale: 1.0 / ((width / heads) as f32).sqrt(),
        },
        mlp_norm: norm(format!("h.{layer}.ln_2")),
        mlp: Mlp {
            up: linear(format!("h.{layer}.mlp.c_fc"), width, inner),
            down: linear(format!("h.{layer}.mlp.c_proj"), inner, width),
        },
    };
    Ok(Spec {
        architecture: "gpt2",
        prefix: "transformer.",
        width,
        context: config.whole("n_positions", 2..=MAX_CONTEXT)?,
        vocabulary: config.whole("vocab_size", 1..=MAX_VOCABULARY)?,
        tokens: "wte.weight".into(),
        positions: "wpe.weight".into(),
        blocks: (0..layers).map(block).collect(),
        last_norm: norm("ln_f".into()),
    })
}
