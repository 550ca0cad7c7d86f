//! Which weights a chart is of: the whole model, a layer, or one matrix.

use super::{Part, labels};

/// A choice of weight matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every matrix.
    Model,
    /// The matrices of a layer.
    Layer(usize),
    /// One matrix.
    Tensor(usize, Part),
}

impl Scope {
    /// Every choice for a model of these matrices, coarse to fine.
    pub fn all(matrices: &[(usize, Part)]) -> impl Iterator<Item = Scope> {
        let layers = matrices.iter().map(|(layer, _)| layer + 1).max().unwrap_or(0);
        let tensors = matrices.iter().map(|(layer, part)| Scope::Tensor(*layer, *part));
        [Scope::Model].into_iter().chain((0..layers).map(Scope::Layer)).chain(tensors)
    }

    /// Whether a matrix is among them.
    pub fn holds(self, layer: usize, part: Part) -> bool {
        match self {
            Scope::Model => true,
            Scope::Layer(own) => own == layer,
            Scope::Tensor(own, of) => (own, of) == (layer, part),
        }
    }

    /// As a person calls it.
    pub fn title(self) -> String {
        match self {
            Scope::Model => "the whole model".into(),
            Scope::Layer(layer) => format!("layer {layer}"),
            Scope::Tensor(layer, part) => format!("layer {layer}, {}", labels::part(part)),
        }
    }

    /// As files and options are named.
    pub fn key(self) -> String {
        match self {
            Scope::Model => "model".into(),
            Scope::Layer(layer) => format!("layer-{layer}"),
            Scope::Tensor(layer, part) => format!("layer-{layer}-{}", labels::part_key(part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_a_name_of_its_own() {
        let matrices: Vec<_> = (0..3).flat_map(|layer| Part::ALL.map(|part| (layer, part))).collect();
        let keys: Vec<String> = Scope::all(&matrices).map(Scope::key).collect();
        assert_eq!(keys.len(), 1 + 3 + matrices.len());
        assert!(keys.iter().enumerate().all(|(at, key)| !keys[..at].contains(key)));
        assert!(Scope::Layer(1).holds(1, Part::Up) && !Scope::Tensor(1, Part::Up).holds(1, Part::Out));
    }
}
