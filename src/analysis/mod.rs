//! Analyses: each is a pure function `(Model, Corpus, Config, seed) -> Report`, in a file of its own.
//!
//! An analysis is written as three steps, so that any number of workers may share the middle one and the result does
//! not depend on how many there are: it makes a [`passes::Plan`], the plan's jobs are run anywhere in any order, and the
//! report is assembled from their losses in the order of the plan.

pub mod languages;
pub mod passes;

use crate::{arch::ArchError, model::ModelError};

/// What can go wrong in an analysis.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// No language was chosen.
    #[error("choose at least one language")]
    NoLanguages,
    /// A code that the corpus does not have.
    #[error("the corpus {corpus} has no text in language `{code}`")]
    UnknownLanguage {
        /// The corpus.
        corpus: String,
        /// The code.
        code: String,
    },
    /// A code given twice would count twice in every mean.
    #[error("language `{0}` is named twice")]
    Repeated(String),
    /// A whole number out of its range.
    #[error("{what} is {given}; it must be between {least} and {most}")]
    Range {
        /// The setting.
        what: &'static str,
        /// Its value.
        given: usize,
        /// Smallest allowed.
        least: usize,
        /// Largest allowed.
        most: usize,
    },
    /// A text without a token to score.
    #[error("unit {unit} of language `{code}` has no token to score")]
    EmptyText {
        /// The language.
        code: String,
        /// Counted from 1.
        unit: usize,
    },
    /// The model gave a loss that is not a number.
    #[error("the {which} model's loss on unit {unit} of language `{code}` is {value}, not a finite number")]
    NotFinite {
        /// `full-precision` or `quantized`.
        which: &'static str,
        /// The language.
        code: String,
        /// Counted from 1.
        unit: usize,
        /// What came.
        value: f64,
    },
    /// From the forward pass.
    #[error(transparent)]
    Arch(#[from] ArchError),
    /// From the model's or the corpus's files.
    #[error(transparent)]
    Model(#[from] ModelError),
}
