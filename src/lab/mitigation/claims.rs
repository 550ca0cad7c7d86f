//! T2d, P2 and F1: from the Mitigation report.

use super::{Method, Report, Row};

use crate::lab::{
    judged::{Found, layers, one, shares, undecided},
    verdict::Ruling,
};
use crate::report::{Interval, format};

/// P2: half of the promised 50%; a cut that is surely smaller is not "about half".
const QUARTER: f64 = 0.25;

pub(super) fn of(id: &str, report: &Report) -> Vec<(String, Found)> {
    match id {
        "T2d" => strategies(report),
        "P2" => one(eight_bits(report)),
        "F1" => one(score(report)),
        _ => Vec::new(),
    }
}

fn row(report: &Report, method: Method) -> Option<&Row> {
    report.rows.iter().find(|row| row.method == method)
}

/// A, B and C, each against absmax.
fn strategies(report: &Report) -> Vec<(String, Found)> {
    let rule = "The change of disparity against one grid per matrix up to its largest weight, paired over texts: supported if \
                it is surely below 0, not supported if it is surely not.";
    let ways = [
        ("A, per language", Method::Language),
        ("B, by kurtosis", Method::EightBits),
        ("C, by detection", Method::Detected),
    ];
    let judge = |(name, method): (&str, Method)| {
        let change = row(report, method).and_then(|row| row.change);
        let found = match change {
            _ if method == Method::EightBits && report.outliers.is_empty() => {
                undecided("No layer lies above the threshold of outlier layers.", rule)
            }
            Some(of) => {
                let measured = format!(
                    "Disparity changes by {} at {} bits.",
                    format::interval(&of.difference),
                    report.config.bits.get()
                );
                (Ruling::below(&of.difference, 0.0), measured, rule.into())
            }
            None => undecided("It was not among the methods of the run.", rule),
        };
        (name.to_string(), found)
    };
    ways.into_iter().map(judge).collect()
}

fn eight_bits(report: &Report) -> Found {
    let rule = "With 8 bits for layers above the threshold: supported if disparity surely falls by more than a quarter, not \
                supported if it surely falls by less.";
    let change = row(report, Method::EightBits).and_then(|row| row.change);
    match change {
        Some(of) if !report.outliers.is_empty() => {
            let measured =
                format!("Disparity falls by {}, {} at 8 bits.", shares(&of.reduction), layers(report.outliers.len()));
            (Ruling::above(&of.reduction, QUARTER), measured, rule.into())
        }
        Some(_) => undecided("No layer lies above the threshold of outlier layers; the dial makes some.", rule),
        None => undecided("It was not among the methods of the run.", rule),
    }
}

fn score(report: &Report) -> Found {
    let rule = "Supported if the interval of the best score lies above that of the worst, so that the score tells strategies \
                apart; not supported if all intervals meet.";
    let scored = report.rows.iter().filter_map(|row| row.score.map(|score| (row.method, score)));
    let mut scored: Vec<(Method, Interval)> = scored.collect();
    scored.sort_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
    let (Some((best, high)), Some((worst, low))) = (scored.first(), scored.last()) else {
        return undecided("There are no scores.", rule);
    };
    let name = |method: &Method| super::method(*method);
    let measured =
        format!("Best: {}, {}. Worst: {}, {}.", name(best), format::interval(high), name(worst), format::interval(low));
    let ruling = if high.low > low.high { Ruling::Supported } else { Ruling::NotSupported };
    (ruling, measured, rule.into())
}
