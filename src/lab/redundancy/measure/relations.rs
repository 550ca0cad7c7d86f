//! ε against 1/R: the line of document 001's prediction, and theorem 1's bound C_b/(R + δ).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Measure, Row, draw::Reader};
use crate::{
    lab::{degradation::known, draws::LEVEL},
    math::{
        correlation::{Correlation, Draws, correlate},
        line::Line,
        quantizer::Bits,
        statistics::{Interval, bca},
    },
};

/// What is called ε.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyError")]
#[serde(rename_all = "snake_case")]
pub enum Error {
    /// D(λ), as where the theory observes 4.24.
    Loss,
    /// E‖Q(w) − w‖²/σ² of the weights as the language uses them, as in theorem 1.
    Weights,
}

impl Error {
    /// Both.
    pub const ALL: [Error; 2] = [Error::Loss, Error::Weights];

    /// Of a language.
    pub fn of(self, row: &Row) -> Interval {
        match self {
            Error::Loss => row.degradation,
            Error::Weights => row.weight_error,
        }
    }
}

/// Which δ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyDelta")]
#[serde(rename_all = "snake_case")]
pub enum Delta {
    /// δ = b, as the proof of theorem 1 has it.
    Proof,
    /// δ = 0.1, as its check has it.
    Check,
}

impl Delta {
    /// Both readings.
    pub const ALL: [Delta; 2] = [Delta::Proof, Delta::Check];

    /// The number.
    pub fn of(self, bits: Bits) -> f64 {
        match self {
            Delta::Proof => f64::from(bits.get()),
            Delta::Check => 0.1,
        }
    }
}

/// C_b/(R + δ) over σ², with C_b = 3σ²·2^(−2b); none where R + δ is not above 0: the theorem then says nothing.
pub fn bound(bits: Bits, redundancy: f64, delta: f64) -> Option<f64> {
    let constant = 3.0 * libm::pow(2.0, -2.0 * f64::from(bits.get()));
    (redundancy + delta > 0.0).then(|| constant / (redundancy + delta))
}

/// The bound at one δ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyBound")]
pub struct Bound {
    /// Which δ.
    pub reading: Delta,
    /// Its number.
    pub delta: f64,
    /// ε − bound of each language, in the order of the rows; none where the theorem says nothing.
    pub excess: Vec<Option<Interval>>,
    /// Codes of the seen languages that surely lie above.
    pub violated: Vec<String>,
    /// Of the seen languages, so many surely lie below.
    pub kept: usize,
}

/// ε against 1/R over seen languages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyRelation")]
pub struct Relation {
    /// What is called R.
    pub measure: Measure,
    /// What is called ε.
    pub error: Error,
    /// Seen languages whose R is above 0, so that 1/R is a number.
    pub n: usize,
    /// Seen languages in all.
    pub seen: usize,
    /// Of 1/R and ε; none where one does not vary.
    pub correlation: Option<Correlation>,
    /// Of the line through them, with its interval over languages.
    pub slope: Option<Interval>,
    /// Of the line.
    pub intercept: Option<Interval>,
    /// At both δ.
    pub bounds: Vec<Bound>,
}

/// 1/R and ε of a language; none for an unseen one, and where R is not above 0.
pub fn point(row: &Row, measure: Measure, error: Error) -> Option<(f64, f64)> {
    let at = Measure::ALL.iter().position(|own| *own == measure)?;
    let redundancy = row.redundancy.get(at).copied().flatten()?.value;
    (row.language.counts() && redundancy > 0.0).then(|| (1.0 / redundancy, error.of(row).value))
}

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

/// Low against high resource, under one R, one ε and one δ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedundancyRatio")]
pub struct Ratio {
    /// What is called R.
    pub measure: Measure,
    /// What is called ε.
    pub error: Error,
    /// Which δ.
    pub reading: Delta,
    /// Its number.
    pub delta: f64,
    /// Mean ε of low-resource languages over that of high-resource ones.
    pub observed: Interval,
    /// (R_HR + δ)/(R_LR + δ), of mean R.
    pub predicted: Interval,
    /// Observed − predicted, paired over texts.
    pub difference: Interval,
    /// R_HR − R_LR.
    pub gap: Interval,
}
