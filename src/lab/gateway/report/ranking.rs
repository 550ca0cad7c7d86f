//! The sets of a size in the order of their disparity, and the best of them for each pair of layers.

use super::{
    LayerSet, Report, Row, cheapest, disparity, ends, named, picker, predicted, set_key, told, told_disparity,
};
use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::table::Table;
use crate::report::{format, rows::Rows};

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

/// Sets of a size, best first; where a layer is named, only those that hold it, with their places among all.
pub fn ranking_table(report: &Report, size: usize, holds: Option<usize>) -> Table {
    let marked = (report.of_size(size).next().map(|row| row.set), cheapest(report, size).map(|row| row.set));
    let ranked = report.of_size(size).enumerate();
    let shown = ranked.filter(|(_, row)| holds.is_none_or(|layer| row.set.contains(layer)));
    Rows::of("set", shown, |(_, row)| set_key(row.set))
        .column("protected", "Protected", "Layers in full precision", |(_, row)| named(row.set))
        .column("place", "Place", "Among the sets of its size, by disparity", |(at, _)| at + 1)
        .column("disparity", "Disparity", "Largest D − smallest D over seen languages", |(_, row)| row.cost.disparity)
        .column(
            "ratio",
            "Low ÷ high",
            "Mean D of low-resource languages over that of high-resource ones",
            |(_, row)| row.cost.ratio,
        )
        .column("mean_high", "D high", "Mean D of high-resource languages", |(_, row)| row.cost.mean_high)
        .column("mean_low", "D low", "Mean D of low-resource languages", |(_, row)| row.cost.mean_low)
        .column("bytes", "Bytes", "Memory of the weights, scales included", |(_, row)| row.bytes)
        .column("compression", "E", "Compression: f32 bytes ÷ bytes", |(_, row)| report.compression(row))
        .column(
            "score",
            "FES",
            "√(efficiency × fairness): (1 − bytes ÷ f32 bytes) and 1 ÷ (1 + disparity)",
            |(_, row)| row.score,
        )
        .column("known_for", "Known for", "What the set is, and who would have picked it", |(_, row)| {
            known_for(report, row, marked)
        })
        .table()
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
    let found = all.filter_map(|(i, j)| Some((i, j, best_with(report, size, pair(i, j))?)));
    Rows::of("pair", found, |(i, j, _)| format!("{i}-{j}"))
        .column("first", "Layer", "One layer of the pair", |(i, ..)| *i)
        .column("second", "Layer", "The other", |(_, j, _)| *j)
        .column("set", "Best set", "The set of least disparity that holds both", |(.., row)| named(row.set))
        .column("disparity", "Disparity", "Largest D − smallest D over seen languages", |(.., row)| {
            row.cost.disparity
        })
        .table()
}
