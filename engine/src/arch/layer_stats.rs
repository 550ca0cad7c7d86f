//! How each layer's weights are spread, taken while the model streams by. A layer is held until its last matrix is in, because
//! its tails are counted around the mean of all of them; then it is let go.

use std::collections::BTreeMap;

use super::spec::Spec;
use crate::math::{moments::Moments, spread::Spread};

/// The matrices of one layer, and all of them as if they were one.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerStats {
    /// In the order in which the block meets them.
    pub matrices: Vec<Spread>,
    /// As one.
    pub whole: Spread,
}

/// A matrix that was looked at.
struct Matrix {
    moments: Moments,
    spread: Spread,
    values: Vec<f32>,
}

impl Matrix {
    fn of(values: Vec<f32>) -> Matrix {
        let moments = Moments::of(&values);
        Matrix { moments, spread: Spread::of(&moments, &[&values]), values }
    }
}

/// A layer, matrix by matrix in the order in which its block meets them: every matrix is looked at once, the layer's moments are
/// merged from theirs.
#[derive(Default)]
pub struct LayerMatrices(Vec<Matrix>);

impl LayerMatrices {
    /// Takes in the next matrix.
    pub fn add(&mut self, values: Vec<f32>) {
        self.0.push(Matrix::of(values));
    }

    /// Of all that came.
    pub fn finish(self) -> LayerStats {
        let moments = self.0.iter().fold(Moments::default(), |all, matrix| all.merge(&matrix.moments));
        let parts: Vec<&[f32]> = self.0.iter().map(|matrix| &matrix.values[..]).collect();
        let whole = Spread::of(&moments, &parts);
        LayerStats { whole, matrices: self.0.into_iter().map(|matrix| matrix.spread).collect() }
    }
}

/// The layers of a model, those that are whole.
#[derive(Default)]
pub struct StreamedStats {
    /// Layer of each matrix, and its place there.
    places: BTreeMap<String, (usize, usize)>,
    /// What is there of layers that are not whole.
    waiting: BTreeMap<usize, Vec<Option<Matrix>>>,
    whole: BTreeMap<usize, LayerStats>,
}

impl StreamedStats {
    /// Of a model of which nothing is in yet.
    pub fn new(spec: &Spec) -> StreamedStats {
        let mut layer_stats = StreamedStats::default();
        for (layer, block) in spec.blocks.iter().enumerate() {
            let names: Vec<&String> = block.linears().map(|linear| &linear.weight).collect();
            layer_stats.waiting.insert(layer, names.iter().map(|_| None).collect());
            layer_stats.places.extend(names.into_iter().enumerate().map(|(at, name)| (name.clone(), (layer, at))));
        }
        layer_stats
    }

    /// Takes in a matrix by the spec's name, in whatever order they come; gives the layer that is whole with it.
    pub fn take(&mut self, name: &str, values: Vec<f32>) -> Option<&LayerStats> {
        let (layer, at) = *self.places.get(name)?;
        let waiting = self.waiting.get_mut(&layer)?;
        // Looked at now and not when the layer is whole, so that no pause gets long.
        waiting[at] = Some(Matrix::of(values));
        if waiting.iter().any(Option::is_none) {
            return None;
        }
        let matrices_of_layer = LayerMatrices(self.waiting.remove(&layer)?.into_iter().flatten().collect());
        self.whole.insert(layer, matrices_of_layer.finish());
        self.whole.get(&layer)
    }

    /// A layer that is whole.
    pub fn layer(&self, layer: usize) -> Option<&LayerStats> {
        self.whole.get(&layer)
    }
}
