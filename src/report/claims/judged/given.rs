//! Claims on which a report holds its own verdicts.

use super::{Found, layers, words};
use crate::analysis::{dial, gateway, redundancy, sweep};
use crate::report::{chance::Chance, verdicts::Ruled};

/// Those of a claim, each with what it is told apart by.
fn of<'a, Own>(
    id: &str,
    verdicts: &'a [Own],
    under: impl Fn(&Own) -> String,
    chance: impl Fn(&Own) -> Option<Chance>,
) -> Vec<(String, Found)>
where
    Ruled: From<&'a Own>,
{
    let all = verdicts.iter().map(|own| (under(own), Ruled::from(own).with_chance(chance(own))));
    let found = |own: Ruled| (own.ruling, words::as_sentence(&own.because), own.rule.to_string());
    all.filter(|(_, own)| own.key == id).map(|(under, own)| (under, found(own))).collect()
}

/// C1, K1, P2 and P4.
pub(super) fn dial(id: &str, report: &dial::Report) -> Vec<(String, Found)> {
    let under = |own: &dial::Verdict| format!("at {} bits, {}", own.bits.get(), words::rule(own.rule));
    of(id, &report.verdicts, under, |own| crate::report::dial::chance(report, own))
}

/// G1 to G3.
pub(super) fn gateway(id: &str, report: &gateway::Report) -> Vec<(String, Found)> {
    of(id, &report.verdicts, |own| format!("{} protected", layers(own.budget)), |_| None)
}

/// T1 and T1c, for each way of measuring R.
pub(super) fn redundancy(id: &str, report: &redundancy::Report) -> Vec<(String, Found)> {
    of(id, &report.verdicts, |own| crate::report::redundancy::measure_name(own.measure).to_string(), |_| None)
}

/// P1, I1 and C3, for each clipping rule.
pub(super) fn sweep(id: &str, report: &sweep::Report) -> Vec<(String, Found)> {
    of(id, &report.verdicts, |own| words::rule(own.rule).to_string(), |_| None)
}

/// Verdicts that need nothing to be told apart by; `chance` is the p that one of them names.
pub(super) fn plain<'a, Own>(id: &str, verdicts: &'a [Own], chance: Option<Chance>) -> Vec<(String, Found)>
where
    Ruled: From<&'a Own>,
{
    of(id, verdicts, |_| String::new(), |_| chance)
}
