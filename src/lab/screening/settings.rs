//! What the analysis is asked.

use super::VARIANCE;
use crate::lab::{
    AnalysisError, Needs,
    rounding::{self, Rounding},
    settings::{Around, Declared, Resampling, Texts, USUAL_PERMUTATIONS, number, one_of, permutations, settings},
    thresholds::{HEAVY, LIGHT},
};
use crate::math::quantizer::Bits;

settings! {
    /// What to measure, and by which bounds to judge.
    #[schemars(rename = "ScreeningConfig")]
    pub struct Config("screening") with texts: Texts, quantizer: Rounding, draws: Resampling {
        /// A layer whose κ lies above this is an outlier layer; a model without one has light tails.
        light: f64 = LIGHT, number(
            "κ below which tails are light; layers above it are outlier layers", f64::NEG_INFINITY, f64::INFINITY,
        );
        /// A model with a κ above this has heavy tails.
        heavy: f64 = HEAVY, number("κ above which tails are heavy", f64::NEG_INFINITY, f64::INFINITY);
        /// Var of ā_outlier over languages from which on activation varies.
        variance: f64 = VARIANCE,
            number("Var of ā_outlier over languages above which activation varies", 0.0, f64::INFINITY);
        /// B_safe: from this width on quantization is taken to be safe.
        safe: Bits = Bits::ALL[Bits::ALL.len() - 1],
            one_of("B_safe: the width from which on quantization is taken to be safe", rounding::widths());
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
        let Config { light, heavy, .. } = *self;
        if light < heavy { Ok(()) } else { Err(AnalysisError::Bounds { light, heavy }) }
    }

    /// Fits it to the site and the model.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)
    }
}
