//! What sets one model's design apart from another's, in words that a table can hold side by side (document 004, section 6.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::{Activation, Attention, Bias, Block, Measure, Mixer, Mlp, Norm, Positions, Spec};

/// Design of a model that its config gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
// What the schema has called it since it was first written.
#[schemars(rename = "Traits", description = "Traits of a model that its config gives.")]
pub struct Design {
    /// `model_type` of the config.
    pub architecture: String,
    /// Blocks, those of an encoder included.
    pub layers: usize,
    /// Channels of the residual stream.
    pub width: usize,
    /// Channels inside the MLP, or inside a scan.
    pub inner: usize,
    /// Heads of the queries; 0 without attention.
    pub heads: usize,
    /// Heads of keys and values; 0 without attention.
    pub key_heads: usize,
    /// Rows of the token table.
    pub vocabulary: usize,
    /// Longest input in tokens.
    pub context: usize,
    /// Activation function of the blocks.
    pub activation: Function,
    /// Whether a gate multiplies what it gives: with SiLU, that is SwiGLU.
    pub gated: bool,
    /// How norms measure.
    pub norm: NormKind,
    /// Where they stand.
    pub placement: Placement,
    /// Added to the variance.
    pub eps: f64,
    /// How the model knows places.
    pub positions: Vec<PositionKind>,
    /// Whether attention and MLP of a block read the same.
    pub parallel: bool,
    /// Whether the head is the token table.
    pub tied: bool,
}

/// An activation function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TraitsFunction")]
#[serde(rename_all = "snake_case")]
pub enum Function {
    /// GELU in its tanh form.
    GeluTanh,
    /// GELU itself.
    Gelu,
    /// The greater of x and 0.
    Relu,
    /// x·σ(x).
    Silu,
}

/// A kind of norm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TraitsNorm")]
#[serde(rename_all = "snake_case")]
pub enum NormKind {
    /// Layer norm: about the mean.
    Layer,
    /// RMS norm: about 0.
    Rms,
    /// None.
    None,
}

/// Where the norms of a block stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TraitsPlacement")]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Of what a sublayer reads.
    Before,
    /// Of the stream, after a sublayer.
    After,
    /// Of what a sublayer reads, and of what it adds.
    Around,
    /// Nowhere.
    Nowhere,
}

/// A way of telling places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TraitsPlaces")]
#[serde(rename_all = "snake_case")]
pub enum PositionKind {
    /// A learned table, added to the embeddings.
    Learned,
    /// Sines and cosines, added to the embeddings.
    Sinusoidal,
    /// Queries and keys are turned.
    Rotary,
    /// Scores fall with distance (ALiBi).
    Slopes,
    /// A learned bias by distance (T5).
    Buckets,
    /// By the order of a scan alone.
    Order,
}

impl Design {
    /// Of a spec. Where blocks differ, the last speaks for all: it is a decoder's, where there is one.
    pub fn of(spec: &Spec) -> Design {
        let block = spec.blocks.last();
        let sublayers = || block.into_iter().flat_map(|block| &block.sublayers);
        let attention = sublayers().find_map(|of| if let Mixer::Attention(own) = &of.mixer { Some(own) } else { None });
        let (activation, gated, inner) =
            sublayers().find_map(|of| inner(&of.mixer)).unwrap_or((Function::Gelu, false, 0));
        let norm = sublayers().find_map(|of| of.before.as_ref().or(of.after.as_ref()));
        Design {
            architecture: spec.architecture.into(),
            layers: spec.blocks.len(),
            width: spec.width,
            inner,
            heads: attention.map_or(0, |of| of.heads),
            key_heads: attention.map_or(0, |of| of.key_heads),
            vocabulary: spec.vocabulary,
            context: spec.context,
            activation,
            gated,
            norm: norm.map_or(NormKind::None, kind),
            placement: block.map_or(Placement::Nowhere, placement),
            eps: norm.map_or(0.0, |norm| written(norm.eps)),
            positions: positions(spec, attention),
            parallel: block.is_some_and(|block| block.parallel),
            tied: spec.head.table == spec.tokens,
        }
    }
}

/// Activation function, gate and inner channels of what works within a row.
fn inner(mixer: &Mixer) -> Option<(Function, bool, usize)> {
    match mixer {
        Mixer::Mlp(Mlp { gate, up, activation, .. }) => Some((function(*activation), gate.is_some(), up.layout.n)),
        // Its gate multiplies what is scanned.
        Mixer::Scan(scan) => Some((function(scan.activation), true, scan.out.layout.k)),
        Mixer::Attention(_) => None,
    }
}

