//! Mamba: no attention; each layer is a short convolution and a selective scan behind an RMS norm. Tied head.

use super::{
    ArchError,
    fields::{MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, activation, first_whole},
    scoring::Scoring,
    spec::{Block, Embedding, Head, Linear, Mixer, Norm, Scan, Side, Spec, Sublayer},
};
use crate::{backend::kernels::scan::MOST_STATES, model::config::Config};

/// Mamba has no longest input of its own; this is what it was trained on.
const CONTEXT: usize = 2_048;
/// Channels for each of the step's, where the config says "auto".
const CHANNELS_PER_RANK: usize = 16;

/// The spec of a Mamba config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = first_whole(config, &["hidden_size", "d_model"], 1..=MAX_WIDTH)?;
    let layers = first_whole(config, &["num_hidden_layers", "n_layer"], 1..=MAX_LAYERS)?;
    let expand = config.whole_if_there("expand", 1..=16)?.unwrap_or(2);
    let inner = config.whole_if_there("intermediate_size", 1..=16 * MAX_WIDTH)?.unwrap_or(expand * width);
    let state = config.whole_if_there("state_size", 1..=MOST_STATES as usize)?.unwrap_or(16);
    let size = config.whole_if_there("conv_kernel", 1..=64)?.unwrap_or(4);
    let rank = match config.get("time_step_rank").and_then(|value| value.as_str()) {
        Some("auto") => width.div_ceil(CHANNELS_PER_RANK),
        _ => config.whole_if_there("time_step_rank", 1..=MAX_WIDTH)?.unwrap_or(width.div_ceil(CHANNELS_PER_RANK)),
    };
    let eps = config.number_if_there("layer_norm_epsilon", 0.0..=1.0)?.unwrap_or(1e-5) as f32;
    let activation = activation(config, "hidden_act", "silu")?;
    let biased = config.flag_if_there("use_bias")?.unwrap_or(false);
    let convolution_biased = config.flag_if_there("use_conv_bias")?.unwrap_or(true);
    let tied = config.flag_if_there("tie_word_embeddings")?.unwrap_or(true);

    let block = |layer: usize| {
        let name = |of: &str| format!("layers.{layer}.mixer.{of}");
        let scan = Scan {
            into: Linear::new(name("in_proj"), [width, 2 * inner], biased),
            convolution: name("conv1d.weight"),
            convolution_bias: convolution_biased.then(|| name("conv1d.bias")),
            size,
            select: Linear::new(name("x_proj"), [inner, rank + 2 * state], false),
            step: Linear::new(name("dt_proj"), [rank, inner], true),
            rates: name("A_log"),
            skip: name("D"),
            out: Linear::new(name("out_proj"), [inner, width], biased),
            state,
            activation,
        };
        let norm = Norm::rms(format!("layers.{layer}.norm"), eps);
        Block { side: Side::Main, parallel: false, sublayers: vec![Sublayer::pre(norm, Mixer::Scan(scan))] }
    };
    let tokens = "embeddings.weight";
    Ok(Spec {
        architecture: "mamba",
        prefixes: &["backbone."],
        width,
        context: CONTEXT,
        vocabulary: config.whole("vocab_size", 1..=MAX_VOCABULARY)?,
        scoring: Scoring::Causal,
        tokens: tokens.into(),
        embedding: Embedding::default(),
        blocks: (0..layers).map(block).collect(),
        source_norm: None,
        last_norm: Some(Norm::rms("norm_f", eps)),
        head: Head::of(if tied { tokens } else { "lm_head.weight" }),
    })
}
