//! Languages by how much of them a model has seen.

use crate::model::card::Resource;

/// Which languages go into which figure over all languages.
pub(crate) struct Groups {
    /// Seen in training, or of unknown resource.
    pub(crate) counted: Vec<usize>,
    pub(crate) high: Vec<usize>,
    pub(crate) low: Vec<usize>,
}

impl Groups {
    pub(crate) fn new(resources: &[Resource]) -> Groups {
        let which = |keep: fn(Resource) -> bool| (0..resources.len()).filter(|&i| keep(resources[i])).collect();
        Groups {
            counted: which(|resource| resource != Resource::Unseen),
            high: which(|resource| resource == Resource::High),
            low: which(|resource| resource == Resource::Low),
        }
    }
}
