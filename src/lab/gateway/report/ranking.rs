//! The sets of a size in the order of their disparity, and the best of them for each pair of layers.

use super::{
    LayerSet, Report, Row, cheapest, disparity, ends, named, picker, predicted, set_key, told, told_disparity,
};
use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::format;
use crate::report::table::{Cell, Column, Table};

/// What a set is known for.
fn known_for(report: &Report, row: &Row, (best, cheapest): (Option<LayerSet>, Option<LayerSet>)) -> String {
    let seeds = predicted(report.layers.len());
    let facts =
        [(best, "least disparity"), (seeds, "the theory's set"), (cheapest, "smallest within the best one's interval")];
    let mut names: Vec<&str> = facts.iter().filter(|(set, _)| *set == Some(row.set)).map(|(_, name)| *name).collect();
    let picks = report.picks.iter().filter(|pick| pick.set == row.set && Some(row.set) != seeds);
    names.extend(picks.map(|pick| picker(pick.picker)));
    names.join("; ")
}

fn columns() -> Vec<Column> {
    vec![
        Column::plain("protected", "Protected", "Layers in full precision"),
        Column::plain("place", "Place", "Among the sets of its size, by disparity"),
        Column::measured("disparity", "Disparity", "Largest D − smallest D over seen languages"),
        Column::measured("ratio", "Low ÷ high", "Mean D of low-resource languages over that of high-resource ones"),
        Column::measured("mean_high", "D high", "Mean D of high-resource languages"),
        Column::measured("mean_low", "D low", "Mean D of low-resource languages"),
        Column::plain("bytes", "Bytes", "Memory of the weights, scales included"),
        Column::plain("compression", "E", "Compression: f32 bytes ÷ bytes"),
        Column::measured("score", "FES", "√(efficiency × fairness): (1 − bytes ÷ f32 bytes) and 1 ÷ (1 + disparity)"),
        Column::plain("known_for", "Known for", "What the set is, and who would have picked it"),
    ]
}

fn cells(report: &Report, row: &Row, place: usize, marked: (Option<LayerSet>, Option<LayerSet>)) -> Vec<Cell> {
    vec![
        Cell::Text(named(row.set)),
        Cell::Count(place as u64),
        Cell::known(row.cost.disparity),
        Cell::known(row.cost.ratio),
        Cell::known(row.cost.mean_high),
        Cell::known(row.cost.mean_low),
        Cell::Count(row.bytes),
        Cell::Number(report.compression(row)),
        Cell::known(row.score),
        Cell::Text(known_for(report, row, marked)),
    ]
}

/// Sets of a size, best first; where a layer is named, only those that hold it, with their places among all.
pub fn ranking_table(report: &Report, size: usize, holds: Option<usize>) -> Table {
    let marked = (report.of_size(size).next().map(|row| row.set), cheapest(report, size).map(|row| row.set));
    let ranked = report.of_size(size).enumerate();
    let shown: Vec<(usize, &Row)> =
        ranked.filter(|(_, row)| holds.is_none_or(|layer| row.set.contains(layer))).collect();
    Table {
        columns: columns(),
        of: "set",
        keys: shown.iter().map(|(_, row)| set_key(row.set)).collect(),
        apart: Vec::new(),
        rows: shown.iter().map(|(at, row)| cells(report, row, at + 1, marked)).collect(),
    }
}

/// The best set of a size that holds both layers; of one layer with itself, the best that holds it.
fn best_with(report: &Report, size: usize, pair: LayerSet) -> Option<&Row> {
    report.of_size(size).find(|row| row.set.holds(pair))
}

fn pair(i: usize, j: usize) -> LayerSet {
    LayerSet::EMPTY.with(i).with(j)
}

/// Layer × layer: the least disparity of the sets of a size that hold both.
pub fn pairs(report: &Report, size: usize) -> HeatMap {
    let layers = report.layers.len();
    let expected = predicted(layers).filter(|set| set.len() == size).unwrap_or(ends(layers));
    let cell = |i: usize, j: usize| {
        let best = best_with(report, size, pair(i, j));
        let [one, other] = [i, j].map(|layer| report.origin.layer(layer));
        let both = if i == j { format!("layer {one}") } else { format!("layers {one} and {other}") };
        HeatCell {
            value: best.and_then(disparity),
            shown: best.and_then(disparity).map_or(String::new(), |of| format::fixed(of, 2)),
            told: match best {
                Some(row) => format!("Best with {both}: {}", told(report, row)),
                None => format!("No set of this size with {both} has been evaluated."),
            },
            flagged: expected.holds(pair(i, j)),
        }
    };
    let title = format!(
        "Least disparity of {} with each pair of layers, sets of {}",
        report.origin.model,
        format::counted(size as u64, "layer")
    );
    let best = report.of_size(size).next();
    let best = best.map(|row| format!(" The best of all is {}: {}.", named(row.set), told_disparity(row)));
    HeatMap {
        description: format!("{title}.{}", best.unwrap_or_default()),
        title,
        unit: "disparity".into(),
        across: "layer; on the diagonal the best set that holds it".into(),
        columns: (0..layers).map(|layer| report.origin.layer(layer)).collect(),
        rows: (0..layers)
            .map(|i| HeatRow {
                key: i.to_string(),
                label: format!("layer {}", report.origin.layer(i)),
                cells: (0..layers).map(|j| cell(i, j)).collect(),
            })
            .collect(),
        flag: Some(match expected.len() {
            2 => format!("first and last layer, {}", named(expected)),
            _ => format!("in the theory's set {}", named(expected)),
        }),
    }
}

/// What the map is drawn from, each pair once.
pub fn pairs_table(report: &Report, size: usize) -> Table {
    let layers = report.layers.len();
    let all = (0..layers).flat_map(|i| (i..layers).map(move |j| (i, j)));
    let found: Vec<((usize, usize), &Row)> =
        all.filter_map(|(i, j)| Some(((i, j), best_with(report, size, pair(i, j))?))).collect();
    let row = |&((i, j), row): &((usize, usize), &Row)| {
        vec![Cell::Count(i as u64), Cell::Count(j as u64), Cell::Text(named(row.set)), Cell::known(row.cost.disparity)]
    };
    Table {
        columns: vec![
            Column::plain("first", "Layer", "One layer of the pair"),
            Column::plain("second", "Layer", "The other"),
            Column::plain("set", "Best set", "The set of least disparity that holds both"),
            Column::measured("disparity", "Disparity", "Largest D − smallest D over seen languages"),
        ],
        of: "pair",
        keys: found.iter().map(|((i, j), _)| format!("{i}-{j}")).collect(),
        apart: Vec::new(),
        rows: found.iter().map(row).collect(),
    }
}
