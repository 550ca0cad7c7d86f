//! Sets of layers to protect, and the tree of choices that leads to them.
//!
//! A set is decided layer by layer, from the first on. Sets that begin alike share a branch, so whatever depends on the
//! beginning alone is computed once for all of them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Layers that a set can speak of.
pub const MOST_LAYERS: usize = 64;

/// A set of layers, by number from 0; in JSON the list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(into = "Vec<usize>", try_from = "Vec<usize>")]
pub struct LayerSet(u64);

impl From<LayerSet> for Vec<usize> {
    fn from(set: LayerSet) -> Vec<usize> {
        set.layers().collect()
    }
}

impl TryFrom<Vec<usize>> for LayerSet {
    type Error = String;

    fn try_from(layers: Vec<usize>) -> Result<LayerSet, String> {
        match layers.iter().find(|&&layer| layer >= MOST_LAYERS) {
            Some(layer) => Err(format!("layer {layer} of a set; it must be below {MOST_LAYERS}")),
            None => Ok(layers.into_iter().collect()),
        }
    }
}

impl LayerSet {
    /// No layer.
    pub const EMPTY: LayerSet = LayerSet(0);

    /// The first `layers` layers.
    ///
    /// # Panics
    /// If there are more than [`MOST_LAYERS`].
    pub fn all(layers: usize) -> LayerSet {
        assert!(layers <= MOST_LAYERS);
        LayerSet(if layers == MOST_LAYERS { u64::MAX } else { (1 << layers) - 1 })
    }

    /// Whether a layer is in it.
    pub fn contains(self, layer: usize) -> bool {
        layer < MOST_LAYERS && self.0 >> layer & 1 == 1
    }

    /// With a layer.
    ///
    /// # Panics
    /// If its number is [`MOST_LAYERS`] or more.
    pub fn with(self, layer: usize) -> LayerSet {
        assert!(layer < MOST_LAYERS);
        LayerSet(self.0 | 1 << layer)
    }

    /// Without a layer.
    pub fn without(self, layer: usize) -> LayerSet {
        if self.contains(layer) { LayerSet(self.0 & !(1 << layer)) } else { self }
    }

    /// One bit per layer, the first lowest.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// How many layers.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its layers, rising.
    pub fn layers(self) -> impl Iterator<Item = usize> {
        (0..MOST_LAYERS).filter(move |&layer| self.contains(layer))
    }

    /// What both hold.
    pub fn common(self, other: LayerSet) -> LayerSet {
        LayerSet(self.0 & other.0)
    }

    /// Whether it holds all of another.
    pub fn holds(self, other: LayerSet) -> bool {
        self.common(other) == other
    }
}

impl FromIterator<usize> for LayerSet {
    fn from_iter<I: IntoIterator<Item = usize>>(layers: I) -> LayerSet {
        layers.into_iter().fold(LayerSet::EMPTY, LayerSet::with)
    }
}

/// Every set of one of the given sizes, of a model with so many layers, or sets named one by one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Family {
    layers: usize,
    sizes: BTreeSet<usize>,
    /// None of them is of these sizes.
    named: BTreeSet<LayerSet>,
}

/// Sets whose first layers are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Branch {
    /// So many layers are decided.
    pub decided: usize,
    /// Those of them that are protected.
    pub protected: LayerSet,
}

impl Branch {
    /// Where nothing is decided.
    pub const ROOT: Branch = Branch { decided: 0, protected: LayerSet::EMPTY };
}

impl Family {
    /// Sizes beyond the number of layers have no set and are left out.
    ///
    /// # Panics
    /// If there are more than [`MOST_LAYERS`] layers.
    pub fn new(layers: usize, sizes: impl IntoIterator<Item = usize>) -> Family {
        assert!(layers <= MOST_LAYERS);
        let sizes = sizes.into_iter().filter(|&size| size <= layers).collect();
        Family { layers, sizes, named: BTreeSet::new() }
    }

    /// These sets alone; layers that the model does not have are left out of them.
    ///
    /// # Panics
    /// If there are more than [`MOST_LAYERS`] layers.
    pub fn named(layers: usize, sets: impl IntoIterator<Item = LayerSet>) -> Family {
        let all = LayerSet::all(layers);
        Family { layers, sizes: BTreeSet::new(), named: sets.into_iter().map(|set| set.common(all)).collect() }
    }

    /// Named sets that lie beyond a branch.
    fn named_beyond(&self, branch: Branch) -> impl Iterator<Item = LayerSet> {
        let decided = LayerSet::all(branch.decided);
        self.named.iter().copied().filter(move |set| set.common(decided) == branch.protected)
    }

    /// Layers of the model.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Whether some set lies beyond a branch.
    pub fn reaches(&self, branch: Branch) -> bool {
        let held = branch.protected.len();
        self.sizes.range(held..=held + (self.layers - branch.decided)).next().is_some()
            || self.named_beyond(branch).next().is_some()
    }

