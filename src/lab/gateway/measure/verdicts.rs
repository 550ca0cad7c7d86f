//! What the ranking says of the theory's claims G1 to G3, each by a rule stated here.

use super::found::Found;
use crate::lab::{
    draws::LEVEL,
    gateway::{Claim, Verdict, ends, predicted},
    verdict::{Ruling, told},
};
use crate::math::{sets::LayerSet, statistics::Interval};

/// Near-optimal: among the best twentieth of the sets.
const NEAR: f64 = 0.05;
/// Document 001: what {0, 9, 11} takes off the disparity.
const REDUCTION: f64 = 0.41;
/// Documents 000 and 001: so many of the best sets hold the first and the last layer.
const TOP: usize = 4;
/// A share of resamples that leaves out this much on either side decides, as an interval would.
const TAIL: f64 = 0.5 * (1.0 - LEVEL);

/// Every claim at every budget that it speaks of and that was searched to its end.
pub(super) fn all(found: &Found<'_>) -> Vec<Verdict> {
    let layers = found.layers.len();
    let mut verdicts = Vec::new();
    let mut budgets = found.config.sizes(layers);
    budgets.sort_unstable();
    budgets.dedup();
    for budget in budgets.into_iter().filter(|budget| (3..layers).contains(budget)) {
        let ranking = found.ranking(budget);
        let mut add = |claim, verdict: Option<(Ruling, String)>| {
            verdicts.extend(verdict.map(|(ruling, because)| Verdict { claim, budget, ruling, because }));
        };
        add(Claim::G1, both_ends(found, &ranking));
        if let Some(predicted) = predicted(layers).filter(|set| set.len() == budget) {
            add(Claim::G2, near_optimal(found, &ranking, predicted));
            add(Claim::G3, free_slot(found, predicted));
        }
    }
    verdicts
}

/// `{0, 9, 11}`.
fn named(set: LayerSet) -> String {
    let layers: Vec<String> = set.layers().map(|layer| layer.to_string()).collect();
    format!("{{{}}}", layers.join(", "))
}

fn both_ends(found: &Found<'_>, ranking: &[LayerSet]) -> Option<(Ruling, String)> {
    let ends = ends(found.layers.len());
    let with = *ranking.iter().find(|set| set.holds(ends))?;
    let without = *ranking.iter().find(|set| !set.holds(ends))?;
    let difference = found.difference(with, without);
    let because = format!(
        "the best set with both, {}, has disparity {:.3}, the best without, {}, {:.3}: a difference of {}",
        named(with),
        found.disparity(with),
        named(without),
        found.disparity(without),
        told(&difference)
    );
    Some((Ruling::below(&difference, 0.0), because))
}

fn near_optimal(found: &Found<'_>, ranking: &[LayerSet], set: LayerSet) -> Option<(Ruling, String)> {
    let held = ends(found.layers.len());
    let rank = found.rank(set, ranking);
    // Places 1 to n/20 are near: the next one is not.
    let near = Ruling::below(&rank, (NEAR * ranking.len() as f64).floor() + 1.0);
    let share = found.share_of_top(ranking, TOP, held);
    let top = match share {
        share if share >= 1.0 - TAIL => Ruling::Supported,
        share if share <= TAIL => Ruling::NotSupported,
        _ => Ruling::Undecided,
    };
    let held_now = ranking.iter().take(TOP).filter(|set| set.holds(held)).count();
    let reduction = found
        .has(LayerSet::EMPTY)
        .then(|| found.resampled([set, LayerSet::EMPTY], |[set, none]| 1.0 - set / none).bca(LEVEL));
    let falls = |of: &Interval| match of {
        of if of.high < REDUCTION => Ruling::NotSupported,
        of => Ruling::above(of, 0.0),
    };
    let ruling = near.and(top).and(reduction.as_ref().map_or(Ruling::Undecided, falls));
    let Interval { value, low, high } = rank;
    let fall = reduction.map_or("unknown".into(), |of| told(&of));
    let because = format!(
        "{} is number {value:.0} [{low:.0}, {high:.0}] of {}; {held_now} of the best {TOP} hold {}, all of them in {:.0}% \
         of resamples; the share of disparity that it takes away is {fall}",
        named(set),
        ranking.len(),
        named(held),
        100.0 * share,
    );
    Some((ruling, because))
}

fn free_slot(found: &Found<'_>, set: LayerSet) -> Option<(Ruling, String)> {
    let layers = found.layers.len();
    let slot = 3 * layers / 4;
    let ends = ends(layers);
    let other = (1..layers - 1).filter(|&layer| layer != slot).map(|layer| ends.with(layer));
    let other = other.min_by(|a, b| found.disparity(*a).total_cmp(&found.disparity(*b)))?;
    let difference = found.difference(set, other);
    let varied = (0..layers).max_by(|&a, &b| found.layers[a].variance.total_cmp(&found.layers[b].variance))?;
    let near = if varied.abs_diff(slot) <= 1 { Ruling::Supported } else { Ruling::NotSupported };
    let because = format!(
        "{} against the best other, {}: a difference of disparity of {}; activation varies most between languages after \
         layer {varied}",
        named(set),
        named(other),
        told(&difference)
    );
    Some((Ruling::below(&difference, 0.0).and(near), because))
}
