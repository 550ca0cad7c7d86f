//! The report on one matrix: three pictures on one scale, the grid's codes, the cells as a table.

mod picture;

pub use picture::{Picture, pictures, scale};

use crate::lab::rounding::Rounding;
use crate::report::chart::histogram::{Bar, HistogramChart};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::scope::Scope;
use crate::report::table::{Cell, Table};
use crate::report::{format, labels, rows::Rows};

use super::{Config, MOST_CELLS, Report, Shown, Window};

/// What a cell of several weights shows, as a choice.
pub fn shown(shown: Shown) -> &'static str {
    match shown {
        Shown::Furthest => "the weight furthest from zero",
        Shown::Mean => "the mean of its weights",
    }
}

/// As options are named.
pub fn shown_key(shown: Shown) -> &'static str {
    match shown {
        Shown::Furthest => "furthest",
        Shown::Mean => "mean",
    }
}

/// Which matrix.
pub fn title(report: &Report) -> String {
    let Config { layer, part, quantizer: Rounding { bits, .. }, .. } = report.config;
    format!(
        "Layer {}, {}, before and after rounding to {} bits",
        report.origin.layer(layer),
        labels::part(part),
        bits.get()
    )
}

/// A figure over σ of the matrix.
fn over_sigma(report: &Report, value: f64) -> f64 {
    if report.summary.sigma > 0.0 { value / report.summary.sigma } else { 0.0 }
}

/// Weights that become exactly zero.
fn zeros(report: &Report) -> u64 {
    report.codes.get(report.codes.len() / 2).copied().unwrap_or(0)
}

/// Of all weights.
fn share(report: &Report, count: u64) -> f64 {
    count as f64 / report.summary.n.max(1) as f64
}

/// The result in a sentence or two.
pub fn sentence(report: &Report) -> String {
    let used = report.codes.iter().filter(|count| **count > 0).count();
    let clipped = match report.clipped {
        0 => "none is clipped".to_string(),
        some => format!("{} beyond it are clipped", format::percent(share(report, some))),
    };
    format!(
        "Of {} weights {} become exactly 0, and {clipped}. {} of the grid’s {} values are used; the squared error is {} of \
         the weights’ variance.",
        format::count(report.summary.n),
        format::percent(share(report, zeros(report))),
        used,
        report.codes.len(),
        format::percent(report.error.total())
    )
}

/// A figure of the matrix, as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFigure {
    /// In the page's `data-figure`.
    pub key: &'static str,
    /// Its name.
    pub title: &'static str,
    /// As a person reads it.
    pub value: String,
    /// What it is.
    pub explained: String,
}

/// The figures beside the pictures.
pub fn key_figures(report: &Report) -> Vec<KeyFigure> {
    let (low, high) = report.alpha;
    let (over_low, over_high) = (over_sigma(report, low), over_sigma(report, high));
    let (alpha, over) = match low == high {
        true => (format::small(low), format!("{}\u{a0}σ", format::fixed(over_low, 1))),
        false => (
            format!("{} to {}", format::small(low), format::small(high)),
            format!("{} to {}\u{a0}σ", format::fixed(over_low, 1), format::fixed(over_high, 1)),
        ),
    };
    let figure = |key, title, value, explained| KeyFigure { key, title, value, explained };
    vec![
        figure("alpha", "α", alpha, format!("where the grid ends: {over}")),
        figure(
            "error",
            "MSE",
            format::percent(report.error.total()),
            format!(
                "of σ²: {} by rounding, {} by clipping",
                format::percent(report.error.rounding),
                format::percent(report.error.clipping)
            ),
        ),
        figure(
            "clipped",
            "Clipped",
            format::percent(share(report, report.clipped)),
            format!("{} of {} weights", format::count(report.clipped), format::count(report.summary.n)),
        ),
        figure("zero", "Become 0", format::percent(share(report, zeros(report))), "of the weights".into()),
        figure(
            "kurtosis",
            "κ",
            format::figure(report.summary.kurtosis),
            format!("largest weight {}\u{a0}σ", format::fixed(over_sigma(report, report.summary.absmax), 1)),
        ),
        figure("cell", "Cell", cell_size(report), cell_words(report)),
    ]
}

fn cell_size(report: &Report) -> String {
    format!("{} × {}", report.cell.0, report.cell.1)
}

fn cell_words(report: &Report) -> String {
    match report.cell {
        (1, 1) => "every cell is one weight".into(),
        _ => format!("weights, shown by {}", shown(report.config.shown)),
    }
}

/// What lies in a cell, as a line.
pub fn told(report: &Report, row: usize, column: usize) -> String {
    let at = row * report.size.1 + column;
    let Window { inputs, outputs } = report.mosaic().at(row, column);
    let side = |what: &str, (from, to): (usize, usize)| match to - from {
        1 => format!("{what} {from}"),
        _ => format!("{what}s {from} to {}", to - 1),
    };
    let figure = |of: &[f64]| of.get(at).map_or_else(String::new, |value| format::small(*value));
    format!(
        "{}, {}: {} before, {} after, difference {}",
        side("input", inputs),
        side("output", outputs),
        figure(&report.full),
        figure(&report.quantized),
        figure(&report.difference)
    )
}

