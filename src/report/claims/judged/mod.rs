//! The verdict of each report on each claim that it speaks of.

mod clipping;
mod given;
mod mitigation;
mod usage;

use super::{Interval, Judged, Ruling, format, words};
use crate::{analysis::Report, math::correlation::Correlation};

/// A ruling with its figures and its rule.
type Found = (Ruling, String, String);

/// What a report says of a claim.
pub(super) fn of(id: &str, report: &Report) -> Vec<Judged> {
    let found = match report {
        Report::Clipping(report) => clipping::of(id, report),
        Report::Mitigation(report) => mitigation::of(id, report),
        Report::Activation(report) => usage::of(id, report),
        Report::Dial(report) => given::dial(id, report),
        Report::Gateway(report) => given::gateway(id, report),
        Report::Redundancy(report) => given::redundancy(id, report),
        Report::Representation(report) => given::plain(id, &report.verdicts, None),
        Report::Statistics(report) => given::plain(id, &report.verdicts, None),
        Report::Causes(report) => given::plain(id, &report.verdicts, crate::report::causes::chance(report)),
        Report::Family(report) => given::plain(id, &report.verdicts, crate::report::family::chance(report)),
        Report::Sweep(report) => given::sweep(id, report),
        Report::Screening(report) => given::plain(id, &report.verdicts, None),
        Report::Languages(_) | Report::Weights(_) | Report::Matrix(_) | Report::Tokens(_) => Vec::new(),
    };
    let kind = report.kind();
    found.into_iter().map(|(under, (ruling, measured, rule))| Judged { kind, under, ruling, measured, rule }).collect()
}

/// Under nothing that needs to be told apart.
fn one(found: Found) -> Vec<(String, Found)> {
    vec![(String::new(), found)]
}

fn undecided(why: &str, rule: &str) -> Found {
    (Ruling::Undecided, why.into(), rule.into())
}

/// `1.2% [0.9%, 1.5%]`.
fn shares(of: &Interval) -> String {
    format!("{} [{}, {}]", format::percent(of.value), format::percent(of.low), format::percent(of.high))
}

fn correlation(name: &str, of: &Correlation, over: &str) -> String {
    format!("{name} = {}, n = {} {over}; ρ = {}.", format::interval(&of.pearson), of.n, format::interval(&of.spearman))
}

fn layers(count: usize) -> String {
    format::counted(count as u64, "layer")
}
