//! What the analysis is asked.

use crate::lab::{
    AnalysisError, Needs,
    rounding::Rounding,
    settings::{Around, Declared, Resampling, Texts, own, reference_among, settings, whole},
};

/// Directions at most: each is a sort of all tokens of a text, for every layer.
const MOST_DIRECTIONS: usize = 512;
/// Enough for two digits of the sliced distance.
const DIRECTIONS: usize = 32;

settings! {
    /// What to measure.
    #[schemars(rename = "RepresentationConfig")]
    pub struct Config("representation") with texts: Texts, quantizer: Rounding, draws: Resampling {
        /// The language whose texts the others' are to find.
        reference: String = "eng".into(), own("Language whose texts the others’ are to find"), at "reference";
        /// Random directions of the sliced distance; they have the seed of the draws.
        directions: usize = DIRECTIONS,
            whole("Random directions of the sliced distance", 1, MOST_DIRECTIONS as u64).aside();
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
        match self.texts.languages.contains(&self.reference) {
            true => Ok(()),
            false => Err(AnalysisError::Reference(self.reference.clone())),
        }
    }

    /// Fits it to the site and the model.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)?;
        reference_among(&self.texts.languages, &mut self.reference);
        Ok(())
    }
}
