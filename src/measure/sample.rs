//! The reading of texts.

pub use reports::lab::sample::*;

use std::ops::Range;

use serde_json::json;

use super::{
    AnalysisError,
    origin::InFront,
    overflow::{Began, broken, not_finite},
    plan::Text,
    runner::Lab,
};
use crate::{
    arch::{scoring::Scoring, spec::Spec},
    model::{
        corpus::CorpusCard,
        source::sha256,
        tokenizer::{Besides, Cut},
    },
};

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
            Some((text, &nats)) => Err(not_finite(which, text, nats, Began::Somewhere)),
            None => Ok(()),
        }
    }
}

/// Reads the texts from the site and cuts them into the model's tokens.
pub async fn read(sample: Sample<'_>, lab: &impl Lab) -> Result<Reading, AnalysisError> {
    read_units(sample, 0..sample.units, lab, |_| ()).await
}

/// The same of the last unit alone. `heard` hears each text, language after language.
pub async fn read_last(sample: Sample<'_>, lab: &impl Lab, heard: impl FnMut(&str)) -> Result<Reading, AnalysisError> {
    read_units(sample, sample.units - 1..sample.units, lab, heard).await
}

async fn read_units(
    sample: Sample<'_>,
    wanted: Range<usize>,
    lab: &impl Lab,
    mut heard: impl FnMut(&str),
) -> Result<Reading, AnalysisError> {
    let corpus = CorpusCard::read(lab.site(), sample.corpus).await?;
    sample.check(&corpus)?;
    let tokenizer = lab.model().tokenizer.as_ref().ok_or(AnalysisError::NoTokenizer)?;
    let Spec { scoring, context, .. } = lab.model().device.spec;
    let start = tokenizer.text_start().filter(|_| scoring.begins_with_start());
    let besides = match scoring {
        Scoring::Continuation { .. } => Besides::Begins,
        Scoring::Causal | Scoring::Masked { .. } => Besides::Nothing,
    };
    let mut texts = Vec::new();
    for (language, code) in sample.languages.iter().enumerate() {
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
    Ok(Reading { sha256: sha256_of(sample, &corpus), corpus, texts, units: wanted.len(), in_front })
}

/// See [`Reading::sha256`].
fn sha256_of(sample: Sample<'_>, corpus: &CorpusCard) -> String {
    let chosen = sample.languages.iter().filter_map(|code| corpus.language(code).ok());
    let languages: Vec<[&str; 5]> =
        chosen.map(|of| [&of.code[..], &of.name, &of.endonym, &of.direction, &of.sha256].map(|text| text)).collect();
    sha256(json!([corpus.name, corpus.units, languages]).to_string().as_bytes())
}
