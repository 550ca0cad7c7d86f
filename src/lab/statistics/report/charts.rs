//! Coefficients with their intervals, a pair's dots, what each row does to r, and power against n.

use super::{Pair, Report, pair_key, pair_name, pair_sentence, power_sentence, row_name};
use crate::report::chart::intervals::{IntervalChart, Point as Row};
use crate::report::chart::lines::{Curve, Dot, LineChart, Stop};
use crate::report::chart::look::{Shape, Stroke};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::chart::scatter::{Point, ScatterChart};
use crate::report::{Interval, Resource, format};

/// r of every pair that has one, from the largest; none where no pair has.
pub fn coefficients_chart(report: &Report) -> Option<IntervalChart> {
    let point = |pair: &Pair| {
        let found = pair.found?;
        Some(Row {
            key: pair_key(pair),
            label: pair_name(report, pair),
            told: pair_sentence(report, pair),
            resource: None,
            interval: found.pearson,
        })
    };
    let mut points: Vec<Row> = report.pairs.iter().filter_map(point).collect();
    points.sort_by(|a, b| b.interval.value.total_cmp(&a.interval.value));
    let title = "Pearson's r of every pair, with 95% intervals".to_string();
    (!points.is_empty()).then(|| IntervalChart {
        description: format!("{title}. {}", super::sentence(report)),
        title,
        axis: "r".into(),
        decimals: format::common_decimals(points.iter().map(|point| &point.interval)),
        points,
        references: Vec::new(),
        spread: None,
    })
}

/// The figures of a pair, row by row.
fn dots<'a>(report: &'a Report, pair: &'a Pair) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
    let [x, y] = [pair.columns.0, pair.columns.1].map(|at| &report.config.columns[at].values);
    x.iter().zip(y).enumerate().filter_map(|(row, (x, y))| Some((row, (*x)?, (*y)?)))
}

/// A dot per row that has both figures.
pub fn scatter(report: &Report, pair: &Pair) -> Option<ScatterChart> {
    let name = |column: usize| report.config.columns[column].name.clone();
    let point = |(row, x, y): (usize, f64, f64)| Point {
        key: row_name(report, row),
        told: format!("{}: {}, {}", row_name(report, row), format::small(x), format::small(y)),
        resource: Resource::Unknown,
        x: Interval::point(x),
        y: Interval::point(y),
    };
    let points: Vec<Point> = dots(report, pair).map(point).collect();
    let title = format!("{}, row by row", pair_name(report, pair));
    (!points.is_empty()).then(|| ScatterChart {
        description: format!("{title}. {}", pair_sentence(report, pair)),
        title,
        across: name(pair.columns.0),
        upwards: name(pair.columns.1),
        points,
    })
}

/// r without each of the rows that move it most.
pub fn influence_chart(report: &Report, pair: &Pair) -> Option<IntervalChart> {
    let whole = pair.found?.pearson;
    let point = |at: &crate::lab::statistics::Influence| Row {
        key: format!("without-{}", at.row),
        label: format!("without {}", row_name(report, at.row)),
        told: format!(
            "Without {}: r = {}, with it {}",
            row_name(report, at.row),
            format::figure(at.r),
            format::interval(&whole)
        ),
        resource: None,
        interval: Interval::point(at.r),
    };
    let all = Row {
        key: "all".into(),
        label: "all rows".into(),
        told: format!("All rows: r = {}", format::interval(&whole)),
        resource: None,
        interval: whole,
    };
    let title = format!("r of {} without one row", pair_name(report, pair));
    Some(IntervalChart {
        description: format!("{title}. {}", pair_sentence(report, pair)),
        title,
        axis: "r".into(),
        decimals: 3,
        points: [all].into_iter().chain(pair.influence.iter().map(point)).collect(),
        references: Vec::new(),
        spread: None,
    })
}

/// Exact power against the number of pairs, and where the person stands.
pub fn power_chart(report: &Report) -> LineChart {
    let (config, power) = (&report.config, &report.power);
    let points: Vec<(f64, f64)> = power.curve.iter().map(|(pairs, power)| (*pairs as f64, *power)).collect();
    let stop = |(pairs, power): &(usize, f64)| Stop {
        key: format!("n-{pairs}"),
        told: format!("{} pairs: power {}", format::count(*pairs as u64), format::fixed(*power, 3)),
        x: *pairs as f64,
    };
    let dot = |key: &str, label: &str, pairs: usize, at: f64, shape| Dot {
        key: key.into(),
        label: label.into(),
        told: format!("{label}: {} pairs, power {}", format::count(pairs as u64), format::fixed(at, 3)),
        look: (shape, Stroke::Second),
        at: (pairs as f64, at),
        whisker: None,
        dropped: true,
    };
    let mut dots = vec![dot("asked", "pairs asked about", config.pairs, power.exact, Shape::Disc)];
    dots.extend(power.needed.map(|needed| dot("needed", "pairs needed", needed, config.wanted, Shape::Diamond)));
    let title = format!("Power of a test of r, where the true correlation is {}", config.rho);
    LineChart {
        description: format!("{title}. {}", power_sentence(report)),
        title,
        x: Axis::fit("pairs", Growth::Logarithmic, points.iter().map(|(pairs, _)| *pairs)),
        y: Axis::new("power", Growth::Linear, 0.0, 1.02),
        cloud: Vec::new(),
        curves: vec![Curve { label: "exact power".into(), stroke: Stroke::First, dashed: false, points }],
        dots,
        stops: power.curve.iter().map(stop).collect(),
    }
}
