//! ε against 1/R: the line of document 001's prediction, and theorem 1's bound C_b/(R + δ).

use super::draw::Reader;
use crate::lab::{
    degradation::known,
    draws::LEVEL,
    redundancy::{Bound, Delta, Error, Measure, Relation, Row, point},
};
use crate::math::{
    correlation::{Draws, correlate},
    line::Line,
    quantizer::Bits,
    statistics::{Interval, bca},
};

/// For each measure and each ε; reads the excesses that stand next.
pub(super) fn relations(rows: &[Row], read: &mut Reader, draws: &Draws, bits: Bits) -> Vec<Relation> {
    // Language after language, as they were written.
    let width = Measure::ALL.len() * Error::ALL.len() * Delta::ALL.len();
    let excess: Vec<Vec<Option<Interval>>> =
        rows.iter().map(|_| (0..width).map(|_| known(read.next())).collect()).collect();
    let mut relations = Vec::new();
    for (of_measure, measure) in Measure::ALL.into_iter().enumerate() {
        for (of_error, error) in Error::ALL.into_iter().enumerate() {
            let at = |delta: usize| (of_measure * Error::ALL.len() + of_error) * Delta::ALL.len() + delta;
            let bounds = Delta::ALL.into_iter().enumerate();
            let bounds = bounds
                .map(|(number, delta)| {
                    let excess = excess.iter().map(|of| of[at(number)]).collect();
                    held(rows, delta, delta.of(bits), excess)
                })
                .collect();
            let points: Vec<(f64, f64)> = rows.iter().filter_map(|row| point(row, measure, error)).collect();
            let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
            let (intercept, slope) = fitted(&points, draws);
            relations.push(Relation {
                measure,
                error,
                n: points.len(),
                seen: rows.iter().filter(|row| row.language.counts()).count(),
                correlation: correlate(&x, &y, draws),
                slope,
                intercept,
                bounds,
            });
        }
    }
    relations
}

fn held(rows: &[Row], reading: Delta, delta: f64, excess: Vec<Option<Interval>>) -> Bound {
    let seen = || rows.iter().zip(&excess).filter(|(row, _)| row.language.counts());
    let surely = |which: fn(&Interval) -> bool| seen().filter(move |(_, of)| of.as_ref().is_some_and(which));
    let violated = surely(|of| of.low > 0.0).map(|(row, _)| row.language.code.clone()).collect();
    let kept = surely(|of| of.high <= 0.0).count();
    Bound { reading, delta, violated, kept, excess }
}

/// Fewer points lie on a line by chance.
const FEWEST: usize = 3;

/// Intercept and slope of the line of least squares, with their intervals over languages.
fn fitted(points: &[(f64, f64)], draws: &Draws) -> (Option<Interval>, Option<Interval>) {
    if points.len() < FEWEST {
        return (None, None);
    }
    let both = bca(points.len(), 2, draws.resamples, LEVEL, draws.seed, |drawn, out| {
        let line = Line::fit(points, drawn).unwrap_or(Line { intercept: f64::NAN, slope: f64::NAN });
        out.copy_from_slice(&[line.intercept, line.slope]);
    });
    (known(both[0]), known(both[1]))
}