fn function(activation: Activation) -> Function {
    match activation {
        Activation::GeluTanh => Function::GeluTanh,
        Activation::Gelu => Function::Gelu,
        Activation::Relu => Function::Relu,
        Activation::Silu => Function::Silu,
    }
}

fn kind(norm: &Norm) -> NormKind {
    match norm.measure {
        Measure::Centred => NormKind::Layer,
        Measure::Rms => NormKind::Rms,
    }
}

/// As config.json writes it: 1e-5 in f32 is not 1e-5 in f64.
fn written(eps: f32) -> f64 {
    eps.to_string().parse().unwrap_or(f64::from(eps))
}

fn placement(block: &Block) -> Placement {
    let has = |which: fn(&super::spec::Sublayer) -> bool| block.sublayers.iter().any(which);
    match (has(|of| of.before.is_some()), has(|of| of.of_update.is_some()), has(|of| of.after.is_some())) {
        (true, true, _) => Placement::Around,
        (true, false, _) => Placement::Before,
        (false, _, true) => Placement::After,
        _ => Placement::Nowhere,
    }
}

fn positions(spec: &Spec, attention: Option<&Attention>) -> Vec<PositionKind> {
    let mut found = Vec::new();
    match spec.embedding.positions {
        Positions::None => {}
        Positions::Learned { .. } => found.push(PositionKind::Learned),
        Positions::Sinusoidal { .. } => found.push(PositionKind::Sinusoidal),
    }
    if let Some(attention) = attention {
        found.extend(attention.rotary.as_ref().map(|_| PositionKind::Rotary));
        match attention.bias {
            Some(Bias::Slopes(_)) => found.push(PositionKind::Slopes),
            Some(Bias::Buckets { .. }) => found.push(PositionKind::Buckets),
            None => {}
        }
    }
    if found.is_empty() { vec![PositionKind::Order] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::Config;

    fn of(folder: &str) -> Design {
        let file = format!("{}/../tests/fixtures/{folder}/config.json", env!("CARGO_MANIFEST_DIR"));
        let config = Config::parse(&std::fs::read(file).unwrap()).unwrap();
        Design::of(&crate::arch::spec(&config).unwrap())
    }

    /// What each family is known for, as its papers and configs say.
    #[test]
    fn families_have_the_traits_they_are_known_for() {
        use {Function::*, Placement::*, PositionKind::*};
        let known = [
            ("gpt2-tiny", GeluTanh, false, NormKind::Layer, Before, vec![Learned], true),
            ("bloom-tiny", GeluTanh, false, NormKind::Layer, Before, vec![Slopes], true),
            ("xglm-tiny", Gelu, false, NormKind::Layer, Before, vec![Sinusoidal], true),
            ("opt-tiny", Relu, false, NormKind::Layer, Before, vec![Learned], true),
            ("opt-post-tiny", Relu, false, NormKind::Layer, After, vec![Learned], true),
            ("gpt_neox-tiny", Gelu, false, NormKind::Layer, Before, vec![Rotary], false),
            ("llama-tiny", Silu, true, NormKind::Rms, Before, vec![Rotary], false),
            ("qwen2-tiny", Silu, true, NormKind::Rms, Before, vec![Rotary], false),
            ("gemma3_text-tiny", GeluTanh, true, NormKind::Rms, Around, vec![Rotary], true),
            ("xlm-roberta-tiny", Gelu, false, NormKind::Layer, After, vec![Learned], true),
            ("mt5-tiny", GeluTanh, true, NormKind::Rms, Before, vec![Buckets], false),
            ("mamba-tiny", Silu, true, NormKind::Rms, Before, vec![Order], true),
        ];
        for (folder, activation, gated, norm, placement, positions, tied) in known {
            let traits = of(folder);
            assert_eq!((traits.activation, traits.gated), (activation, gated), "{folder}");
            assert_eq!((traits.norm, traits.placement), (norm, placement), "{folder}");
            assert_eq!((&traits.positions, traits.tied), (&positions, tied), "{folder}");
            assert!(traits.layers > 0 && traits.width > 0 && traits.inner > 0 && traits.vocabulary > 0, "{folder}");
            assert_eq!(traits.heads == 0, folder == "mamba-tiny");
            assert!(traits.eps > 0.0 && traits.eps < 1e-3, "{folder}: {}", traits.eps);
        }
        assert!(of("gpt_neox-tiny").parallel && !of("gpt2-tiny").parallel);
        assert_eq!(of("gpt2-tiny").eps, 1e-5, "as it is written");
    }
}
