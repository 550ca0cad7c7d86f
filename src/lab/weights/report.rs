//! The Weights report: heat map over layers and matrices, histograms with fitted curves, tables.

use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::chart::histogram::{Bar, HistogramChart};
use crate::report::chart::lines::Curve;
use crate::report::chart::look::Stroke;
use crate::report::chart::plane::{Axis, Growth};
use crate::report::scope::Scope;
use crate::report::table::{Cell, Table};
use crate::report::{Part, Summary, format, labels, rows::Rows};

use super::{Report, Spread};

/// A figure of a tensor or layer that the heat map can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Excess kurtosis.
    Kurtosis,
    /// Standard deviation.
    Sigma,
    /// Share beyond 3σ.
    Beyond3,
    /// Share beyond 6σ.
    Beyond6,
    /// Largest magnitude over σ.
    Largest,
}

impl Metric {
    /// In the order of the page.
    pub const ALL: [Metric; 5] = [Metric::Kurtosis, Metric::Largest, Metric::Beyond3, Metric::Beyond6, Metric::Sigma];

    /// As a person calls it, with its unit.
    pub fn title(self) -> &'static str {
        match self {
            Metric::Kurtosis => "excess kurtosis κ",
            Metric::Sigma => "standard deviation σ",
            Metric::Beyond3 => "share beyond 3σ",
            Metric::Beyond6 => "share beyond 6σ",
            Metric::Largest => "largest magnitude, in σ",
        }
    }

    /// As options and files are named.
    pub fn key(self) -> &'static str {
        match self {
            Metric::Kurtosis => "kurtosis",
            Metric::Sigma => "sigma",
            Metric::Beyond3 => "beyond_3",
            Metric::Beyond6 => "beyond_6",
            Metric::Largest => "largest",
        }
    }

    /// The figure.
    pub fn of(self, summary: &Summary) -> f64 {
        match self {
            Metric::Kurtosis => summary.kurtosis,
            Metric::Sigma => summary.sigma,
            Metric::Beyond3 => summary.beyond_3,
            Metric::Beyond6 => summary.beyond_6,
            Metric::Largest => largest(summary),
        }
    }

    fn shown(self, value: f64) -> String {
        match self {
            Metric::Kurtosis if value.abs() < 10.0 => format::fixed(value, 2),
            Metric::Kurtosis | Metric::Largest => format::fixed(value, 1),
            Metric::Sigma => format::fixed(value, 3),
            Metric::Beyond3 | Metric::Beyond6 => format::percent(value),
        }
    }
}

fn largest(summary: &Summary) -> f64 {
    if summary.sigma > 0.0 { summary.absmax / summary.sigma } else { 0.0 }
}

/// Numbers of the layers whose κ lies above the threshold.
pub fn outliers(report: &Report, threshold: f64) -> Vec<usize> {
    let above = report.layers.iter().filter(|layer| layer.spread.summary.kurtosis > threshold);
    above.map(|layer| layer.layer).collect()
}

/// The result in a sentence or two.
pub fn sentence(report: &Report, threshold: f64) -> String {
    let by_kurtosis = |a: &&_, b: &&_| {
        let kurtosis = |layer: &crate::lab::weights::Layer| layer.spread.summary.kurtosis;
        kurtosis(a).total_cmp(&kurtosis(b))
    };
    let Some(most) = report.layers.iter().max_by(by_kurtosis) else { return "The model has no layers.".into() };
    let heaviest = format!(
        "The heaviest tails are in layer {}: κ = {}, and its largest weight is {}σ away from zero.",
        most.layer,
        format::figure(most.spread.summary.kurtosis),
        format::fixed(largest(&most.spread.summary), 1)
    );
    let (above, all) = (outliers(report, threshold), report.layers.len());
    let limit = format::figure(threshold);
    match above.len() {
        0 => format!("None of the {all} layers is an outlier layer: no κ lies above {limit}. {heaviest}"),
        1 => format!("Layer {} of {all} is an outlier layer: its κ lies above {limit}. {heaviest}", above[0]),
        _ => {
            let numbers: Vec<String> = above.iter().map(usize::to_string).collect();
            format!(
                "{} of {all} layers are outlier layers, with κ above {limit}: {}. {heaviest}",
                above.len(),
                numbers.join(", ")
            )
        }
    }
}

