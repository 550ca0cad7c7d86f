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

pub use crate::analysis::languages::{Config, Report, Resource, Row};
pub use crate::math::clipping::Rule;
pub use crate::math::moments::Summary;
pub use crate::math::quantizer::{Bits, Granularity};
pub use crate::math::statistics::Interval;
pub use crate::model::card::Card;
pub use crate::model::catalog::Catalog;
pub use crate::model::corpus::{CorpusCard, CorpusLanguage};
