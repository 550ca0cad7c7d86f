//! How each layer's weights are spread, taken while the model streams by. A layer is held until its last matrix is in, because
//! its tails are counted around the mean of all of them; then it is let go.

use std::collections::BTreeMap;

use super::spec::Spec;
use crate::math::{moments::Moments, spread::Spread};

/// The matrices of one layer, and all of them as if they were one.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerSpread {
    /// In the order in which the block meets them.
    pub matrices: Vec<Spread>,
    /// As one.
    pub whole: Spread,
}

/// A layer, matrix by matrix in the order in which its block meets them: every matrix is looked at once, the layer's moments are
/// merged from theirs.
#[derive(Default)]
pub struct Layering {
    moments: Moments,
    spreads: Vec<Spread>,
    values: Vec<Vec<f32>>,
}

impl Layering {
    /// Takes in the next matrix.
    pub fn add(&mut self, values: Vec<f32>) {
        let moments = Moments::of(&values);
        self.moments = self.moments.merge(&moments);
        self.spreads.push(Spread::of(&moments, &[&values]));
        self.values.push(values);
    }

    /// Of all that came.
    pub fn finish(self) -> LayerSpread {
        let parts: Vec<&[f32]> = self.values.iter().map(Vec::as_slice).collect();
        LayerSpread { whole: Spread::of(&self.moments, &parts), matrices: self.spreads }
    }
}

/// The layers of a model, those that are whole.
#[derive(Default)]
pub struct Spreads {
    /// Layer of each matrix, and its place there.
    places: BTreeMap<String, (usize, usize)>,
    /// What is there of layers that are not whole.
    waiting: BTreeMap<usize, Vec<Option<Vec<f32>>>>,
    whole: BTreeMap<usize, LayerSpread>,
}

impl Spreads {
    /// Of a model of which nothing is in yet.
    pub fn new(spec: &Spec) -> Spreads {
        let mut spreads = Spreads::default();
        for (layer, block) in spec.blocks.iter().enumerate() {
            let names: Vec<&String> = block.linears().map(|linear| &linear.weight).collect();
            spreads.waiting.insert(layer, vec![None; names.len()]);
            spreads.places.extend(names.into_iter().enumerate().map(|(at, name)| (name.clone(), (layer, at))));
        }
        spreads
    }

    /// Takes in a matrix by the spec's name, in whatever order they come; gives the layer that is whole with it.
    pub fn take(&mut self, name: &str, values: Vec<f32>) -> Option<&LayerSpread> {
        let (layer, at) = *self.places.get(name)?;
        let waiting = self.waiting.get_mut(&layer)?;
        waiting[at] = Some(values);
        if waiting.iter().any(Option::is_none) {
            return None;
        }
        let mut layering = Layering::default();
        self.waiting.remove(&layer)?.into_iter().flatten().for_each(|values| layering.add(values));
        self.whole.insert(layer, layering.finish());
        self.whole.get(&layer)
    }

    /// A layer that is whole.
    pub fn layer(&self, layer: usize) -> Option<&LayerSpread> {
        self.whole.get(&layer)
    }

    /// Bytes of the matrices that wait for the others of their layer.
    pub fn held(&self) -> usize {
        self.waiting.values().flatten().flatten().map(|values| 4 * values.len()).sum()
    }
}
