//! What the analysis is asked.

use crate::lab::{
    AnalysisError, Needs,
    settings::{Around, Declared, settings, threshold},
    thresholds::OUTLIER,
};

settings! {
    /// What to measure.
    #[derive(Copy)]
    #[schemars(rename = "WeightsConfig")]
    pub struct Config("weights") {
        /// A layer whose excess kurtosis κ lies above this is an outlier layer.
        threshold: f64 = OUTLIER, threshold(), at "threshold";
    }
}

impl Config {
    /// No text is read.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Weights
    }

    /// Refuses what cannot be measured, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.check_ranges()
    }

    /// Nothing of it depends on the site.
    pub fn settle(&mut self, _: &Around) -> Result<(), AnalysisError> {
        Ok(())
    }
}
