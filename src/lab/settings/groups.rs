//! Settings that several analyses have, each declared once.

use super::{Around, Key, Offer, Setting, number, own, settings, whole};
use crate::{
    lab::{AnalysisError, draws, sample::Sample},
    math::correlation::Draws,
    model::corpus::CorpusCard,
};

/// With one text there is no spread to resample.
const LEAST_UNITS: usize = 2;

settings! {
    /// Which texts are read.
    pub struct Texts("texts") {
        /// Folder of the corpus: `udhr` or `help`.
        corpus: String = "udhr".into(), own("Text");
        /// ISO 639-3 codes, in the order of the report's rows before sorting.
        languages: Vec<String> = Vec::new(), own("Languages");
        /// How many units (articles, paragraphs) of each language, from the first.
        units: usize = 8, whole("Number of texts of each language", 1, 1_000_000);
    }
}

settings! {
    /// How often figures are drawn again for their intervals.
    pub struct Resampling("draws") {
        /// Bootstrap resamples.
        resamples: usize = 2000, whole("Bootstrap resamples", *draws::RESAMPLES.start() as u64, *draws::RESAMPLES.end() as u64);
        /// Seed of every draw.
        seed: u64 = 1, whole("Seed", 0, u64::MAX).help("The same seed gives the same intervals on every machine.");
    }
}

impl Resampling {
    /// With so many shuffles behind each p.
    pub fn with(&self, permutations: usize) -> Draws {
        Draws { resamples: self.resamples, permutations, level: draws::LEVEL, seed: self.seed }
    }
}

impl Texts {
    /// Which texts, as they are read.
    pub fn sample(&self) -> Sample<'_> {
        Sample { corpus: &self.corpus, languages: &self.languages, units: self.units }
    }

    /// What is chosen of them on this site: languages that the corpus has, in its order.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        let corpus = settle_languages(&self.corpus, &mut self.languages, around)?;
        Texts::within(corpus, &format!("Number of {}s", corpus.unit), self.units, LEAST_UNITS)
    }

    /// Refuses a number of a corpus's units that it has not.
    pub fn within(corpus: &CorpusCard, label: &str, given: usize, least: usize) -> Result<(), AnalysisError> {
        match (least..=corpus.units).contains(&given) {
            true => Ok(()),
            false => {
                let wanted = format!("a whole number from {least} to {}", corpus.units);
                Err(AnalysisError::Setting { label: label.to_string(), came: given.to_string(), wanted })
            }
        }
    }
}

/// The corpus of this name, and of the languages those that it has, in its order.
pub fn settle_languages<'a>(
    name: &str,
    languages: &mut Vec<String>,
    around: &Around<'a>,
) -> Result<&'a CorpusCard, AnalysisError> {
    let corpus = around.corpora.iter().find(|corpus| corpus.name == name);
    let corpus = corpus.ok_or_else(|| AnalysisError::NoCorpus(name.chars().take(40).collect()))?;
    let chosen = corpus.languages.iter().map(|language| &language.code).filter(|code| languages.contains(code));
    let chosen: Vec<String> = chosen.cloned().collect();
    if chosen.is_empty() {
        return Err(AnalysisError::NoLanguages);
    }
    *languages = chosen;
    Ok(corpus)
}

/// Where the bound of outlier layers is kept.
pub const THRESHOLD: Key<f64> = Key::at("threshold");
/// Where the language that others are held against is kept.
pub const REFERENCE: Key<String> = Key::at("reference");

/// A layer whose κ lies above this is an outlier layer.
pub fn threshold() -> Setting {
    number("κ above which a layer is an outlier layer", f64::NEG_INFINITY, f64::INFINITY)
}

/// The reference, which gives way to the first language where it is not chosen.
pub fn reference_among(languages: &[String], reference: &mut String) {
    if !languages.contains(reference) {
        *reference = languages.first().cloned().unwrap_or_default();
    }
}

/// Enough shuffles for two digits of 0.01.
pub const USUAL_PERMUTATIONS: usize = 10_000;

/// Shuffles behind each p.
pub fn permutations() -> Setting {
    let (least, most) = draws::PERMUTATIONS.into_inner();
    whole("Shuffles behind each p", least as u64, most as u64).aside()
}

/// Offers of these, by the function that names them.
pub fn titled<T: serde::Serialize + Copy, Title: Into<String>>(
    all: impl IntoIterator<Item = T>,
    title: impl Fn(T) -> Title,
) -> Vec<Offer> {
    all.into_iter().map(|own| Offer::of(own, title(own), "")).collect()
}
