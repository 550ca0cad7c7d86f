//! How a tokenizer cuts the words of a language.

use std::collections::BTreeSet;

use super::Config;
use crate::lab::{AnalysisError, causes::Fertility, runner::Lab, sample::Reading};
use crate::model::tokenizer::Besides;

/// Of every language, in the order of the config.
pub async fn fertility(config: &Config, reading: &Reading, lab: &impl Lab) -> Result<Vec<Fertility>, AnalysisError> {
    let tokenizer = lab.model().tokenizer.as_ref().ok_or(AnalysisError::NoTokenizer)?;
    let mut all = Vec::new();
    for code in &config.texts.languages {
        let texts = reading.corpus.texts(lab.site(), code).await?;
        let units = &texts.units[..config.texts.units.min(texts.units.len())];
        // Most words come again and again.
        let known: BTreeSet<&str> = units.iter().flat_map(|text| text.split_whitespace()).collect();
        let alone_and_spaced = known.iter().flat_map(|word| [word.to_string(), format!(" {word}")]);
        let asked = units.iter().cloned().chain(alone_and_spaced).collect();
        let counts: Vec<usize> =
            tokenizer.cut(asked, Besides::Nothing).await?.into_iter().map(|cut| cut.ids.len()).collect();
        let (of_units, of_words) = counts.split_at(units.len());
        let whole: BTreeSet<&str> =
            known.into_iter().zip(of_words.chunks(2)).filter(|(_, of)| of.contains(&1)).map(|(word, _)| word).collect();
        let (tokens, bytes) = (of_units.iter().sum::<usize>(), units.iter().map(String::len).sum::<usize>());
        let all_words = || units.iter().flat_map(|text| text.split_whitespace());
        let (words, single) = (all_words().count(), all_words().filter(|word| whole.contains(word)).count());
        lab.pause().await;
        all.push(Fertility {
            tokens_per_byte: tokens as f64 / bytes.max(1) as f64,
            tokens_per_word: tokens as f64 / words.max(1) as f64,
            single_token_words: single as f64 / words.max(1) as f64,
            words,
        });
    }
    Ok(all)
}
