//! What the analysis is asked.

use crate::lab::{
    AnalysisError, Needs,
    rounding::Rounding,
    sample::Sample,
    settings::{Around, Declared, Texts, own, settings, settle_languages, whole},
};

settings! {
    /// What to look at.
    #[schemars(rename = "TokensConfig")]
    pub struct Config("tokens") with quantizer: Rounding {
        /// Folder of the corpus: `udhr` or `help`.
        corpus: String = "udhr".into(), own("Text"), at "texts.corpus";
        /// ISO 639-3 codes.
        languages: Vec<String> = Vec::new(), own("Languages"), at "texts.languages";
        /// Which unit (article, paragraph), counted from 1: the same text in every language.
        unit: usize = 1, whole("Which text", 1, 1_000_000);
    }
}

impl Config {
    /// The texts up to the one that is looked at.
    pub fn sample(&self) -> Sample<'_> {
        Sample { corpus: &self.corpus, languages: &self.languages, units: self.unit }
    }

    /// One text of each language, under two sets of weights.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Texts(self.sample())
    }

    /// Refuses what cannot be measured, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.sample().check_alone()?;
        self.check_ranges()
    }

    /// Fits it to the site and the model.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        let corpus = settle_languages(&self.corpus, &mut self.languages, around)?;
        Texts::within(corpus, &format!("Number of the {}", corpus.unit), self.unit, 1)
    }
}
