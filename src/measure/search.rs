//! A search over protection sets: which sets, on which texts, and how the work is cut into pieces that anyone may run in
//! any order.

use std::{collections::BTreeMap, ops::Range};

use super::plan::Text;
use crate::{
    arch::{
        ArchError,
        recipe::Recipe,
        walk::{ProtectedPart, Walk},
    },
    backend::Backend,
    math::sets::{Branch, Family, LayerSet},
};

/// The first branch of the tree is at most this part of it, so that a ranking of some sets stands early.
const FIRST: u128 = 10;
/// And each later one at most this: it repeats the layers before its beginning, so more and smaller ones would cost time.
const LATER: u128 = 6;
/// Smaller branches would repeat more than they share.
const FEWEST_SETS: u128 = 16;

/// What is searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Texts, in the order of the analysis.
    pub texts: Vec<Text>,
    /// Every block quantized.
    pub recipe: Recipe,
    /// What protection keeps.
    pub kept: ProtectedPart,
    /// The sets.
    pub family: Family,
}

/// The sets beyond a branch, on some texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The sets.
    pub branch: Branch,
    /// The texts.
    pub texts: Range<usize>,
}

impl Search {
    /// Branch after branch, in the order of the tree.
    pub fn branches(&self) -> Vec<Branch> {
        let all = self.family.count(Branch::ROOT);
        let [first, later] = [FIRST, LATER].map(|parts| all.div_ceil(parts).max(FEWEST_SETS));
        self.family.cut(|before| if before == 0 { first } else { later })
    }

    /// A branch, text after text.
    pub fn pieces(&self, branch: Branch) -> impl Iterator<Item = Piece> {
        (0..self.texts.len()).map(move |text| Piece { branch, texts: text..text + 1 })
    }

    /// Tokens of a piece's texts.
    pub fn tokens(&self, piece: &Piece) -> Vec<&[u32]> {
        self.texts[piece.texts.clone()].iter().map(|text| &text.tokens[..]).collect()
    }
}

/// Walks a piece: for each of its sets in the order of the tree, the nats of its texts.
pub async fn walk_piece<B: Backend>(
    walk: &Walk<'_, B>,
    branch: Branch,
    texts: &[impl AsRef<[u32]>],
    pause: &impl AsyncFn(),
) -> Result<Vec<f64>, ArchError> {
    let mut found = BTreeMap::new();
    walk.run(branch, texts, &mut |set, nats| drop(found.insert(set, nats)), pause).await?;
    Ok(walk.family.sets(branch).iter().flat_map(|set| found.remove(set).expect("the walk finds every set")).collect())
}

/// Nats of every text under every set that was walked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Walked {
    texts: usize,
    nats: BTreeMap<LayerSet, Vec<Option<f64>>>,
}

impl Walked {
    /// Nothing yet, of so many texts.
    pub fn new(texts: usize) -> Walked {
        Walked { texts, nats: BTreeMap::new() }
    }

    /// Takes in a piece: for each of its sets in the order of the tree, the nats of its texts.
    ///
    /// # Panics
    /// If there are more or fewer.
    pub fn take(&mut self, family: &Family, piece: &Piece, nats: &[f64]) {
        let (sets, each) = (family.sets(piece.branch), piece.texts.len());
        assert_eq!(nats.len(), sets.len() * each, "nats of the sets beyond {:?}", piece.branch);
        for (set, nats) in sets.into_iter().zip(nats.chunks_exact(each.max(1))) {
            let of = self.nats.entry(set).or_insert_with(|| vec![None; self.texts]);
            of[piece.texts.clone()].iter_mut().zip(nats).for_each(|(place, &nats)| *place = Some(nats));
        }
    }

    /// Whether a piece was taken in.
    pub fn has(&self, family: &Family, piece: &Piece) -> bool {
        let walked = |set: &LayerSet| {
            self.nats.get(set).is_some_and(|nats| nats[piece.texts.clone()].iter().all(Option::is_some))
        };
        family.sets(piece.branch).iter().all(walked)
    }

    /// Nats of every text under a set, where it was walked on all of them.
    pub fn of(&self, set: LayerSet) -> Option<Vec<f64>> {
        self.nats.get(&set)?.iter().copied().collect()
    }

    /// The sets beyond a branch with their nats, where all of them were walked on all texts.
    pub fn beyond(&self, family: &Family, branch: Branch) -> Option<Vec<(LayerSet, Vec<f64>)>> {
        family.sets(branch).into_iter().map(|set| Some((set, self.of(set)?))).collect()
    }

    /// The sets that were walked on all texts, with their nats.
    pub fn whole(&self) -> impl Iterator<Item = (LayerSet, Vec<f64>)> {
        self.nats.keys().filter_map(|&set| Some((set, self.of(set)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn search(layers: usize, sizes: &[usize], texts: usize) -> Search {
        let text = |unit| Text { language: 0, code: "eng".into(), unit, tokens: vec![0, 1], scored: 1, bytes: 1 };
        Search {
            texts: (0..texts).map(text).collect(),
            recipe: Recipe::default(),
            kept: ProtectedPart::Block,
            family: Family::new(layers, sizes.iter().copied()),
        }
    }

    #[test]
    fn the_cut_of_220_sets_costs_little() {
        let search = search(12, &[3], 1);
        let steps = |piece: &Piece| piece.branch.decided + search.family.steps(piece.branch);
        let steps: usize =
            search.branches().into_iter().flat_map(|branch| search.pieces(branch)).map(|piece| steps(&piece)).sum();
        assert!(steps <= 999 + 999 / 40, "{steps} layer evaluations");
    }

    proptest! {
        /// Whatever the order of the pieces, every set comes with all its texts.
        #[test]
        fn pieces_are_the_whole_search(
            layers in 1usize..8,
            sizes in prop::collection::vec(0usize..8, 1..3),
            texts in 1usize..5,
            seed in any::<u64>(),
        ) {
            let search = search(layers, &sizes, texts);
            let mut pieces: Vec<Piece> =
                search.branches().into_iter().flat_map(|branch| search.pieces(branch)).collect();
            let value = |set: LayerSet, text: usize| (set.layers().map(|layer| 1 << layer).sum::<usize>() * 10 + text) as f64;
            let mut state = seed;
            pieces.sort_by_cached_key(|_| { state = state.wrapping_mul(6364136223846793005).wrapping_add(1); state });
            let mut walked = Walked::new(texts);
            for (done, piece) in pieces.iter().enumerate() {
                prop_assert!(done > 0 || walked.whole().next().is_none());
                let nats: Vec<f64> = search.family.sets(piece.branch).into_iter()
                    .flat_map(|set| piece.texts.clone().map(move |text| value(set, text))).collect();
                prop_assert!(!walked.has(&search.family, piece));
                walked.take(&search.family, piece, &nats);
                prop_assert!(walked.has(&search.family, piece));
            }
            let whole: BTreeMap<LayerSet, Vec<f64>> = walked.whole().collect();
            prop_assert_eq!(whole.len(), search.family.sets(Branch::ROOT).len());
            for (set, nats) in whole {
                prop_assert_eq!(nats, (0..texts).map(|text| value(set, text)).collect::<Vec<_>>());
            }
        }
    }
}
