//! What the analysis is asked.

use crate::lab::{
    AnalysisError, Needs, rounding,
    settings::{Around, Declared, Resampling, Texts, settings, several_of},
};
use crate::math::{
    clipping::Rule,
    quantizer::{Bits, Granularity},
};

settings! {
    /// What to measure.
    #[schemars(rename = "SweepConfig")]
    pub struct Config("sweep") with texts: Texts, draws: Resampling {
        /// Bit-widths.
        bits: Vec<Bits> = Bits::ALL.into(), several_of("Bits per weight, one or more", 1, rounding::widths());
        /// Clipping rules.
        rules: Vec<Rule> = vec![Rule::Absmax, Rule::Optimal],
            several_of("Where the grid ends (clipping rules)", 1, rounding::rules());
        /// How many weights share a threshold.
        granularity: Granularity = Granularity::Tensor, rounding::granularity(), at "quantizer.granularity";
    }
}

impl Config {
    /// Texts, each under every set of weights.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Texts(self.texts.sample())
    }

    /// Refuses what no model can be asked, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.texts.sample().check_alone()?;
        self.check_ranges()
    }

    /// Fits it to the site and the model.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)
    }
}
