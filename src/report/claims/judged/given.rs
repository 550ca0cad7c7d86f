//! Claims on which a report holds its own verdicts.

use super::{Found, layers, words};
use crate::analysis::{dial, gateway};

/// C1, K1, P2 and P4.
pub(super) fn dial(id: &str, report: &dial::Report) -> Vec<(String, Found)> {
    let of_claim = report.verdicts.iter().filter(|verdict| format!("{:?}", verdict.claim) == id);
    let found = |verdict: &dial::Verdict| {
        let under = format!("at {} bits, {}", verdict.bits.get(), words::rule(verdict.rule));
        (under, (verdict.ruling, words::as_sentence(&verdict.because), verdict.claim.rule().to_string()))
    };
    of_claim.map(found).collect()
}

/// G1 to G3.
pub(super) fn gateway(id: &str, report: &gateway::Report) -> Vec<(String, Found)> {
    let of_claim = report.verdicts.iter().filter(|verdict| format!("{:?}", verdict.claim) == id);
    let found = |verdict: &gateway::Verdict| {
        let under = format!("{} protected", layers(verdict.budget));
        (under, (verdict.ruling, words::as_sentence(&verdict.because), verdict.claim.rule().to_string()))
    };
    of_claim.map(found).collect()
}
