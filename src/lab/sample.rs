//! Which texts an analysis reads, and the reading of them.

use std::ops::{Range, RangeInclusive};

use serde_json::json;

use super::{
    AnalysisError,
    origin::InFront,
    overflow::{Began, broken},
    plan::Text,
    runner::Lab,
};
use crate::{
    arch::{scoring::Scoring, spec::Spec},
    model::{
        corpus::CorpusCard,
        source::{check_name, sha256},
        tokenizer::{Besides, Cut},
    },
};

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

/// The texts of a sample, language after language, each with all its units.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Where they are from.
    pub corpus: CorpusCard,
    /// As tokens.
    pub texts: Vec<Text>,
    /// Texts of each language.
    pub units: usize,
    /// What was read: SHA-256 of the JSON list `[corpus, units, [[code, name, endonym, direction, sha256], …]]` without white
    /// space, where `units` is how many the corpus has, the languages are those of the sample in its order, and `sha256` is
    /// that of the language's file. What the corpus holds besides does not change it.
    pub sha256: String,
    /// What was put before each.
    pub in_front: InFront,
}

impl Reading {
    /// Numbers of a language's texts.
    pub fn of_language(&self, language: usize) -> Range<usize> {
        language * self.units..(language + 1) * self.units
    }
}

impl Reading {
    /// Refuses losses of the texts that are not numbers, or that no perplexity can be made of: a model that broke is named, never
    /// averaged into a figure.
    pub fn finite(&self, which: &'static str, nats: &[f64]) -> Result<(), AnalysisError> {
        match self.texts.iter().zip(nats).find(|(text, nats)| broken(text, **nats)) {
            Some((text, &nats)) => Err(AnalysisError::not_finite(which, text, nats, Began::Somewhere)),
            None => Ok(()),
        }
    }
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

    /// Reads the texts from the site and cuts them into the model's tokens.
    pub async fn read(&self, lab: &impl Lab) -> Result<Reading, AnalysisError> {
        self.read_units(0..self.units, lab, |_| ()).await
    }

    /// The same of its last unit alone. `heard` hears each text, language after language.
    pub async fn read_last(&self, lab: &impl Lab, heard: impl FnMut(&str)) -> Result<Reading, AnalysisError> {
        self.read_units(self.units - 1..self.units, lab, heard).await
    }

    async fn read_units(
        &self,
        wanted: Range<usize>,
        lab: &impl Lab,
        mut heard: impl FnMut(&str),
    ) -> Result<Reading, AnalysisError> {
        let corpus = CorpusCard::read(lab.site(), self.corpus).await?;
        self.check(&corpus)?;
        let tokenizer = lab.model().tokenizer.as_ref().ok_or(AnalysisError::NoTokenizer)?;
        let Spec { scoring, context, .. } = lab.model().device.spec;
        let start = tokenizer.text_start().filter(|_| scoring.begins_with_start());
        let besides = match scoring {
            Scoring::Continuation { .. } => Besides::Begins,
            Scoring::Causal | Scoring::Masked { .. } => Besides::Nothing,
        };
        let mut texts = Vec::new();
        for (language, code) in self.languages.iter().enumerate() {
            let file = corpus.texts(lab.site(), code).await?;
            let own: Vec<String> = file.units.into_iter().take(wanted.end).skip(wanted.start).collect();
            let cut = tokenizer.cut(own.clone(), besides).await?;
            for ((unit, text), Cut { ids, begins, .. }) in (wanted.start..).zip(&own).zip(cut) {
                heard(text);
                let mut tokens: Vec<u32> = start.into_iter().collect();
                tokens.extend(ids);
                if tokens.len() < 2 {
                    return Err(AnalysisError::EmptyText { code: code.clone(), unit: unit + 1 });
                }
                let bytes = match scoring {
                    Scoring::Continuation { .. } => {
                        let at = |token: usize| begins.get(token).copied().unwrap_or(text.len());
                        let places = scoring.places(tokens.len(), context);
                        places.iter().map(|of| at(of.end) - at(of.start)).sum()
                    }
                    Scoring::Causal | Scoring::Masked { .. } => text.len(),
                };
                let scored = scoring.scored(tokens.len(), context);
                let (code, bytes) = (code.clone(), bytes as u64);
                texts.push(Text { language, code, unit, tokens, scored, bytes });
            }
        }
        let in_front = match tokenizer.text_start_name().filter(|_| start.is_some()) {
            Some(token) => InFront::Token(token.to_string()),
            None => InFront::Nothing,
        };
        Ok(Reading { sha256: self.sha256(&corpus), corpus, texts, units: wanted.len(), in_front })
    }

    /// See [`Reading::sha256`].
    fn sha256(&self, corpus: &CorpusCard) -> String {
        let chosen = self.languages.iter().filter_map(|code| corpus.language(code).ok());
        let languages: Vec<[&str; 5]> = chosen
            .map(|of| [&of.code[..], &of.name, &of.endonym, &of.direction, &of.sha256].map(|text| text))
            .collect();
        sha256(json!([corpus.name, corpus.units, languages]).to_string().as_bytes())
    }
}

/// Refuses a whole number out of its range, with a sentence.
pub fn within(what: &'static str, given: usize, allowed: RangeInclusive<usize>) -> Result<(), AnalysisError> {
    match allowed.contains(&given) {
        true => Ok(()),
        false => Err(AnalysisError::Range { what, given, least: *allowed.start(), most: *allowed.end() }),
    }
}
