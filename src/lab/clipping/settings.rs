//! What the analysis is asked.

use crate::lab::{
    AnalysisError, Needs, rounding,
    settings::{Around, Declared, Resampling, Texts, flag, own, reference_among, settings},
};
use crate::math::quantizer::Bits;

settings! {
    /// What to measure. Without languages the per-language part is left out, and no text is read.
    #[schemars(rename = "ClippingConfig")]
    pub struct Config("clipping") with texts: Texts, draws: Resampling {
        /// Bit-width of the grid.
        bits: Bits = rounding::USUAL_BITS, rounding::bits(), at "quantizer.bits";
        /// The language whose α is tried on all others: one of the languages.
        reference: String = "eng".into(), own("Language whose threshold is tried on all others"), at "reference";
        /// Whether each rule's cost is measured in D(λ) too: a pass over the texts for every rule.
        losses: bool = false, flag("Measure D of every language under every rule too (five more passes)");
    }
}

impl Config {
    /// Texts only where languages are compared.
    pub fn needs(&self) -> Needs<'_> {
        if self.texts.languages.is_empty() { Needs::Weights } else { Needs::Texts(self.texts.sample()) }
    }

    /// Refuses what cannot be measured, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.texts.sample().check_alone()?;
        self.check_ranges()?;
        match self.texts.languages.is_empty() || self.texts.languages.contains(&self.reference) {
            true => Ok(()),
            false => Err(AnalysisError::Reference(self.reference.clone())),
        }
    }

    /// Fits it to the site and the model; without languages only the weights are looked at.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        match self.texts.settle(around) {
            Err(AnalysisError::NoLanguages) => (self.texts.languages, self.losses) = (Vec::new(), false),
            settled => settled?,
        }
        reference_among(&self.texts.languages, &mut self.reference);
        Ok(())
    }
}
