//! Where channels can be scaled on one side and scaled back on the other, in whatever way a block is built.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ArchError,
    spec::{Attention, Linear, Mixer, Norm, Projections, Sight, Spec},
};

/// Where channels can be scaled on one side and scaled back on the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Joint {
    /// Gain and bias of the norm before attention, against the input rows of queries, keys and values; before a scan, against
    /// those of its first layer.
    AttentionNorm,
    /// Columns and biases of the values, against the input rows of the output projection: attention only weighs values.
    Values,
    /// Gain and bias of the norm before the MLP, against the input rows of its first layer.
    MlpNorm,
}

impl Joint {
    /// Every joint, in the order of the forward pass.
    pub const ALL: [Joint; 3] = [Joint::AttentionNorm, Joint::Values, Joint::MlpNorm];

    /// As a sentence calls it.
    pub fn name(self) -> &'static str {
        match self {
            Joint::AttentionNorm => "the norm before attention",
            Joint::Values => "the values of attention",
            Joint::MlpNorm => "the norm before the MLP",
        }
    }
}

/// Both sides of a joint.
pub struct Sides<'a> {
    /// Channels that pass from one to the other.
    pub channels: usize,
    /// The matrix that makes them, where it is one.
    pub maker: Option<&'a Linear>,
    /// Vectors that make them: gain and bias, or the matrix's bias.
    pub vectors: Vec<&'a String>,
    /// Matrices that read them.
    pub readers: Vec<&'a Linear>,
    /// The attention whose values they are.
    values_of: Option<&'a Attention>,
}

impl Sides<'_> {
    /// Where a channel is among the outputs of what makes it.
    pub fn output(&self, channel: usize) -> usize {
        match self.values_of {
            Some(Attention { projections: Projections::Fused { by_head, .. }, heads, head, .. }) => match by_head {
                true => channel / head * 3 * head + 2 * head + channel % head,
                false => 2 * heads * head + channel,
            },
            _ => channel,
        }
    }

    /// Where it is among the inputs of each reader: values are read once for every head that they serve.
    pub fn inputs(&self, channel: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let (group, head) = self.values_of.map_or((1, 1), |of| (of.heads / of.key_heads, of.head));
        (0..group).map(move |of_group| (channel / head * group + of_group) * head + channel % head)
    }
}

/// The joint of a layer; an error that says why where it has none.
pub fn sides(spec: &Spec, layer: usize, joint: Joint) -> Result<Sides<'_>, ArchError> {
    let refused = |why| ArchError::NoJoint { joint, layer: spec.layer_name(layer), why };
    let mut sublayers = spec.blocks[layer].sublayers.iter();
    let found = sublayers.find_map(|sublayer| match (&sublayer.mixer, joint) {
        (Mixer::Attention(attention), Joint::AttentionNorm | Joint::Values) if attention.sight != Sight::Source => {
            Some((sublayer.before.as_ref(), &sublayer.mixer))
        }
        (Mixer::Mlp(_), Joint::MlpNorm) | (Mixer::Scan(_), Joint::AttentionNorm) => {
            Some((sublayer.before.as_ref(), &sublayer.mixer))
        }
        _ => None,
    });
    let (norm, mixer) = found.ok_or(refused("the layer has no such part"))?;
    match mixer {
        Mixer::Attention(attention) if joint == Joint::Values => Ok(of_values(attention)),
        Mixer::Attention(Attention { projections: Projections::Fused { qkv, .. }, .. }) => {
            behind(norm, vec![qkv], spec.width).map_err(refused)
        }
        Mixer::Attention(Attention { projections: Projections::Separate { query, key, value }, .. }) => {
            behind(norm, vec![query, key, value], spec.width).map_err(refused)
        }
        Mixer::Scan(scan) => behind(norm, vec![&scan.into], spec.width).map_err(refused),
        Mixer::Mlp(mlp) => behind(norm, mlp.gate.iter().chain([&mlp.up]).collect(), spec.width).map_err(refused),
    }
}

fn of_values(attention: &Attention) -> Sides<'_> {
    let maker = match &attention.projections {
        Projections::Fused { qkv, .. } => qkv,
        Projections::Separate { value, .. } => value,
    };
    Sides {
        channels: attention.key_heads * attention.head,
        maker: Some(maker),
        vectors: maker.bias.iter().collect(),
        readers: vec![&attention.out],
        values_of: Some(attention),
    }
}

fn behind<'a>(norm: Option<&'a Norm>, readers: Vec<&'a Linear>, channels: usize) -> Result<Sides<'a>, &'static str> {
    let norm = norm.ok_or("its norm is that of the residual stream, which others read too")?;
    if norm.gain_offset != 0.0 {
        return Err("1 is added to its gains, so they cannot be scaled exactly");
    }
    let vectors = [&norm.gain].into_iter().chain(&norm.bias).collect();
    Ok(Sides { channels, maker: None, vectors, readers, values_of: None })
}
