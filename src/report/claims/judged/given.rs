//! Claims on which a report holds its own verdicts.

use super::{Found, layers, words};
use crate::analysis::{dial, gateway, redundancy, sweep};
use crate::report::verdicts::Ruled;

/// Those of a claim, each with what it is told apart by.
fn of<'a, Own>(id: &str, verdicts: &'a [Own], under: impl Fn(&Own) -> String) -> Vec<(String, Found)>
where
    Ruled: From<&'a Own>,
{
    let all = verdicts.iter().map(|own| (under(own), Ruled::from(own)));
    let found = |own: Ruled| (own.ruling, words::as_sentence(&own.because), own.rule.to_string());
    all.filter(|(_, own)| own.key == id).map(|(under, own)| (under, found(own))).collect()
}

/// C1, K1, P2 and P4.
pub(super) fn dial(id: &str, report: &dial::Report) -> Vec<(String, Found)> {
    of(id, &report.verdicts, |own| format!("at {} bits, {}", own.bits.get(), words::rule(own.rule)))
}

/// G1 to G3.
pub(super) fn gateway(id: &str, report: &gateway::Report) -> Vec<(String, Found)> {
    of(id, &report.verdicts, |own| format!("{} protected", layers(own.budget)))
}

/// T1 and T1c, for each way of measuring R.
pub(super) fn redundancy(id: &str, report: &redundancy::Report) -> Vec<(String, Found)> {
    of(id, &report.verdicts, |own| crate::report::redundancy::measure_name(own.measure).to_string())
}

/// P1, I1 and C3, for each clipping rule.
pub(super) fn sweep(id: &str, report: &sweep::Report) -> Vec<(String, Found)> {
    of(id, &report.verdicts, |own| words::rule(own.rule).to_string())
}

/// Verdicts that need nothing to be told apart by.
pub(super) fn plain<'a, Own>(id: &str, verdicts: &'a [Own]) -> Vec<(String, Found)>
where
    Ruled: From<&'a Own>,
{
    of(id, verdicts, |_| String::new())
}
