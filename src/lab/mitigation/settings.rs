//! What the analysis is asked.

use super::{Method, explained, method};
use crate::{
    lab::{
        AnalysisError, Needs, rounding,
        sample::within,
        settings::{Around, Declared, Offer, Resampling, Texts, own, settings, several_of, threshold},
        thresholds::OUTLIER,
    },
    math::quantizer::Bits,
};

/// Guessing a language needs other units to learn from.
const UNITS_TO_LEARN_FROM: usize = 2;

settings! {
    /// What to measure.
    #[schemars(rename = "MitigationConfig")]
    pub struct Config("mitigation") with texts: Texts, draws: Resampling {
        /// Bit-width of all methods.
        bits: Bits = rounding::USUAL_BITS, rounding::bits(), at "quantizer.bits";
        /// A layer whose κ lies above this is an outlier layer.
        threshold: f64 = OUTLIER, threshold(), at "threshold";
        /// Methods to compare with [`Method::Absmax`]; none for the full-precision pass alone.
        methods: Vec<Method> = Method::ALL.into(), several_of("Compared with absmax", 0, methods());
        /// The person's widths, one per layer; `null` for full precision. Empty for the common width everywhere.
        own: Vec<Option<Bits>> = Vec::new(), own("Your own widths");
    }
}

fn methods() -> Vec<Offer> {
    Method::ALL.into_iter().map(|own| Offer::of(own, method(own), explained(own))).collect()
}

impl Config {
    /// Texts, under as many sets of weights as the methods differ in.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Texts(self.texts.sample())
    }

    /// Whether a method is to be tried.
    pub fn wants(&self, method: Method) -> bool {
        self.methods.contains(&method)
    }

    /// Refuses what no model can be asked, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.texts.sample().check_alone()?;
        self.check_ranges()?;
        if self.wants(Method::Detected) {
            within(
                "the number of units that a language is guessed from",
                self.texts.units,
                UNITS_TO_LEARN_FROM..=usize::MAX,
            )?;
        }
        Ok(())
    }

    /// Fits it to the site and the model: widths that were set for another model are left out, and all methods are compared with
    /// absmax.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)?;
        if self.own.len() != around.layers {
            self.own.clear();
        }
        self.methods = Method::ALL.into_iter().filter(|own| *own == Method::Absmax || self.wants(*own)).collect();
        Ok(())
    }
}