/// Everything about a tensor or layer as a line.
fn told(what: &str, summary: &Summary) -> String {
    format!(
        "{what}: κ {}; σ {}; mean {}; beyond 3σ {}, beyond 6σ {}; largest {}σ; {}",
        format::figure(summary.kurtosis),
        format::small(summary.sigma),
        format::small(summary.mean),
        format::percent(summary.beyond_3),
        format::percent(summary.beyond_6),
        format::fixed(largest(summary), 1),
        format::counted(summary.n, "weight")
    )
}

/// The spread of a layer or a matrix; none where there is no such thing.
pub fn spread(report: &Report, scope: Scope) -> Option<&Spread> {
    match scope {
        Scope::Model => None,
        Scope::Layer(layer) => report.layers.get(layer).map(|layer| &layer.spread),
        Scope::Tensor(..) => {
            report.tensors.iter().find(|tensor| scope.holds(tensor.layer, tensor.part)).map(|tensor| &tensor.spread)
        }
    }
}

/// Layer × matrix, shaded by a figure; where it is κ, what lies above the threshold is framed.
pub fn heat(report: &Report, metric: Metric, threshold: f64) -> HeatMap {
    let layers = 0..report.layers.len();
    let cell = |scope: Scope| {
        let summary = spread(report, scope).map(|spread| &spread.summary);
        HeatCell {
            value: summary.map(|summary| metric.of(summary)),
            shown: summary.map_or(String::new(), |summary| metric.shown(metric.of(summary))),
            told: summary.map_or(String::new(), |summary| told(&scope.title(), summary)),
            flagged: metric == Metric::Kurtosis && summary.is_some_and(|summary| summary.kurtosis > threshold),
        }
    };
    let row = |key: &str, label: &str, scope: &dyn Fn(usize) -> Scope| HeatRow {
        key: key.into(),
        label: label.into(),
        cells: layers.clone().map(|layer| cell(scope(layer))).collect(),
    };
    let mut rows = vec![row("layer", "whole layer", &Scope::Layer)];
    for part in parts(report) {
        rows.push(row(labels::part_key(part), labels::part(part), &|layer| Scope::Tensor(layer, part)));
    }
    let title = format!(
        "{} of the weights of {}",
        labels::as_sentence(metric.title()).trim_end_matches('.'),
        report.origin.model
    );
    HeatMap {
        description: format!("{title}, by layer and matrix. {}", sentence(report, threshold)),
        title,
        unit: metric.title().into(),
        across: "layer".into(),
        columns: layers.clone().map(|layer| report.origin.layer(layer)).collect(),
        rows,
        flag: (metric == Metric::Kurtosis).then(|| format!("κ above {}", format::figure(threshold))),
    }
}

/// What stands in a cell of the heat map, counted row after row: a layer, or one of its matrices; none where there is none.
pub fn picked(report: &Report, cell: usize) -> Option<Scope> {
    let (row, layer) = (cell / report.layers.len().max(1), cell % report.layers.len().max(1));
    let scope = match row.checked_sub(1) {
        None => Scope::Layer(layer),
        Some(at) => Scope::Tensor(layer, parts(report).nth(at)?),
    };
    spread(report, scope).map(|_| scope)
}

/// What matrices its layers have.
fn parts(report: &Report) -> impl Iterator<Item = Part> {
    Part::ALL.into_iter().filter(|part| report.tensors.iter().any(|tensor| tensor.part == *part))
}

/// A count of one stands this high above nothing on the logarithmic axis.
const LEAST_COUNT: f64 = 0.5;

