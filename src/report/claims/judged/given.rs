//! Claims on which a report holds its own verdicts.

use std::fmt::Debug;

use super::{Found, Ruling, layers, words};
use crate::analysis::{causes, dial, family, gateway, redundancy, representation, screening, statistics, sweep};

/// A verdict: its claim, what it is told apart by, its ruling, its figures as a clause, and its rule.
type Given<'a> = (String, String, Ruling, &'a str, &'static str);

/// Those of a claim.
fn of<'a>(id: &str, verdicts: impl Iterator<Item = Given<'a>>) -> Vec<(String, Found)> {
    let own = verdicts.filter(|(claim, ..)| claim == id);
    own.map(|(_, under, ruling, because, rule)| (under, (ruling, words::as_sentence(because), rule.to_string())))
        .collect()
}

/// A claim's name is its variant's.
fn named(claim: impl Debug) -> String {
    format!("{claim:?}")
}

/// C1, K1, P2 and P4.
pub(super) fn dial(id: &str, report: &dial::Report) -> Vec<(String, Found)> {
    of(
        id,
        report.verdicts.iter().map(|own| {
            let under = format!("at {} bits, {}", own.bits.get(), words::rule(own.rule));
            (named(own.claim), under, own.ruling, &own.because[..], own.claim.rule())
        }),
    )
}

/// G1 to G3.
pub(super) fn gateway(id: &str, report: &gateway::Report) -> Vec<(String, Found)> {
    of(
        id,
        report.verdicts.iter().map(|own| {
            let under = format!("{} protected", layers(own.budget));
            (named(own.claim), under, own.ruling, &own.because[..], own.claim.rule())
        }),
    )
}

/// T1 and T1c, for each way of measuring R.
pub(super) fn redundancy(id: &str, report: &redundancy::Report) -> Vec<(String, Found)> {
    of(
        id,
        report.verdicts.iter().map(|own| {
            let under = crate::report::redundancy::measure_name(own.measure).to_string();
            (named(own.claim), under, own.ruling, &own.because[..], own.claim.rule())
        }),
    )
}

/// P1, I1 and C3, for each clipping rule.
pub(super) fn sweep(id: &str, report: &sweep::Report) -> Vec<(String, Found)> {
    of(
        id,
        report.verdicts.iter().map(|own| {
            let under = words::rule(own.rule).to_string();
            (named(own.claim), under, own.ruling, &own.because[..], own.claim.rule())
        }),
    )
}

/// Verdicts that need nothing to be told apart by.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        pub(super) fn $name(id: &str, report: &$name::Report) -> Vec<(String, Found)> {
            of(id, report.verdicts.iter().map(|own| {
                (named(own.claim), String::new(), own.ruling, &own.because[..], own.claim.rule())
            }))
        }
    )* };
}

plain! {
    /// C1 to C3, P4 and M1, as far as one model decides them.
    screening
    /// I2 to I4.
    representation
    /// S1 and S3.
    causes
    /// S2.
    family
    /// X1 and X2.
    statistics
}
