//! What others would have picked, and what the ranking says of the theory's claims.

use super::{PICKERS, Report, named, picker, picker_explained, picker_key};
use crate::lab::gateway::Pick;
use crate::lab::verdicts::{self, Ruled};
use crate::report::table::{Cell, Column, Table};

/// Every picker's set of a size: its place and what it loses against the best.
pub fn picks_table(report: &Report, size: usize) -> Table {
    let of = |own| report.picks.iter().filter(move |pick| pick.picker == own && pick.set.len() == size);
    let picks: Vec<&Pick> = PICKERS.into_iter().flat_map(of).collect();
    let row = |pick: &&Pick| {
        vec![
            Cell::Text(picker(pick.picker).into()),
            Cell::Text(named(pick.set)),
            Cell::Count(pick.rank.value as u64),
            Cell::Text(format!("{:.0} to {:.0} of {}", pick.rank.low, pick.rank.high, pick.among)),
            Cell::Figure(pick.regret),
            Cell::Text(picker_explained(pick.picker).into()),
        ]
    };
    Table {
        columns: vec![
            Column::plain("picker", "Who", "The method that picks"),
            Column::plain("set", "Would protect", "Its layers"),
            Column::plain("place", "Place", "Among all sets of this size, 1 for the least disparity"),
            Column::plain("places", "95% of resamples", "From which place to which it stands when texts are resampled"),
            Column::measured("regret", "Regret", "Its disparity less that of the best set, paired over texts"),
            Column::plain("explained", "How", "How it picks"),
        ],
        of: "row",
        keys: picks.iter().map(|pick| picker_key(pick.picker).to_string()).collect(),
        apart: Vec::new(),
        rows: picks.iter().map(row).collect(),
    }
}

/// G1 to G3 at every budget that they speak of.
pub fn verdict_table(report: &Report) -> Table {
    let ruled = report.verdicts.iter().map(|own| Ruled::from(own).under(own.budget, [Cell::Count(own.budget as u64)]));
    verdicts::table([Column::plain("budget", "Layers", "So many are protected")], ruled)
}
