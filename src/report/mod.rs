//! A report as people and files take it: words, figures with their intervals, tables, charts, CSV and JSON.
//!
//! Pure: text in, text out. The page and the command line draw the same figure from the same report.
//!
//! Invariant: no DOM, no I/O, no clock.

pub mod card;
pub mod chart;
pub mod format;
pub mod languages;
pub mod scale;
pub mod sentence;
pub mod table;
pub mod words;

use crate::analysis;

pub use crate::math::clipping::Rule;
pub use crate::math::moments::Summary;
pub use crate::math::quantizer::{Bits, Granularity};
pub use crate::math::statistics::Interval;
pub use crate::model::card::{Card, Resource};
pub use crate::model::catalog::Catalog;
pub use crate::model::corpus::{CorpusCard, CorpusLanguage};

/// Any report as JSON, indented.
pub fn json(report: &analysis::Report) -> String {
    serde_json::to_string_pretty(report).expect("a report holds numbers, strings and lists only")
}
