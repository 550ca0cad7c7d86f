//! Gemma 3, text only: gains stored about 0, norms before and after each half, normed heads, scaled embeddings, and local layers
//! with a window and rotary frequencies of their own.

use serde_json::Value;

use super::{
    ArchError,
    fields::{absent, activation, only, unsupported},
    llama::Shape,
    rope::{BASES, on_whole_heads, rotary},
    spec::{Attention, Block, Embedding, Mixer, Norm, Side, Sight, Spec, Sublayer},
};
use crate::model::config::Config;

/// Where the config does not say.
const GLOBAL_BASE: f64 = 1_000_000.0;
const LOCAL_BASE: f64 = 10_000.0;
/// Every so manieth layer sees everything.
const USUAL_PATTERN: usize = 6;
const LOCAL: &str = "sliding_attention";
const GLOBAL: &str = "full_attention";

/// The spec of a Gemma 3 text config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let shape = Shape::read(config)?;
    let activation = activation(config, "hidden_activation", "gelu_pytorch_tanh")?;
    absent(config, &["attn_logit_softcapping", "final_logit_softcapping"])?;
    only(config, &[("use_bidirectional_attention", false), ("tie_word_embeddings", true)])?;
    let biased = config.flag_if_there("attention_bias")?.unwrap_or(false);
    let scalar = config.number_if_there("query_pre_attn_scalar", 1e-6..=1e9)?.unwrap_or(256.0);
    let window = config.whole_if_there("sliding_window", 1..=usize::MAX)?.unwrap_or(4096);
    let local = local_layers(config, shape.layers)?;
    let [of_global, of_local] = match config.section_if_there("rope_parameters")? {
        Some(parameters) => [Some(parameters.section(GLOBAL)?), Some(parameters.section(LOCAL)?)],
        // Older configs scale the global frequencies alone.
        None => [config.section_if_there("rope_scaling")?, None],
    };
    let frequencies = |scaling: Option<&Config>, field, usual| {
        let base = config.number_if_there(field, BASES)?.unwrap_or(usual);
        on_whole_heads(scaling)?;
        rotary(scaling, base, shape.head)
    };
    let global = frequencies(of_global.as_ref(), "rope_theta", GLOBAL_BASE)?;
    let nearby = frequencies(of_local.as_ref(), "rope_local_base_freq", LOCAL_BASE)?;

    let norm = |name: String| Norm { gain_offset: 1.0, ..Norm::rms(name, shape.eps) };
    let block = |layer: usize| {
        let name = |of: &str| format!("layers.{layer}.{of}");
        let turns = if local[layer] { &nearby } else { &global };
        let attention = Attention {
            scale: 1.0 / (scalar as f32).sqrt(),
            head_norms: Some([norm(name("self_attn.q_norm")), norm(name("self_attn.k_norm"))]),
            sight: if local[layer] { Sight::Window(window) } else { Sight::Sequence },
            ..shape.attention(layer, [biased; 2], turns.clone())
        };
        let sublayer = |before: &str, mixer, of_update: &str| Sublayer {
            before: Some(norm(name(before))),
            mixer,
            of_update: Some(norm(name(of_update))),
            after: None,
        };
        let mlp = Mixer::Mlp(shape.mlp(layer, activation, false));
        let sublayers = vec![
            sublayer("input_layernorm", Mixer::Attention(attention), "post_attention_layernorm"),
            sublayer("pre_feedforward_layernorm", mlp, "post_feedforward_layernorm"),
        ];
        Block { side: Side::Main, parallel: false, sublayers }
    };
    let blocks = (0..shape.layers).map(block).collect();
    let embedding = Embedding { scale: (shape.width as f32).sqrt(), ..Embedding::default() };
    let last = norm("norm".into());
    Ok(shape.spec("gemma3_text", embedding, blocks, last, true))
}

/// Which layers see a window only: as listed, or all but every sixth.
fn local_layers(config: &Config, layers: usize) -> Result<Vec<bool>, ArchError> {
    let pattern = config.whole_if_there("sliding_window_pattern", 1..=usize::MAX)?.unwrap_or(USUAL_PATTERN);
    let Some(listed) = config.list_if_there("layer_types")? else {
        return Ok((0..layers).map(|layer| !(layer + 1).is_multiple_of(pattern)).collect());
    };
    let kind = |value: &Value| match value.as_str() {
        Some(LOCAL) => Ok(true),
        Some(GLOBAL) => Ok(false),
        _ => Err(unsupported("layer_types", format!("[… {value} …]"))),
    };
    let kinds = listed.iter().map(kind).collect::<Result<Vec<bool>, _>>()?;
    match kinds.len() == layers {
        true => Ok(kinds),
        false => Err(unsupported("layer_types", format!("of {} layers, where there are {layers},", kinds.len()))),
    }
}
