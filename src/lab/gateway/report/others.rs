//! What others would have picked, and what the ranking says of the theory's claims.

use super::{PICKERS, Report, named, picker, picker_explained, picker_key};
use crate::lab::verdicts::{self, Ruled};
use crate::report::{rows::Rows, table::Table};

/// Every picker's set of a size: its place and what it loses against the best.
pub fn picks_table(report: &Report, size: usize) -> Table {
    let of = |own| report.picks.iter().filter(move |pick| pick.picker == own && pick.set.len() == size);
    Rows::of("row", PICKERS.into_iter().flat_map(of), |pick| picker_key(pick.picker))
        .column("picker", "Who", "The method that picks", |pick| picker(pick.picker))
        .column("set", "Would protect", "Its layers", |pick| named(pick.set))
        .column("place", "Place", "Among all sets of this size, 1 for the least disparity", |pick| {
            pick.rank.value as u64
        })
        .column("places", "95% of resamples", "From which place to which it stands when texts are resampled", |pick| {
            format!("{:.0} to {:.0} of {}", pick.rank.low, pick.rank.high, pick.among)
        })
        .column("regret", "Regret", "Its disparity less that of the best set, paired over texts", |pick| pick.regret)
        .column("explained", "How", "How it picks", |pick| picker_explained(pick.picker))
        .table()
}

/// G1 to G3 at every budget that they speak of.
pub fn verdict_table(report: &Report) -> Table {
    let ruled = report.verdicts.iter().map(|own| (Ruled::from(own).under(own.budget), own.budget));
    verdicts::table(ruled, |claims| claims.column("budget", "Layers", "So many are protected", |(_, budget)| *budget))
}
