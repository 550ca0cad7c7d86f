//! XGLM: sinusoidal positions from place 2 on, scaled embeddings, pre-norm, GELU, tied head.

use super::{
    ArchError,
    fairseq::{Names, block},
    fields::{MAX_CONTEXT, MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, activation, first_whole, head, only},
    scoring::Scoring,
    spec::{Embedding, Head, Norm, Positions, Spec},
};
use crate::model::config::Config;

/// The norms of fairseq's models, whose configs do not name it.
const EPS: f32 = 1e-5;
/// Place of the first token: 0 and 1 are taken by other things in fairseq.
const OFFSET: usize = 2;

/// The spec of an XGLM config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = first_whole(config, &["d_model", "hidden_size"], 1..=MAX_WIDTH)?;
    let layers = first_whole(config, &["num_layers", "num_hidden_layers"], 1..=MAX_LAYERS)?;
    let heads = first_whole(config, &["attention_heads", "num_attention_heads"], 1..=width)?;
    let inner = config.whole("ffn_dim", 1..=4 * MAX_WIDTH)?;
    let activation = activation(config, "activation_function", "gelu")?;
    let head = head(("attention_heads", heads), ("d_model", width))?;
    only(config, &[("add_cross_attention", false), ("tie_word_embeddings", true)])?;
    let scaled = config.flag_if_there("scale_embedding")?.unwrap_or(true);
    let names =
        Names { attention_norm: "self_attn_layer_norm", mlp_norm: "final_layer_norm", biased: true, norm_first: true };
    let tokens = "embed_tokens.weight";
    Ok(Spec {
        architecture: "xglm",
        prefixes: &["model."],
        width,
        context: config.whole("max_position_embeddings", 2..=MAX_CONTEXT)?,
        vocabulary: config.whole("vocab_size", 1..=MAX_VOCABULARY)?,
        scoring: Scoring::Causal,
        tokens: tokens.into(),
        embedding: Embedding {
            scale: if scaled { (width as f32).sqrt() } else { 1.0 },
            positions: Positions::Sinusoidal { offset: OFFSET },
            ..Embedding::default()
        },
        blocks: (0..layers).map(|layer| block(&names, layer, [width, inner], [heads, head], activation, EPS)).collect(),
        source_norm: None,
        last_norm: Some(Norm::layer("layer_norm", EPS)),
        head: Head::of(tokens),
    })
}
