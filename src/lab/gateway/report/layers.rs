//! One layer at a time, both ways; pairs of layers against the sum of both; and what is known of each layer beforehand.

use super::{LayerSet, Report, ends, predicted, told};
use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::chart::intervals::{IntervalChart, Point};
use crate::report::table::Table;
use crate::report::{format, rows::Rows};

/// Which way a sweep goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// One layer protected.
    Only,
    /// All but one protected.
    AllBut,
}

impl Sweep {
    fn set(self, layers: usize, layer: usize) -> LayerSet {
        match self {
            Sweep::Only => LayerSet::EMPTY.with(layer),
            Sweep::AllBut => LayerSet::all(layers).without(layer),
        }
    }

    /// Where it starts: with no layer protected, or with all of them.
    fn start(self, layers: usize) -> (LayerSet, &'static str) {
        match self {
            Sweep::Only => (LayerSet::EMPTY, "no layer"),
            Sweep::AllBut => (LayerSet::all(layers), "every layer"),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Sweep::Only => "Only this layer protected",
            Sweep::AllBut => "All but this layer protected",
        }
    }
}

/// Disparity with only one layer protected, or with all but one; none until some of it is there.
pub fn sweep_chart(report: &Report, sweep: Sweep) -> Option<IntervalChart> {
    let layers = report.layers.len();
    let point = |set: LayerSet, key: String, label: String| {
        let row = report.row(set)?;
        Some(Point { key, label, told: told(report, row), resource: None, interval: row.cost.disparity? })
    };
    let (start, called) = sweep.start(layers);
    let first = point(start, "start".into(), called.into());
    let each = (0..layers).filter_map(|layer| {
        let seeds = predicted(layers).unwrap_or(ends(layers)).contains(layer);
        let label = format!("layer {}{}", report.origin.layer(layer), if seeds { " (theory)" } else { "" });
        point(sweep.set(layers, layer), layer.to_string(), label)
    });
    let each: Vec<Point> = each.collect();
    let title = format!("{}: disparity of {}", sweep.title(), report.origin.model);
    let least = each.iter().min_by(|a, b| a.interval.value.total_cmp(&b.interval.value))?;
    let most = each.iter().max_by(|a, b| a.interval.value.total_cmp(&b.interval.value))?;
    let description = format!("{title}. Least: {}. Most: {}.", least.told, most.told);
    let points: Vec<Point> = first.into_iter().chain(each).collect();
    Some(IntervalChart {
        title,
        description,
        axis: "disparity: largest D − smallest D over seen languages".into(),
        decimals: format::common_decimals(points.iter().map(|point| &point.interval)),
        points,
        references: Vec::new(),
        spread: None,
    })
}

/// Both sweeps, layer by layer.
pub fn sweep_table(report: &Report) -> Table {
    let layers = report.layers.len();
    let disparity = |sweep: Sweep, layer: usize| report.row(sweep.set(layers, layer))?.cost.disparity;
    Rows::of("row", 0..layers, |layer| *layer)
        .column("layer", "Layer", "Number from 0", |layer| *layer)
        .column("only", "Only this one", "Disparity with this layer alone in full precision", |layer| {
            disparity(Sweep::Only, *layer)
        })
        .column("all_but", "All but this one", "Disparity with every other layer in full precision", |layer| {
            disparity(Sweep::AllBut, *layer)
        })
        .table()
}

/// D({i, j}) − D({i}) − D({j}) + D(∅) of each pair; none where the sweeps were not asked for or are not there.
pub fn interactions(report: &Report) -> Option<HeatMap> {
    let layers = report.layers.len();
    let cell = |i: usize, j: usize| {
        let pair = (i.min(j), i.max(j));
        let found = report.interactions.iter().find(|of| of.layers == pair).map(|of| of.excess);
        let sure = found.is_some_and(|of| of.low > 0.0 || of.high < 0.0);
        HeatCell {
            value: found.map(|of| of.value),
            shown: found.map_or(String::new(), |of| format::fixed(of.value, 2)),
            told: match found {
                Some(of) => {
                    let means = match (sure, of.value < 0.0) {
                        (true, true) => "together they surely help more than the sum",
                        (true, false) => "together they surely help less than the sum",
                        (false, _) => "not surely different from the sum",
                    };
                    format!("Layers {i} and {j}: {}; {means}", format::interval(&of))
                }
                None => format!("Layer {i} with itself"),
            },
            flagged: sure,
        }
    };
    let sure = report.interactions.iter().filter(|of| of.excess.low > 0.0 || of.excess.high < 0.0).count();
    let title = format!("Interaction of pairs of layers in {}", report.origin.model);
    (!report.interactions.is_empty()).then(|| HeatMap {
        description: format!(
            "{title}. {sure} of {} have an interval without 0; by chance one in twenty would.",
            format::counted(report.interactions.len() as u64, "pair")
        ),
        title,
        unit: "disparity beyond the sum".into(),
        across: "layer".into(),
        columns: (0..layers).map(|layer| report.origin.layer(layer)).collect(),
        rows: (0..layers)
            .map(|i| HeatRow {
                key: i.to_string(),
                label: format!("layer {}", report.origin.layer(i)),
                cells: (0..layers).map(|j| cell(i, j)).collect(),
            })
            .collect(),
        flag: Some("95% interval without 0".into()),
    })
}

/// What the map is drawn from.
pub fn interactions_table(report: &Report) -> Table {
    Rows::of("pair", &report.interactions, |of| format!("{}-{}", of.layers.0, of.layers.1))
        .column("first", "Layer", "One layer of the pair", |of| of.layers.0)
        .column("second", "Layer", "The other", |of| of.layers.1)
        .column("excess", "Beyond the sum", "D({i, j}) − D({i}) − D({j}) + D(∅), paired over texts", |of| {
            of.excess
        })
        .table()
}

/// What is known of each layer before any set is tried.
pub fn layers_table(report: &Report) -> Table {
    Rows::of("row", report.layers.iter().enumerate(), |(at, _)| *at)
        .column("layer", "Layer", "Number from 0", |(at, _)| *at)
        .column("kurtosis", "κ", "Excess kurtosis of the layer's weight matrices taken together", |(_, of)| {
            of.kurtosis
        })
        .column(
            "output_error",
            "Output error",
            "Σ over its matrices of squared error × outputs × energy of the inputs",
            |(_, of)| of.output_error,
        )
        .column(
            "variance",
            "Variance",
            "Variance over languages of the mean norm of activation after the layer, in units of its mean",
            |(_, of)| of.variance,
        )
        .table()
}
