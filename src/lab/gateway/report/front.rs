//! Disparity against memory, over everything evaluated: the front, and the best set that is small enough.

use super::{Report, Row, disparity, first_size, named, predicted, set_key, told, told_disparity};
use crate::report::chart::lines::{Curve, Dot, LineChart, Stop};
use crate::report::chart::look::{Shape, Stroke};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::scale::LOGARITHMIC_FROM;
use crate::report::table::Table;
use crate::report::{format, rows::Rows};

/// Bytes of a unit of the axis.
const MEGABYTE: f64 = 1e6;
/// More places across than these lie too close to be pointed at.
const MOST_STOPS: usize = 40;

fn place(row: &Row) -> Option<(f64, f64)> {
    Some((row.bytes as f64 / MEGABYTE, disparity(row)?))
}

/// The least and the largest compression of what was evaluated.
pub fn reach(report: &Report) -> Option<(f64, f64)> {
    let all = || report.rows.iter().map(|row| report.compression(row));
    (!report.rows.is_empty()).then(|| (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max)))
}

/// min D(S) subject to E(S) ≥ `least`, as a sentence.
pub fn within(report: &Report, least: f64) -> String {
    let small = report.rows.iter().filter(|row| report.compression(row) >= least).count() as u64;
    let of = format!(
        "{} of {} evaluated have E ≥ {}, at most {}",
        format::count(small),
        format::counted(report.rows.len() as u64, "set"),
        format::fixed(least, 2),
        format::bytes((report.bytes_full as f64 / least) as u64)
    );
    match report.best_within(least) {
        Some(row) => format!("{of}. Of these the least disparity is that of {}.", told(report, row)),
        None => format!("{of}."),
    }
}

/// Every set, the front, the best set of the size shown first, and the theory's.
pub fn front_chart(report: &Report) -> Option<LineChart> {
    let places: Vec<(f64, f64)> = report.rows.iter().filter_map(place).collect();
    let front = report.front();
    let seeds = predicted(report.layers.len()).and_then(|set| report.row(set));
    let best = first_size(report).and_then(|size| report.of_size(size).next());
    let marked = || front.iter().copied().chain(seeds).chain(best);
    let ends = || marked().filter_map(|row| row.cost.disparity).flat_map(|of| [of.low, of.high]);
    let all = || places.iter().map(|at| at.1).chain(ends()).chain([0.0]);
    let (growth, upwards) = match all().any(|of| of > LOGARITHMIC_FROM) {
        true => (Growth::OnePlus, "disparity (logarithmic in 1 + disparity)"),
        false => (Growth::Linear, "disparity: largest D − smallest D"),
    };
    let x = Axis::fit("memory of the weights, MB", Growth::Linear, places.iter().map(|at| at.0));
    let y = Axis::fit(upwards, growth, all());
    let curve = Curve {
        label: "front: no set is both smaller and better".into(),
        stroke: Stroke::First,
        dashed: false,
        points: front.iter().filter_map(|row| place(row)).collect(),
    };
    let dot = |row: &Row, kind: &str, label: String, look: (Shape, Stroke)| {
        Some(Dot {
            key: format!("{kind}-{}", set_key(row.set)),
            told: format!("{}, {label}", told(report, row)),
            label,
            look,
            at: place(row)?,
            whisker: row.cost.disparity.map(|of| (of.low, of.high)),
            dropped: false,
        })
    };
    let on_front =
        front.iter().filter_map(|row| dot(row, "front", "on the front".into(), (Shape::Disc, Stroke::First)));
    let seeds = seeds.and_then(|row| {
        dot(row, "seeds", format!("the theory's set {}", named(row.set)), (Shape::Diamond, Stroke::Second))
    });
    let best = best.and_then(|row| {
        let label = format!("best of {}", format::counted(row.set.len() as u64, "layer"));
        dot(row, "best", label, (Shape::Ring, Stroke::Ink))
    });
    let title = format!(
        "Disparity of {} against memory, {}",
        report.origin.model,
        format::counted(report.rows.len() as u64, "set")
    );
    let said: Vec<String> = front.iter().map(|row| format!("{} {}", named(row.set), told_disparity(row))).collect();
    (!places.is_empty()).then(|| LineChart {
        description: format!("{title}. On the front, from the smallest: {}.", said.join("; ")),
        title,
        x,
        y,
        cloud: places,
        curves: vec![curve],
        dots: on_front.chain(seeds).chain(best).collect(),
        stops: stops(report),
    })
}

/// One for each memory that sets have in common, where there are not too many.
fn stops(report: &Report) -> Vec<Stop> {
    let mut by_bytes = std::collections::BTreeMap::<u64, Vec<&Row>>::new();
    for row in report.rows.iter().filter(|row| disparity(row).is_some()) {
        by_bytes.entry(row.bytes).or_default().push(row);
    }
    if by_bytes.len() > MOST_STOPS {
        return Vec::new();
    }
    let stop = |(bytes, rows): (u64, Vec<&Row>)| {
        let by_disparity = |a: &&&Row, b: &&&Row| disparity(a).unwrap_or(0.0).total_cmp(&disparity(b).unwrap_or(0.0));
        let (best, worst) = (rows.iter().min_by(by_disparity)?, rows.iter().max_by(by_disparity)?);
        let range = match rows.len() {
            1 => String::new(),
            _ => format!("; the worst is {} with {}", named(worst.set), told_disparity(worst)),
        };
        Some(Stop {
            key: format!("bytes-{bytes}"),
            told: format!(
                "{} of {}: the best is {} with {}{range}",
                format::counted(rows.len() as u64, "set"),
                format::bytes(bytes),
                named(best.set),
                told_disparity(best)
            ),
            x: bytes as f64 / MEGABYTE,
        })
    };
    by_bytes.into_iter().filter_map(stop).collect()
}

/// Everything evaluated, for the file.
pub fn everything_table(report: &Report) -> Table {
    let front: std::collections::BTreeSet<_> = report.front().iter().map(|row| row.set).collect();
    Rows::of("set", &report.rows, |row| set_key(row.set))
        .column("protected", "Protected", "Layers in full precision", |row| named(row.set))
        .column("size", "Layers", "How many", |row| row.set.len())
        .column("disparity", "Disparity", "Largest D − smallest D over seen languages", |row| row.cost.disparity)
        .column("bytes", "Bytes", "Memory of the weights, scales included", |row| row.bytes)
        .column("compression", "E", "Compression: f32 bytes ÷ bytes", |row| report.compression(row))
        .column("score", "FES", "√(efficiency × fairness)", |row| row.score)
        .column("front", "On the front", "No set is both smaller and better", |row| front.contains(&row.set))
        .table()
}
