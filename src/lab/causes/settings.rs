//! What the analysis is asked.

use super::{Quality, quality};
use crate::{
    lab::{
        AnalysisError, Needs,
        rounding::Rounding,
        sample::within,
        settings::{
            Around, Declared, Resampling, Texts, USUAL_PERMUTATIONS, one_of, own, permutations, reference_among,
            settings, threshold, titled,
        },
        thresholds::OUTLIER,
    },
    math::{correlation::Draws, scm::Scm},
};

settings! {
    /// What to measure.
    #[schemars(rename = "CausesConfig")]
    pub struct Config("causes") with texts: Texts, quantizer: Rounding, draws: Resampling {
        /// What T is.
        quality: Quality = Quality::WordsPerToken, one_of("Tokenization T", titled(Quality::ALL, quality));
        /// The language that alignment is with.
        reference: String = "eng".into(), own("Alignment A is with"), at "reference";
        /// A layer whose κ lies above this is an outlier layer, whose share of activation is R̂.
        threshold: f64 = OUTLIER, threshold(), at "threshold";
        /// The simulated model.
        scm: Scm = Scm::SEED, own("Coefficients of the simulated model");
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
        self.check_ranges()?;
        within("the number of units", self.texts.units, 2..=usize::MAX)?;
        if !self.texts.languages.contains(&self.reference) {
            return Err(AnalysisError::Reference(self.reference.chars().take(20).collect()));
        }
        let Scm { beta1, beta2, gamma, noise } = self.scm;
        let sound = |value: f64| (0.01..=10.0).contains(&value);
        match sound(beta1) && sound(beta2) && sound(gamma) && (0.0..=10.0).contains(&noise) {
            true => Ok(()),
            false => Err(AnalysisError::Coefficients),
        }
    }

    /// Fits it to the site and the model.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)?;
        reference_among(&self.texts.languages, &mut self.reference);
        Ok(())
    }

    /// How often is drawn for an interval, and shuffled for a p.
    pub fn draws(&self) -> Draws {
        self.draws.with(self.permutations)
    }
}
