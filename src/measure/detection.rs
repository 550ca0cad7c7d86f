//! Which language a text is in, guessed from the tokenizer's own statistics: multinomial naive Bayes over tokens.
//!
//! Each text is guessed by counts of the other units of the corpus alone, in every language, so that no text is recognised
//! because it was learned.

use std::collections::BTreeMap;

use super::plan::Text;

/// Counts of tokens per language and unit.
struct Counts {
    /// Of each language: how often each token occurs in each unit.
    languages: Vec<BTreeMap<u32, Vec<u32>>>,
    /// Of each language: tokens in each unit.
    totals: Vec<Vec<u32>>,
    vocabulary: usize,
}

/// The guess for each text: an index into the languages. Ties go to the language that comes first.
pub fn guess(texts: &[Text], languages: usize, units: usize, vocabulary: usize) -> Vec<usize> {
    let mut counts =
        Counts { languages: vec![BTreeMap::new(); languages], totals: vec![vec![0; units]; languages], vocabulary };
    for text in texts {
        for token in &text.tokens[1..] {
            counts.languages[text.language].entry(*token).or_insert_with(|| vec![0; units])[text.unit] += 1;
            counts.totals[text.language][text.unit] += 1;
        }
    }
    texts.iter().map(|text| counts.guess(text, languages)).collect()
}

impl Counts {
    fn guess(&self, text: &Text, languages: usize) -> usize {
        let score = |language: usize| self.log_likelihood(language, text);
        (1..languages)
            .fold((0, score(0)), |best, language| {
                let own = score(language);
                if own > best.1 { (language, own) } else { best }
            })
            .0
    }

    /// Σ ln p(token), every count raised by one.
    fn log_likelihood(&self, language: usize, text: &Text) -> f64 {
        let others = |counts: &[u32]| counts.iter().sum::<u32>() - counts[text.unit];
        let whole = f64::from(others(&self.totals[language])) + self.vocabulary as f64;
        let of = |token: &u32| self.languages[language].get(token).map_or(0, |counts| others(counts));
        text.tokens[1..].iter().map(|token| libm::log((f64::from(of(token)) + 1.0) / whole)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(language: usize, unit: usize, tokens: &[u32]) -> Text {
        Text { language, code: "eng".into(), unit, tokens: [&[0], tokens].concat(), scored: tokens.len(), bytes: 1 }
    }

    #[test]
    fn tokens_of_the_other_units_tell() {
        let texts = [text(0, 0, &[1, 2, 3]), text(0, 1, &[1, 2, 2]), text(1, 0, &[4, 5, 4]), text(1, 1, &[5, 4, 3])];
        assert_eq!(guess(&texts, 2, 2, 10), [0, 0, 1, 1]);
    }

    /// A text whose own language is known from itself alone is not recognised by that: its tokens occur elsewhere only in
    /// the other language.
    #[test]
    fn a_text_does_not_vouch_for_itself() {
        let texts = [text(0, 0, &[7, 7, 7]), text(0, 1, &[1]), text(1, 0, &[2]), text(1, 1, &[7])];
        assert_eq!(guess(&texts, 2, 2, 10)[0], 1);
    }
}
