//! A report as people and files take it: words, figures with their intervals, tables, charts, CSV and JSON.
//!
//! Pure: text in, text out. The page and the command line draw the same figure from the same report.
//!
//! Invariant: no DOM, no I/O, no clock.

pub mod card;
pub mod chart;
pub mod clipping;
pub mod format;
pub mod languages;
pub mod scale;
pub mod scope;
pub mod sentence;
pub mod table;
pub mod weights;
pub mod words;

use crate::analysis;

pub use crate::arch::spec::Part;
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

/// `fairbits-` and what the file is of, with nothing in it that a file system minds.
pub fn file_stem(of: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    format!("fairbits-{of}").chars().map(kept).collect()
}

/// Where the figures are from, as a footnote.
fn provenance(model: &str, sha256: &str, backend: &str, version: &str) -> String {
    let digest = sha256.get(..12).unwrap_or(sha256);
    format!("Computed by the {backend} backend; model {model}, SHA-256 {digest}…; program version {version}.")
}
