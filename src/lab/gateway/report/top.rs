//! How often each layer stands in the best sets.

use super::{LayerSet, Report, ends, predicted};
use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::table::{Cell, Table};
use crate::report::{format, rows::Rows};

/// Shares of the ranking that are called its top: key, name, share.
pub const TOP: [(&str, &str, f64); 3] =
    [("top_1", "best 1%", 0.01), ("top_5", "best 5%", 0.05), ("top_10", "best 10%", 0.1)];

/// The best sets of a size: at least one, and a started one counts.
fn best(report: &Report, size: usize, share: f64) -> Vec<LayerSet> {
    let there = report.of_size(size).count();
    // So that 5% of 220 are 11 whatever the last bit of 0.05 · 220 says.
    let count = (libm::ceil(share * there as f64 - 1e-9) as usize).max(1);
    report.of_size(size).take(count).map(|row| row.set).collect()
}

/// How many of some sets hold a layer.
fn holding(sets: &[LayerSet], layer: usize) -> usize {
    sets.iter().filter(|set| set.contains(layer)).count()
}

/// Share of the best sets × layer.
pub fn top_heat(report: &Report, size: usize) -> HeatMap {
    let layers = report.layers.len();
    let expected = predicted(layers).filter(|set| set.len() == size).unwrap_or(ends(layers));
    let row = |(key, name, share): &(&str, &str, f64)| {
        let sets = best(report, size, *share);
        let cell = |layer: usize| {
            let of = holding(&sets, layer);
            let part = of as f64 / sets.len().max(1) as f64;
            HeatCell {
                value: Some(part),
                shown: format!("{}%", format::fixed(100.0 * part, 0)),
                told: format!(
                    "Layer {layer} stands in {of} of the {} that are the {name}: {}.",
                    format::counted(sets.len() as u64, "set"),
                    format::percent(part)
                ),
                flagged: expected.contains(layer),
            }
        };
        HeatRow {
            key: (*key).into(),
            label: format!("{name} ({})", sets.len()),
            cells: (0..layers).map(cell).collect(),
        }
    };
    let title = format!(
        "How often each layer stands in the best sets of {}, of {}",
        format::counted(size as u64, "layer"),
        format::count(report.of_size(size).count() as u64)
    );
    let chance = size as f64 / layers.max(1) as f64;
    HeatMap {
        description: format!("{title}. By chance it would be {} of them.", format::percent(chance)),
        title,
        unit: "share of sets".into(),
        across: "layer".into(),
        columns: (0..layers).map(|layer| report.origin.layer(layer)).collect(),
        rows: TOP.iter().map(row).collect(),
        flag: Some("layer that the theory would protect".into()),
    }
}

/// The same, layer by layer.
pub fn top_table(report: &Report, size: usize) -> Table {
    let layers = report.layers.len();
    let explained = [
        "Share of the best 1% of sets that hold the layer",
        "Share of the best 5% of sets that hold the layer",
        "Share of the best 10% of sets that hold the layer",
    ];
    let table = Rows::of("row", 0..layers, |layer| *layer).column("layer", "Layer", "Number from 0", |layer| *layer);
    let table = TOP.into_iter().zip(explained).fold(table, |table, ((key, name, share), explained)| {
        let sets = best(report, size, share);
        table.column(key, format!("{name} ({})", sets.len()), explained, |layer| {
            Cell::Share(holding(&sets, *layer) as f64 / sets.len().max(1) as f64)
        })
    });
    let chance = Cell::Share(size as f64 / layers as f64);
    table
        .column("chance", "By chance", "Share of all sets of this size that hold the layer", |_| chance.clone())
        .table()
}
