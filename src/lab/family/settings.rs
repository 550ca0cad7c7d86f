//! What the analysis is asked.

use super::CELLS;
use crate::{
    lab::{
        AnalysisError, Needs,
        rounding::Rounding,
        settings::{Around, Declared, Resampling, Texts, USUAL_PERMUTATIONS, own, permutations, settings},
    },
    model::source::check_name,
};

/// Where the site keeps its models.
const FOLDER: &str = "models/";

settings! {
    /// What to measure.
    #[schemars(rename = "FamilyConfig")]
    pub struct Config("family") with texts: Texts, quantizer: Rounding, draws: Resampling {
        /// Names of the site's models, in the order of [`CELLS`].
        models: [String; CELLS] = ["skew-skew", "skew-bal", "bal-skew", "bal-bal"].map(String::from),
            own("Four models of this site");
        /// Shuffles behind each p.
        permutations: usize = USUAL_PERMUTATIONS, permutations();
    }
}

impl Config {
    /// Texts, under two sets of weights of each model.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Texts(self.texts.sample())
    }

    /// Refuses what cannot be measured, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.models.iter().try_for_each(|name| check_name("the names of the models", name))?;
        self.texts.sample().check_alone()?;
        self.check_ranges()
    }

    /// Fits it to the site and the model.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)
    }

    /// The folder of a model in the site.
    pub fn folder(&self, cell: usize) -> String {
        format!("{FOLDER}{}", self.models[cell])
    }
}
