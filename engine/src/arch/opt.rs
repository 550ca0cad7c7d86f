//! OPT: learned positions from line 2 on, pre-norm, ReLU, tied head. The 350M model norms after each half instead, and its
//! token table is narrower than its stream.

use super::{
    ArchError,
    fairseq::{Names, block},
    fields::{MAX_CONTEXT, MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, activation, head, only},
    scoring::Scoring,
    spec::{Embedding, Head, Linear, Norm, Positions, Spec},
};
use crate::model::config::Config;

/// The norms of fairseq's models, whose configs do not name it.
const EPS: f32 = 1e-5;
/// Line of the first token: 0 and 1 are taken by other things in fairseq.
const OFFSET: usize = 2;

/// The spec of an OPT config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = config.whole("hidden_size", 1..=MAX_WIDTH)?;
    let layers = config.whole("num_hidden_layers", 1..=MAX_LAYERS)?;
    let heads = config.whole("num_attention_heads", 1..=width)?;
    let inner = config.whole("ffn_dim", 1..=4 * MAX_WIDTH)?;
    let activation = activation(config, "activation_function", "relu")?;
    let head = head(("num_attention_heads", heads), ("hidden_size", width))?;
    only(config, &[("layer_norm_elementwise_affine", true), ("tie_word_embeddings", true)])?;
    let flag = |field, usual| Ok::<bool, ArchError>(config.flag_if_there(field)?.unwrap_or(usual));
    let norm_first = flag("do_layer_norm_before", true)?;
    let last_norm = norm_first && !flag("_remove_final_layer_norm", false)?;
    let table = config.whole_if_there("word_embed_proj_dim", 1..=MAX_WIDTH)?.unwrap_or(width);
    let project = |name: &str, from, to| (table != width).then(|| Linear::new(name, [from, to], false));
    let names = Names {
        attention_norm: "self_attn_layer_norm",
        mlp_norm: "final_layer_norm",
        biased: flag("enable_bias", true)?,
        norm_first,
    };
    let context = config.whole("max_position_embeddings", 2..=MAX_CONTEXT)?;
    let tokens = "embed_tokens.weight";
    Ok(Spec {
        architecture: "opt",
        prefixes: &["model.decoder.", "decoder."],
        width,
        context,
        vocabulary: config.whole("vocab_size", 1..=MAX_VOCABULARY)?,
        scoring: Scoring::Causal,
        tokens: tokens.into(),
        embedding: Embedding {
            positions: Positions::Learned {
                table: "embed_positions.weight".into(),
                rows: context + OFFSET,
                offset: OFFSET,
            },
            project: project("project_in", table, width),
            ..Embedding::default()
        },
        blocks: (0..layers).map(|layer| block(&names, layer, [width, inner], [heads, head], activation, EPS)).collect(),
        source_norm: None,
        last_norm: last_norm.then(|| Norm::layer("final_layer_norm", EPS)),
        head: Head { project: project("project_out", width, table), ..Head::of(tokens) },
    })
}
