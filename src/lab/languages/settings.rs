//! What the analysis is asked.

use crate::lab::{
    AnalysisError, Needs,
    rounding::Rounding,
    settings::{Around, Declared, Resampling, Texts, settings},
};

settings! {
    /// What to measure.
    #[schemars(rename = "LanguagesConfig")]
    pub struct Config("languages") with texts: Texts, quantizer: Rounding, draws: Resampling {}
}

impl Config {
    /// Texts, each under two sets of weights.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Texts(self.texts.sample())
    }

    /// Refuses what cannot be measured, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.texts.sample().check_alone()?;
        self.check_ranges()
    }

    /// Fits it to the site and the model.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)
    }
}
