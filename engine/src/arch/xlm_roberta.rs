//! XLM-R: an encoder with norms after each half, learned positions, and a head that predicts masked tokens.

use super::{
    ArchError,
    fields::{
        MAX_CONTEXT, MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH, activation, head, only, per_root, token, unsupported,
    },
    scoring::Scoring,
    spec::{
        Activation, Attention, Block, Embedding, Head, Linear, Mixer, Mlp, Norm, Positions, Projections, Side, Sight,
        Spec, Sublayer, Transform,
    },
};
use crate::model::config::Config;

/// A window has a token before it and one after it, and some between them.
const LEAST_CONTEXT: usize = 6;

/// The spec of an XLM-R config.
pub fn spec(config: &Config) -> Result<Spec, ArchError> {
    let width = config.whole("hidden_size", 1..=MAX_WIDTH)?;
    let layers = config.whole("num_hidden_layers", 1..=MAX_LAYERS)?;
    let heads = config.whole("num_attention_heads", 1..=width)?;
    let inner = config.whole("intermediate_size", 1..=4 * MAX_WIDTH)?;
    let lines = config.whole("max_position_embeddings", LEAST_CONTEXT + 2..=MAX_CONTEXT)?;
    let vocabulary = config.whole("vocab_size", 4..=MAX_VOCABULARY)?;
    let eps = config.number_if_there("layer_norm_eps", 0.0..=1.0)?.unwrap_or(1e-12) as f32;
    let activation = activation(config, "hidden_act", "gelu")?;
    let head = head(("num_attention_heads", heads), ("hidden_size", width))?;
    only(config, &[("is_decoder", false), ("add_cross_attention", false), ("tie_word_embeddings", true)])?;
    match config.text_if_there("position_embedding_type")? {
        None | Some("absolute") => {}
        Some(other) => return Err(unsupported("position_embedding_type", format!("\"{other}\""))),
    }
    // Lines up to that of the padding belong to nobody.
    let offset = token(config, "pad_token_id", 1, vocabulary)? as usize + 1;
    let context = lines.saturating_sub(offset);
    if context < LEAST_CONTEXT {
        return Err(config.wrong("pad_token_id", format!("a token below {}", lines - LEAST_CONTEXT)).into());
    }
    // No config names the mask: it is the last token of every model of this kind.
    let scoring = Scoring::Masked {
        begin: token(config, "bos_token_id", 0, vocabulary)?,
        end: token(config, "eos_token_id", 2, vocabulary)?,
        mask: vocabulary as u32 - 1,
    };

    let block = |layer: usize| {
        let name = |of: &str| format!("encoder.layer.{layer}.{of}");
        let linear = |of: &str, k, n| Linear::new(name(of), [k, n], true);
        let attention = Attention {
            projections: Projections::Separate {
                query: linear("attention.self.query", width, width),
                key: linear("attention.self.key", width, width),
                value: linear("attention.self.value", width, width),
            },
            out: linear("attention.output.dense", width, width),
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
            up: linear("intermediate.dense", width, inner),
            down: linear("output.dense", inner, width),
            activation,
        };
        let sublayers = vec![
            Sublayer::post(Mixer::Attention(attention), Norm::layer(name("attention.output.LayerNorm"), eps)),
            Sublayer::post(Mixer::Mlp(mlp), Norm::layer(name("output.LayerNorm"), eps)),
        ];
        Block { side: Side::Main, parallel: false, sublayers }
    };
    let tokens = "embeddings.word_embeddings.weight";
    let segments = config.whole_if_there("type_vocab_size", 1..=MAX_WIDTH)?.unwrap_or(2);
    Ok(Spec {
        architecture: "xlm-roberta",
        prefixes: &["roberta."],
        width,
        context,
        vocabulary,
        scoring,
        tokens: tokens.into(),
        embedding: Embedding {
            positions: Positions::Learned {
                table: "embeddings.position_embeddings.weight".into(),
                rows: lines,
                offset,
            },
            segments: Some(("embeddings.token_type_embeddings.weight".into(), segments)),
            norm: Some(Norm::layer("embeddings.LayerNorm", eps)),
            ..Embedding::default()
        },
        blocks: (0..layers).map(block).collect(),
        source_norm: None,
        last_norm: None,
        head: Head {
            bias: Some("lm_head.bias".into()),
            transform: Some(Transform {
                dense: Linear::new("lm_head.dense", [width, width], true),
                activation: Activation::Gelu,
                norm: Norm::layer("lm_head.layer_norm", eps),
            }),
            ..Head::of(tokens)
        },
    })
}
