//! Which texts an analysis reads.

use std::ops::RangeInclusive;

use super::AnalysisError;
use crate::model::{corpus::CorpusCard, source::check_name};

/// A choice of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample<'a> {
    /// Folder of the corpus.
    pub corpus: &'a str,
    /// ISO 639-3 codes.
    pub languages: &'a [String],
    /// How many units of each, from the first.
    pub units: usize,
}

/// Languages of a sample at most; the largest collections of parallel text have some 400.
const MOST_LANGUAGES: usize = 1_000;

/// Units of a language at most: beyond any corpus whose file may be read.
const MOST_UNITS: usize = 1_000_000;

impl Sample<'_> {
    /// Refuses what no corpus can hold, with a sentence.
    pub fn check_alone(&self) -> Result<(), AnalysisError> {
        check_name("the name of the corpus", self.corpus)?;
        within("the number of languages", self.languages.len(), 0..=MOST_LANGUAGES)?;
        self.languages.iter().try_for_each(|code| check_name("the codes of the languages", code))?;
        within("the number of units", self.units, 1..=MOST_UNITS)
    }

    /// Refuses what the corpus does not hold, with a sentence.
    pub fn check(&self, corpus: &CorpusCard) -> Result<(), AnalysisError> {
        if self.languages.is_empty() {
            return Err(AnalysisError::NoLanguages);
        }
        for (i, code) in self.languages.iter().enumerate() {
            if !corpus.languages.iter().any(|language| language.code == *code) {
                return Err(AnalysisError::UnknownLanguage { corpus: corpus.name.clone(), code: code.clone() });
            }
            if self.languages[..i].contains(code) {
                return Err(AnalysisError::Repeated(code.clone()));
            }
        }
        within("the number of units", self.units, 1..=corpus.units)
    }
}

/// Refuses a whole number out of its range, with a sentence.
pub fn within(what: &'static str, given: usize, allowed: RangeInclusive<usize>) -> Result<(), AnalysisError> {
    match allowed.contains(&given) {
        true => Ok(()),
        false => Err(AnalysisError::Range { what, given, least: *allowed.start(), most: *allowed.end() }),
    }
}