    /// Where a branch goes on: the next layer left, then protected; none where all layers are decided.
    pub fn next(&self, branch: Branch) -> impl Iterator<Item = (bool, Branch)> {
        let Branch { decided, protected } = branch;
        let choices = if decided < self.layers { &[false, true][..] } else { &[] };
        choices.iter().filter_map(move |&protect| {
            let protected = if protect { protected.with(decided) } else { protected };
            let next = Branch { decided: decided + 1, protected };
            self.reaches(next).then_some((protect, next))
        })
    }

    /// The sets beyond a branch, in the order of the tree.
    pub fn sets(&self, branch: Branch) -> Vec<LayerSet> {
        let mut ends = if self.reaches(branch) { vec![branch] } else { Vec::new() };
        while ends.first().is_some_and(|end| end.decided < self.layers) {
            ends = ends.into_iter().flat_map(|end| self.next(end)).map(|(_, next)| next).collect();
        }
        ends.into_iter().map(|end| end.protected).collect()
    }

    /// Layer evaluations that the tree beyond a branch takes, when each branch is computed once.
    pub fn steps(&self, branch: Branch) -> usize {
        self.next(branch).map(|(_, next)| 1 + self.steps(next)).sum()
    }

    /// The tree cut into branches, in the order of the tree. `most` says how many sets a branch may have at most, given how
    /// many the branches before it have.
    pub fn cut(&self, most: impl Fn(u128) -> u128) -> Vec<Branch> {
        let (mut whole, mut before): (Vec<Branch>, u128) = (Vec::new(), 0);
        let mut open = if self.reaches(Branch::ROOT) { vec![Branch::ROOT] } else { Vec::new() };
        while let Some(branch) = open.pop() {
            let count = self.count(branch);
            if branch.decided == self.layers || count <= most(before) {
                whole.push(branch);
                before += count;
            } else {
                let next: Vec<Branch> = self.next(branch).map(|(_, next)| next).collect();
                open.extend(next.into_iter().rev());
            }
        }
        whole
    }

    /// How many sets lie beyond a branch.
    pub fn count(&self, branch: Branch) -> u128 {
        let (held, left) = (branch.protected.len(), self.layers - branch.decided);
        let of_sizes: u128 = self.sizes.range(held..=held + left).map(|size| choose(left, size - held)).sum();
        of_sizes + self.named_beyond(branch).count() as u128
    }
}

/// n over k.
fn choose(n: usize, k: usize) -> u128 {
    (0..k.min(n - k)).fold(1, |so_far, i| so_far * (n - i) as u128 / (i + 1) as u128)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_of_twelve_take_999_steps_instead_of_2640() {
        let family = Family::new(12, [3]);
        assert_eq!(family.count(Branch::ROOT), 220);
        assert_eq!(family.steps(Branch::ROOT), 999);
        assert_eq!(Family::new(12, 0..=12).count(Branch::ROOT), 4096);
    }

    #[test]
    fn many_layers_are_counted_without_being_listed() {
        assert_eq!(Family::new(64, [32]).count(Branch::ROOT), 1_832_624_140_942_590_534);
        assert_eq!(LayerSet::all(64).len(), 64);
    }

    proptest! {
        /// Any sizes give the filtered list of all sets; each once; and however the tree is cut, its branches hold them
        /// in the same order.
        #[test]
        fn the_tree_holds_every_set_once(
            layers in 0usize..9,
            sizes in prop::collection::btree_set(0usize..11, 0..4),
            most in 1u128..40,
        ) {
            let family = Family::new(layers, sizes.iter().copied());
            let sets = family.sets(Branch::ROOT);
            let distinct: BTreeSet<LayerSet> = sets.iter().copied().collect();
            let filtered: BTreeSet<LayerSet> =
                (0..1u64 << layers).map(LayerSet).filter(|set| sizes.contains(&set.len())).collect();
            prop_assert_eq!(distinct, filtered);
            prop_assert_eq!(sets.len() as u128, family.count(Branch::ROOT));
            let cut = family.cut(|_| most);
            prop_assert!(cut.iter().all(|branch| family.count(*branch) <= most));
            prop_assert_eq!(&cut.iter().flat_map(|branch| family.sets(*branch)).collect::<Vec<_>>(), &sets);
            // Named one by one they are the same family.
            let named = Family::named(layers, sets.iter().copied());
            prop_assert_eq!(named.sets(Branch::ROOT), sets);
            prop_assert_eq!(named.steps(Branch::ROOT), family.steps(Branch::ROOT));
            prop_assert_eq!(named.cut(|_| most), cut);
        }

        /// A set is the list of its layers in JSON, and no list makes a set that there is not.
        #[test]
        fn a_set_is_a_list(bits in any::<u64>(), wrong in MOST_LAYERS..1000) {
            let set = LayerSet(bits);
            let json = serde_json::to_string(&set).unwrap();
            prop_assert_eq!(serde_json::from_str::<LayerSet>(&json).unwrap(), set);
            let wrong = serde_json::from_str::<LayerSet>(&format!("[0,{wrong}]"));
            prop_assert!(wrong.is_err());
        }
    }
}
