//! mT5: an encoder and a decoder with RMS norms, learned biases by distance in place of positions, gated GELU, no scaling of
//! scores, a head of its own.

use super::{
    ArchError,
    fields::{MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, joined, only, token, unsupported},
    scoring::Scoring,
    spec::{
        Activation, Attention, Bias, Block, Embedding, Head, Linear, Mixer, Mlp, Norm, Projections, Side, Sight, Spec,
        Sublayer,
    },
};
use crate::model::config::Config;

/// mT5 has no longest input of its own; this is what it was trained on.
const CONTEXT: usize = 1_024;

/// The spec of an mT5 config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = config.whole("d_model", 1..=MAX_WIDTH)?;
    let encoder = config.whole("num_layers", 1..=MAX_LAYERS)?;
    let decoder = config.whole_if_there("num_decoder_layers", 1..=MAX_LAYERS)?.unwrap_or(encoder);
    let heads = config.whole("num_heads", 1..=MAX_WIDTH)?;
    let head = config.whole("d_kv", 1..=MAX_WIDTH)?;
    let channels = joined(("num_heads", heads), ("d_kv", head))?;
    let inner = config.whole("d_ff", 1..=4 * MAX_WIDTH)?;
    let vocabulary = config.whole("vocab_size", 2..=MAX_VOCABULARY)?;
    let buckets = config.whole_if_there("relative_attention_num_buckets", 4..=MAX_WIDTH)?.unwrap_or(32);
    let farthest = config.whole_if_there("relative_attention_max_distance", buckets..=MAX_WIDTH)?.unwrap_or(128);
    let eps = config.number_if_there("layer_norm_epsilon", 0.0..=1.0)?.unwrap_or(1e-6) as f32;
    match config.text_if_there("feed_forward_proj")?.unwrap_or("gated-gelu") {
        "gated-gelu" => {}
        other => return Err(unsupported("feed_forward_proj", format!("\"{other}\""))),
    }
    // Whether a tied head is scaled depends on who reads the config.
    only(config, &[("tie_word_embeddings", false)])?;

    let attention = |name: String, bias: Option<Bias>, sight: Sight| {
        let linear = |of: &str, k, n| Linear::new(format!("{name}.{of}"), [k, n], false);
        Mixer::Attention(Attention {
            projections: Projections::Separate {
                query: linear("q", width, channels),
                key: linear("k", width, channels),
                value: linear("v", width, channels),
            },
            out: linear("o", channels, width),
            heads,
            key_heads: heads,
            head,
            scale: 1.0,
            head_norms: None,
            rotary: None,
            bias,
            sight,
        })
    };
    // All layers of a stack add the biases of its first.
    let bias = |stack: &str, both_ways| Bias::Buckets {
        table: format!("{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"),
        buckets,
        farthest,
        both_ways,
    };
    let block = |side: Side, layer: usize| {
        let stack = if side == Side::Source { "encoder" } else { "decoder" };
        let name = |number: usize, of: &str| format!("{stack}.block.{layer}.layer.{number}.{of}");
        let norm = |number: usize| Norm::rms(name(number, "layer_norm"), eps);
        let own = attention(name(0, "SelfAttention"), Some(bias(stack, side == Side::Source)), Sight::Sequence);
        let mut sublayers = vec![Sublayer::pre(norm(0), own)];
        if side == Side::Main {
            sublayers.push(Sublayer::pre(norm(1), attention(name(1, "EncDecAttention"), None, Sight::Source)));
        }
        let last = sublayers.len();
        let linear = |of: &str, k, n| Linear::new(name(last, &format!("DenseReluDense.{of}")), [k, n], false);
        let mlp = Mlp {
            gate: Some(linear("wi_0", width, inner)),
            up: linear("wi_1", width, inner),
            down: linear("wo", inner, width),
            activation: Activation::GeluTanh,
        };
        sublayers.push(Sublayer::pre(norm(last), Mixer::Mlp(mlp)));
        Block { side, parallel: false, sublayers }
    };
    let blocks = (0..encoder).map(|layer| block(Side::Source, layer));
    Ok(Spec {
        architecture: "mt5",
        prefixes: &[],
        width,
        context: CONTEXT,
        vocabulary,
        scoring: Scoring::Continuation {
            start: token(config, "decoder_start_token_id", 0, vocabulary)?,
            end: token(config, "eos_token_id", 1, vocabulary)?,
        },
        tokens: "shared.weight".into(),
        embedding: Embedding::default(),
        blocks: blocks.chain((0..decoder).map(|layer| block(Side::Main, layer))).collect(),
        source_norm: Some(Norm::rms("encoder.final_layer_norm", eps)),
        last_norm: Some(Norm::rms("decoder.final_layer_norm", eps)),
        head: Head::of("lm_head.weight"),
    })
}
