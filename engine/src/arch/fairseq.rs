//! The block of fairseq's decoders, which XGLM and OPT share.

use super::{
    fields::per_root,
    spec::{Activation, Attention, Block, Linear, Mixer, Mlp, Norm, Projections, Side, Sight, Sublayer},
};

/// What they call its parts, and where they differ.
pub struct Names {
    /// Norm of the attention.
    pub attention_norm: &'static str,
    /// Norm of the MLP.
    pub mlp_norm: &'static str,
    /// Whether linear layers have biases.
    pub biased: bool,
    /// Norms come before; else after, of the stream.
    pub norm_first: bool,
}

/// A block of (width, inner) channels and (heads, channels of a head).
pub fn block(
    names: &Names,
    layer: usize,
    [width, inner]: [usize; 2],
    [heads, head]: [usize; 2],
    activation: Activation,
    eps: f32,
) -> Block {
    let name = |of: &str| format!("layers.{layer}.{of}");
    let linear = |of: &str, k, n| Linear::new(name(of), [k, n], names.biased);
    let attention = Attention {
        projections: Projections::Separate {
            query: linear("self_attn.q_proj", width, width),
            key: linear("self_attn.k_proj", width, width),
            value: linear("self_attn.v_proj", width, width),
        },
        out: linear("self_attn.out_proj", width, width),
        heads,
        key_heads: heads,
        head,
        scale: per_root(head),
        head_norms: None,
        rotary: None,
        bias: None,
        sight: Sight::Sequence,
    };
    let mlp = Mlp { gate: None, up: linear("fc1", width, inner), down: linear("fc2", inner, width), activation };
    let sublayer = |norm: &str, mixer| {
        let norm = Norm::layer(name(norm), eps);
        if names.norm_first { Sublayer::pre(norm, mixer) } else { Sublayer::post(mixer, norm) }
    };
    let sublayers =
        vec![sublayer(names.attention_norm, Mixer::Attention(attention)), sublayer(names.mlp_norm, Mixer::Mlp(mlp))];
    Block { side: Side::Main, parallel: false, sublayers }
}
