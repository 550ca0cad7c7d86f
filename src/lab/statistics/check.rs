//! What the bench refuses before it computes anything: the figures may be a stranger's.

pub use crate::report::csv::{MOST_COLUMNS, MOST_LETTERS, MOST_ROWS};

use super::{Column, Config, Groups};
use crate::lab::{AnalysisError, sample::within, settings::Declared};

/// Tests of other runs at most.
pub const MOST_EARLIER: usize = 2_000;
/// Figures looked at over all tests at most: some minutes of one core.
const MOST_WORK: f64 = 2e10;
/// No figure of a table comes near it, and its square is still a number.
const LARGEST: f64 = 1e100;

/// Why figures are refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FiguresError {
    /// A name that cannot be shown in a line.
    #[error("{0} must be a line of 1 to {MOST_LETTERS} letters")]
    Name(&'static str),
    /// Two columns of one name cannot be told apart.
    #[error("two columns are called “{0}”")]
    Repeated(String),
    /// Columns of different lengths.
    #[error("“{name}” has {came} rows and the first column has {expected}")]
    Length {
        /// Which.
        name: String,
        /// Its rows.
        came: usize,
        /// Rows of the first.
        expected: usize,
    },
    /// A figure that is none.
    #[error("row {row} of “{name}” is {value}; figures lie between −10^100 and 10^100")]
    Value {
        /// The column.
        name: String,
        /// Counted from 1.
        row: usize,
        /// What came.
        value: f64,
    },
    /// A column that is not there, or is used twice.
    #[error("column number {0} is not there, or is used for two things at once")]
    Place(usize),
    /// Neither the first group, the second, nor none.
    #[error("a row is in group {0}; there are groups 1 and 2, and 0 for neither")]
    Group(u8),
    /// A number out of its range.
    #[error("{what} is {given}; it must lie between {least} and {most}")]
    Range {
        /// Which.
        what: &'static str,
        /// Its value.
        given: f64,
        /// Smallest.
        least: f64,
        /// Largest.
        most: f64,
    },
    /// More than a visit's patience.
    #[error(
        "{tests} tests of {rows} rows with so many resamples and shuffles would take very long; choose fewer columns, rows or \
         resamples"
    )]
    Work {
        /// Tests.
        tests: usize,
        /// Rows of each.
        rows: usize,
    },
}

fn named(what: &'static str, name: &str) -> Result<(), FiguresError> {
    let fits = (1..=MOST_LETTERS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(FiguresError::Name(what)) }
}

fn between(what: &'static str, given: f64, least: f64, most: f64) -> Result<(), FiguresError> {
    match (least..=most).contains(&given) {
        true => Ok(()),
        false => Err(FiguresError::Range { what, given, least, most }),
    }
}

impl Config {
    /// Refuses what cannot be computed, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        within("the number of columns", self.columns.len(), 0..=MOST_COLUMNS)?;
        within("the number of earlier tests", self.earlier.len(), 0..=MOST_EARLIER)?;
        self.check_ranges()?;
        let rows = self.columns.first().map_or(0, |column| column.values.len());
        within("the number of rows", rows, 0..=MOST_ROWS)?;
        self.check_figures(rows)?;
        self.check_settings(rows)?;
        Ok(())
    }

    fn check_figures(&self, rows: usize) -> Result<(), FiguresError> {
        for (at, Column { name, values }) in self.columns.iter().enumerate() {
            named("the name of a column", name)?;
            if self.columns[..at].iter().any(|other| other.name == *name) {
                return Err(FiguresError::Repeated(name.clone()));
            }
            if values.len() != rows {
                return Err(FiguresError::Length { name: name.clone(), came: values.len(), expected: rows });
            }
            let wrong = |value: &Option<f64>| value.is_some_and(|value| !value.is_finite() || value.abs() > LARGEST);
            if let Some(row) = values.iter().position(wrong) {
                let value = values[row].unwrap_or(f64::NAN);
                return Err(FiguresError::Value { name: name.clone(), row: row + 1, value });
            }
        }
        if !self.labels.is_empty() && self.labels.len() != rows {
            let name = "names of rows".to_string();
            return Err(FiguresError::Length { name, came: self.labels.len(), expected: rows });
        }
        self.labels.iter().try_for_each(|label| named("the name of a row", label))
    }

    fn check_settings(&self, rows: usize) -> Result<(), FiguresError> {
        named("the name of the family", &self.family)?;
        let used: Vec<usize> = self.target.iter().chain(&self.given).copied().collect();
        let wrong = |(at, place): (usize, &usize)| *place >= self.columns.len() || used[..at].contains(place);
        if let Some(at) = used.iter().enumerate().position(wrong) {
            return Err(FiguresError::Place(used[at]));
        }
        if let Some(Groups { names: (first, second), rows: groups }) = &self.groups {
            named("the name of a group", first)?;
            named("the name of a group", second)?;
            if groups.len() != rows {
                let name = format!("groups {first} and {second}");
                return Err(FiguresError::Length { name, came: groups.len(), expected: rows });
            }
            if let Some(group) = groups.iter().find(|group| **group > 2) {
                return Err(FiguresError::Group(*group));
            }
        }
        for test in &self.earlier {
            named("the name of a test", &test.name)?;
            between("the p of an earlier test", test.p, 0.0, 1.0)?;
        }
        between("the size of the true correlation", self.rho.abs(), 0.01, 0.999)?;
        let tests = self.pairs_asked().len() + self.groups.as_ref().map_or(0, |_| self.columns.len());
        let each = (self.draws.resamples + self.permutations + rows) as f64 * (1 + self.given.len()) as f64;
        match tests as f64 * rows as f64 * each <= MOST_WORK {
            true => Ok(()),
            false => Err(FiguresError::Work { tests, rows }),
        }
    }
}