/// How many weights lie how far from the mean, with the Gaussian and the Laplace curve of the same σ.
pub fn histogram(report: &Report, scope: Scope) -> Option<HistogramChart> {
    let Spread { summary, histogram } = spread(report, scope)?;
    let (cells, n) = (0..histogram.counts.len(), summary.n as f64);
    let most = histogram.counts.iter().copied().max()? as f64;
    let reach = histogram.edges(cells.end - 1).1;
    let middle = |cell| (histogram.edges(cell).0 + histogram.edges(cell).1) / 2.0;
    let expected = |share: &dyn Fn(usize) -> f64| cells.clone().map(|cell| (middle(cell), n * share(cell))).collect();
    let bar = |cell: usize| {
        let ((from, to), count) = (histogram.edges(cell), histogram.counts[cell]);
        let told = format!(
            "{}σ to {}σ from the mean: {}; a Gaussian would have {}, a Laplace curve {}",
            format::fixed(from, 2),
            format::fixed(to, 2),
            format::counted(count, "weight"),
            format::small(n * histogram.gaussian(cell)),
            format::small(n * histogram.laplace(cell))
        );
        Bar { key: format!("cell-{cell}"), edges: (from, to), count: count as f64, told }
    };
    let curve = |label: &str, stroke, dashed, points| Curve { label: label.into(), stroke, dashed, points };
    let title = format!("Weights of {}, {}", report.origin.model, scope.title());
    Some(HistogramChart {
        description: format!("{title}, by distance from the mean. {}", told(&scope.title(), summary)),
        title,
        x: Axis::new("distance from the mean, in σ", Growth::Linear, -reach, reach),
        y: Axis::new("weights per cell (logarithmic)", Growth::Logarithmic, LEAST_COUNT, 2.0 * most),
        bars: cells.clone().map(bar).collect(),
        curves: vec![
            curve("Gaussian of the same σ", Stroke::First, false, expected(&|cell| histogram.gaussian(cell))),
            curve("Laplace of the same σ", Stroke::Second, true, expected(&|cell| histogram.laplace(cell))),
        ],
    })
}

/// The histogram's figures.
pub fn histogram_table(report: &Report, scope: Scope) -> Table {
    let Some(Spread { summary, histogram }) = spread(report, scope) else { return Table::default() };
    let n = summary.n as f64;
    Rows::of("cell", 0..histogram.counts.len(), |cell| *cell)
        .column("from", "From", "Left edge of the cell, in σ from the mean", |cell| histogram.edges(*cell).0)
        .column("to", "To", "Right edge of the cell", |cell| histogram.edges(*cell).1)
        .column("count", "Weights", "Weights in the cell", |cell| histogram.counts[*cell])
        .column("gaussian", "Gaussian", "Weights that a Gaussian of the same mean and σ would have there", |cell| {
            n * histogram.gaussian(*cell)
        })
        .column("laplace", "Laplace", "Weights that a Laplace distribution would have there", |cell| {
            n * histogram.laplace(*cell)
        })
        .table()
}

/// Every layer and every matrix with all figures: the page's table, and the heat map's CSV.
pub fn table(report: &Report, threshold: f64) -> Table {
    let layers = report.layers.iter().map(|layer| (Scope::Layer(layer.layer), &layer.spread.summary));
    let tensors =
        (report.tensors.iter()).map(|tensor| (Scope::Tensor(tensor.layer, tensor.part), &tensor.spread.summary));
    Rows::of("weights", layers.chain(tensors), |(scope, _)| scope.key())
        .apart(|(scope, _)| matches!(scope, Scope::Tensor(..)))
        .column("name", "Weights", "Layer, or one of its matrices", |(scope, _)| scope.title())
        .column("n", "n", "Number of weights", |(_, of)| of.n)
        .column("kurtosis", "κ", "Excess kurtosis: 0 for a Gaussian", |(_, of)| of.kurtosis)
        .column("outlier", "Outlier", "Whether κ lies above the threshold", |(_, of)| match of.kurtosis > threshold {
            true => Cell::Ranked(1, "yes".into()),
            false => Cell::Ranked(0, "no".into()),
        })
        .column("sigma", "σ", "Standard deviation", |(_, of)| of.sigma)
        .column("mean", "Mean", "Mean", |(_, of)| of.mean)
        .column(
            "beyond_3",
            "Beyond 3σ",
            "Share of weights further than 3σ from the mean; 0.27% for a Gaussian",
            |(_, of)| Cell::Share(of.beyond_3),
        )
        .column("beyond_6", "Beyond 6σ", "Share further than 6σ; none to speak of for a Gaussian", |(_, of)| {
            Cell::Share(of.beyond_6)
        })
        .column("largest", "Largest ÷ σ", "Largest magnitude over σ", |(_, of)| largest(of))
        .table()
}

