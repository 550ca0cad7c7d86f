//! What the analysis is asked.

use crate::lab::{
    AnalysisError, Needs,
    rounding::Rounding,
    settings::{Around, Declared, Resampling, Texts, USUAL_PERMUTATIONS, permutations, settings, threshold},
    thresholds::OUTLIER,
};
use crate::math::correlation::Draws;

settings! {
    /// What to measure.
    #[schemars(rename = "ActivationConfig")]
    pub struct Config("activation") with texts: Texts, quantizer: Rounding, draws: Resampling {
        /// A layer whose κ lies above this is an outlier layer.
        threshold: f64 = OUTLIER, threshold(), at "threshold";
        /// Shuffles behind each p.
        permutations: usize = USUAL_PERMUTATIONS, permutations();
    }
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

    /// How often is drawn for an interval, and shuffled for a p.
    pub fn draws(&self) -> Draws {
        self.draws.with(self.permutations)
    }
}
