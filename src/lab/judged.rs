//! How reports speak of claims.

use super::verdict::Ruling;
use super::verdicts::Ruled;
use crate::math::correlation::Correlation;
use crate::report::{Interval, chance::Chance, format, labels};

/// A ruling with its figures and its rule.
pub type Found = (Ruling, String, String);

/// Under nothing that needs to be told apart.
pub(crate) fn one(found: Found) -> Vec<(String, Found)> {
    vec![(String::new(), found)]
}

pub(crate) fn undecided(why: &str, rule: &str) -> Found {
    (Ruling::Undecided, why.into(), rule.into())
}

/// `1.2% [0.9%, 1.5%]`.
pub(crate) fn shares(of: &Interval) -> String {
    format!("{} [{}, {}]", format::percent(of.value), format::percent(of.low), format::percent(of.high))
}

pub(crate) fn correlation(name: &str, of: &Correlation, over: &str) -> String {
    format!("{name} = {}, n = {} {over}; ρ = {}.", format::interval(&of.pearson), of.n, format::interval(&of.spearman))
}

pub(crate) fn layers(count: usize) -> String {
    format::counted(count as u64, "layer")
}

/// Those of a claim, each with what it is told apart by.
pub(crate) fn own_verdicts<'a, Own>(
    id: &str,
    verdicts: &'a [Own],
    under: impl Fn(&Own) -> String,
    chance: impl Fn(&Own) -> Option<Chance>,
) -> Vec<(String, Found)>
where
    Ruled: From<&'a Own>,
{
    let all = verdicts.iter().map(|own| (under(own), Ruled::from(own).with_chance(chance(own))));
    let found = |own: Ruled| (own.ruling, labels::as_sentence(&own.because), own.rule.to_string());
    all.filter(|(_, own)| own.key == id).map(|(under, own)| (under, found(own))).collect()
}

/// Verdicts that need nothing to be told apart by; `chance` is the p that one of them names.
pub(crate) fn plain<'a, Own>(id: &str, verdicts: &'a [Own], chance: Option<Chance>) -> Vec<(String, Found)>
where
    Ruled: From<&'a Own>,
{
    own_verdicts(id, verdicts, |_| String::new(), |_| chance)
}
