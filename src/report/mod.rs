//! A report as people and files take it: words, figures with their intervals, tables, charts, CSV and JSON.
//!
//! Pure: text in, text out. The page and the command line draw the same figure from the same report.
//!
//! Invariant: no DOM, no I/O, no clock.

pub mod card;
pub mod chance;
pub mod chart;
pub mod coverage;
pub mod csv;
pub mod format;
pub mod glossary;
pub mod labels;
pub mod language;
pub mod measure;
pub mod progress;
pub mod rows;
pub mod scale;
pub mod scope;
pub mod table;
pub mod theory;

pub use self::measure::Measure;
pub use crate::arch::tensors::Part;
pub use crate::math::clipping::Rule;
pub use crate::math::moments::Summary;
pub use crate::math::quantizer::{Bits, Granularity};
pub use crate::math::statistics::Interval;
pub use crate::model::card::{Card, Resource};
pub use crate::model::catalog::Catalog;
pub use crate::model::corpus::{CorpusCard, CorpusLanguage};

/// `fairbits-` and what the file is of, with nothing in it that a file system minds.
pub fn file_stem(of: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    format!("fairbits-{of}").chars().map(kept).collect()
}