/// The window that a person sees who looks closer at a cell: whole weights first, then a quarter of them. None where nothing
/// closer can be seen.
pub fn closer(report: &Report, row: usize, column: usize) -> Option<Window> {
    /// The closest look.
    const CLOSEST: usize = 16;
    let (cell, mosaic) = (report.mosaic().at(row, column), report.mosaic());
    let next = match mosaic.cell {
        (1, 1) => (mosaic.size.0.max(mosaic.size.1) / 4).max(CLOSEST),
        _ => MOST_CELLS,
    };
    let side = |(from, to): (usize, usize), (first, past): (usize, usize), all: usize| {
        let (length, middle) = (next.min(past - first), (from + to) / 2);
        let begins = middle.saturating_sub(length / 2).clamp(first, past - length).min(all - length);
        (begins, begins + length)
    };
    let window = Window {
        inputs: side(cell.inputs, mosaic.window.inputs, report.channels.0),
        outputs: side(cell.outputs, mosaic.window.outputs, report.channels.1),
    };
    (window != mosaic.window).then_some(window)
}

/// Weights on each value of the grid.
pub fn codes(report: &Report) -> HistogramChart {
    let levels = (report.codes.len() / 2) as i64;
    let most = report.codes.iter().copied().max().unwrap_or(1) as f64;
    let bar = |(at, count): (usize, &u64)| {
        let code = at as i64 - levels;
        let value = match report.alpha {
            (low, high) if low == high => format!(" (value {})", format::small(code as f64 * low / levels as f64)),
            _ => String::new(),
        };
        let told = format!(
            "code {}{value}: {}, {} of all",
            format::fixed(code as f64, 0),
            format::counted(*count, "weight"),
            format::percent(share(report, *count))
        );
        Bar { key: format!("code-{code}"), edges: (code as f64 - 0.5, code as f64 + 0.5), count: *count as f64, told }
    };
    let end = levels as f64 + 0.5;
    let title = format!(
        "Weights on each value of the grid, {}",
        Scope::Tensor(report.config.layer, report.config.part).title()
    );
    HistogramChart {
        description: format!("{title}. {}", sentence(report)),
        title,
        x: Axis::new("code: the value is code × α/L", Growth::Linear, -end, end),
        y: Axis::new("weights (logarithmic)", Growth::Logarithmic, 0.5, 2.0 * most),
        bars: report.codes.iter().enumerate().map(bar).collect(),
        curves: Vec::new(),
    }
}

/// The chart's figures.
pub fn codes_table(report: &Report) -> Table {
    let levels = (report.codes.len() / 2) as i64;
    let codes = report.codes.iter().enumerate().map(|(at, count)| (at as i64 - levels, *count));
    Rows::of("row", codes, |(code, _)| format!("code-{code}"))
        .column("code", "Code", "From −L to L; the value is code × α/L", |(code, _)| *code as f64)
        .column("count", "Weights", "Weights that are rounded to it", |(_, count)| *count)
        .column("share", "Share", "Of all weights of the matrix", |(_, count)| Cell::Share(share(report, *count)))
        .table()
}

/// Every cell with its three figures.
pub fn table(report: &Report) -> Table {
    let (rows, columns) = report.size;
    let cells = (0..rows * columns).map(|at| (at, report.mosaic().at(at / columns, at % columns)));
    Rows::of("cell", cells, |(at, _)| *at)
        .column("input_from", "Input from", "First input channel of the cell", |(_, of)| of.inputs.0)
        .column("input_to", "Input to", "Last input channel", |(_, of)| of.inputs.1 - 1)
        .column("output_from", "Output from", "First output channel", |(_, of)| of.outputs.0)
        .column("output_to", "Output to", "Last output channel", |(_, of)| of.outputs.1 - 1)
        .column("full", "Before", "Of the weights in full precision", |(at, _)| report.full.get(*at).copied())
        .column("quantized", "After", "Of the rounded weights", |(at, _)| report.quantized.get(*at).copied())
        .column("difference", "Difference", "Of after − before, weight by weight", |(at, _)| {
            report.difference.get(*at).copied()
        })
        .table()
}

/// How the pictures came about.
pub fn footnotes(report: &Report) -> Vec<String> {
    let Rounding { rule, granularity, .. } = report.config.quantizer;
    vec![
        format!(
            "Rows are input channels, columns output channels of {}, {} × {}; threshold by {}, one grid per {}.",
            report.name,
            report.channels.0,
            report.channels.1,
            labels::rule(rule),
            labels::granularity(granularity)
        ),
        "All three pictures have one scale. The colour grows with the root of the figure, so that small weights can be seen: \
         half the colour is a quarter of the reach."
            .into(),
        "Figures are of all weights of the matrix, without sampling error, so they have no intervals.".into(),
        crate::lab::provenance(&report.origin),
    ]
}

/// `fairbits-m12-layer-3-down-3bit`.
pub fn file_stem(report: &Report) -> String {
    let Config { layer, part, quantizer: Rounding { bits, .. }, .. } = report.config;
    crate::report::file_stem(&format!("{}-{}-{}bit", report.origin.model, Scope::Tensor(layer, part).key(), bits.get()))
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