/// How the figures came about.
pub fn footnotes(report: &Report) -> Vec<String> {
    vec![
        "Weight matrices of the blocks, which are what quantization acts on; embeddings, norms and biases are left out."
            .into(),
        "κ = n·Σ(x − mean)⁴/(Σ(x − mean)²)² − 3, over all weights of a matrix or layer: population figures without \
         sampling error, so no intervals."
            .into(),
        "The curves are not fitted by eye: both have the mean and the σ of the weights; the Laplace scale is b = σ/√2."
            .into(),
        crate::lab::provenance(&report.origin),
    ]
}

/// `fairbits-m12-weights`.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-weights", report.origin.model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::weights::Config;
    use crate::lab::weights::{Layer, Tensor};
    use crate::math::{histogram::Histogram, moments::Moments, rng::Rng};

    fn report() -> Report {
        let mut rng = Rng::new(3);
        let mut spread = |far: f32| {
            let mut values: Vec<f32> = (0..2000).map(|_| rng.normal() as f32).collect();
            values[0] = far;
            let moments = Moments::of(&values);
            Spread { summary: Summary::of(&values), histogram: Histogram::of(&moments, &[&values]) }
        };
        let tensors: Vec<Tensor> = (0..2)
            .flat_map(|layer| crate::lab::provenance::tests::PARTS.map(|part| (layer, part)))
            .map(|(layer, part)| Tensor { name: format!("{layer}{part:?}"), layer, part, spread: spread(3.0) })
            .collect();
        let layers = [1.0, 30.0].map(&mut spread);
        let layers = layers.into_iter().enumerate();
        Report {
            config: Config { threshold: crate::lab::thresholds::OUTLIER },
            origin: crate::lab::provenance::tests::origin("m"),
            tensors,
            layers: layers.map(|(layer, spread)| Layer { layer, outlier: layer == 1, spread }).collect(),
        }
    }

    #[test]
    fn the_threshold_decides_what_is_an_outlier() {
        let report = report();
        assert_eq!(outliers(&report, 5.0), [1]);
        assert_eq!(outliers(&report, 1e4), Vec::<usize>::new());
        assert_eq!(outliers(&report, -9.0), [0, 1]);
        assert!(sentence(&report, 5.0).starts_with("Layer 1 of 2 is an outlier layer: its κ lies above 5.00."));
        assert!(sentence(&report, 1e4).starts_with("None of the 2 layers"));
        assert!(sentence(&report, -9.0).contains("2 of 2 layers are outlier layers"));
        let framed = |threshold| {
            let map = heat(&report, Metric::Kurtosis, threshold);
            map.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.flagged).count()
        };
        assert_eq!((framed(5.0), framed(-9.0)), (1, 10));
    }

    #[test]
    fn every_cell_of_the_map_is_a_row_of_the_table() {
        let report = report();
        let (map, table) = (heat(&report, Metric::Largest, 5.0), table(&report, 5.0));
        assert_eq!(map.rows.iter().map(|row| row.cells.len()).sum::<usize>(), table.keys.len());
        let at = table.keys.iter().position(|key| key == "layer-1-up").unwrap();
        let Cell::Number(largest) = table.cell(at, "largest") else { panic!("a number") };
        assert_eq!(map.rows[3].cells[1].value, Some(*largest));
        assert!(table.csv().starts_with("weights,name,n,kurtosis,outlier,sigma,mean,beyond_3,beyond_6,largest\r\n"));
    }

    #[test]
    fn the_histogram_holds_every_weight() {
        let report = report();
        let chart = histogram(&report, Scope::Tensor(0, Part::Out)).unwrap();
        assert_eq!(chart.bars.iter().map(|bar| bar.count).sum::<f64>(), 2000.0);
        let gaussian: f64 = chart.curves[0].points.iter().map(|(_, count)| count).sum();
        assert!((gaussian - 2000.0).abs() < 20.0, "{gaussian}");
        assert!(histogram(&report, Scope::Model).is_none());
        let rows = histogram_table(&report, Scope::Layer(1)).keys;
        assert_eq!(rows.len(), histogram(&report, Scope::Layer(1)).unwrap().bars.len());
    }
}
