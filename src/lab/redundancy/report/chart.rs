//! ε against 1/R: a dot per language, the line through them, and the bound at both δ.

use super::{Pick, Report, Row, error_name, measure_name};
use crate::lab::redundancy::{Delta, Measure, Relation, bound, point};
use crate::report::chart::{
    lines::{Curve, Dot, LineChart},
    look::{Stroke, shape},
    plane::{Axis, Growth},
};
use crate::report::{Interval, chance::Chance, format, labels, rows::Rows, table::Table};

/// Points of a curve.
const STEPS: usize = 60;

fn relation(report: &Report, pick: Pick) -> Option<&Relation> {
    report.relations.iter().find(|of| of.measure == pick.measure && of.error == pick.error)
}

/// R of a language; none where it is not a number.
pub(super) fn redundancy(row: &Row, measure: Measure) -> Option<Interval> {
    let at = Measure::ALL.iter().position(|own| *own == measure)?;
    row.redundancy.get(at).copied().flatten()
}

/// Whether ε rises with 1/R, in a sentence.
pub fn sentence(report: &Report, pick: Pick) -> String {
    let Some(of) = relation(report, pick) else { return String::new() };
    let slope = match of.slope {
        None => "a line needs three languages whose R is above 0 and differs".to_string(),
        Some(slope) => {
            let told = match (slope.low > 0.0, slope.high < 0.0) {
                (true, _) => "it surely rises",
                (_, true) => "it surely falls",
                _ => "whether it rises is lost in the interval",
            };
            format!("the slope is {}: {told}", format::interval(&slope))
        }
    };
    let r = of.correlation.map_or_else(String::new, |r| {
        let chance = Chance::new(r.pearson_p, report.config.permutations);
        format!("; r is {} (permutation p {})", format::interval(&r.pearson), chance.told())
    });
    let bounds: Vec<String> = of
        .bounds
        .iter()
        .map(|bound| match bound.violated.len() {
            0 => format!("with δ = {} no language surely lies above the bound", format::figure(bound.delta)),
            count => format!(
                "with δ = {} {count} of {} surely lie above it",
                format::figure(bound.delta),
                format::counted(of.seen as u64, "seen language")
            ),
        })
        .collect();
    labels::as_sentence(&format!(
        "{} against 1/R over {}: {slope}{r}. {}",
        error_name(pick.error),
        format::counted(of.n as u64, "language"),
        labels::as_sentence(&bounds.join(", "))
    ))
}

/// None where no language has both figures.
pub fn chart(report: &Report, pick: Pick) -> Option<LineChart> {
    let of = relation(report, pick)?;
    let dot = |row: &Row| {
        let at = point(row, pick.measure, pick.error)?;
        let (level, error) = (row.language.resource, pick.error.of(row));
        Some(Dot {
            key: row.language.code.clone(),
            label: labels::resource_long(level).into(),
            told: format!(
                "{}: R {}, 1/R {}, {} {}",
                row.language.name,
                redundancy(row, pick.measure).map_or_else(String::new, |of| format::interval(&of)),
                format::figure(at.0),
                error_name(pick.error),
                format::interval(&error)
            ),
            look: (shape(level), Stroke::Level(level)),
            at,
            whisker: Some((error.low, error.high)),
            dropped: false,
        })
    };
    let dots: Vec<Dot> = report.rows.iter().filter_map(dot).collect();
    let x = Axis::fit("1/R", Growth::Linear, dots.iter().map(|dot| dot.at.0));
    let (first, last) = dots.iter().fold((f64::INFINITY, 0.0f64), |(a, b), dot| (a.min(dot.at.0), b.max(dot.at.0)));
    if dots.is_empty() || first <= 0.0 {
        return None;
    }
    let places = || (0..=STEPS).map(move |step| first + (last - first) * step as f64 / STEPS as f64);
    let line = of.slope.zip(of.intercept).map(|(slope, intercept)| Curve {
        label: "line of least squares".into(),
        stroke: Stroke::Ink,
        dashed: false,
        points: places().map(|x| (x, intercept.value + slope.value * x)).collect(),
    });
    let bounds = Delta::ALL.map(|reading| {
        let delta = reading.of(report.config.quantizer.bits);
        let over = |x: f64| bound(report.config.quantizer.bits, 1.0 / x, delta).unwrap_or(f64::NAN);
        Curve {
            label: format!("bound C/(R + δ), δ = {}", format::figure(delta)),
            stroke: if reading == Delta::Proof { Stroke::First } else { Stroke::Second },
            dashed: true,
            points: places().map(|x| (x, over(x))).collect(),
        }
    });
    let curves: Vec<Curve> = line.into_iter().chain(bounds).collect();
    let ends = dots.iter().flat_map(|dot| dot.whisker).flat_map(|(low, high)| [low, high]);
    let on_curves = curves.iter().flat_map(|curve| curve.points.iter().map(|(_, y)| *y));
    let y = Axis::fit(
        labels::as_sentence(error_name(pick.error)).trim_end_matches('.'),
        Growth::Linear,
        ends.chain(on_curves),
    );
    let title = format!(
        "{} of {} against 1/R, R = {}",
        error_name(pick.error),
        report.origin.model,
        measure_name(pick.measure)
    );
    Some(LineChart {
        description: format!("{title}. {}", sentence(report, pick)),
        title,
        x,
        y,
        cloud: Vec::new(),
        curves,
        dots,
        stops: Vec::new(),
    })
}

/// What the scatter is drawn from.
pub fn chart_table(report: &Report, pick: Pick) -> Table {
    let rows = report.rows.iter().filter_map(|row| Some((row, point(row, pick.measure, pick.error)?.0)));
    let under = |over: f64, reading: Delta| {
        bound(report.config.quantizer.bits, 1.0 / over, reading.of(report.config.quantizer.bits))
    };
    Rows::named(rows, |(row, _)| &row.language)
        .column("redundancy", "R", "Redundancy as it is measured here", |(row, _)| redundancy(row, pick.measure))
        .column("over", "1/R", "Across", |(_, over)| *over)
        .column("error", error_name(pick.error), "Upwards", |(row, _)| pick.error.of(row))
        .column("bound_proof", "Bound, δ = b", "C/(R + δ) with the proof's δ", |(_, over)| {
            under(*over, Delta::Proof)
        })
        .column("bound_check", "Bound, δ = 0.1", "C/(R + δ) with the check's δ", |(_, over)| {
            under(*over, Delta::Check)
        })
        .table()
}
