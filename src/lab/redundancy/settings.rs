//! What the analysis is asked.

use super::{Baseline, known_without_states};
use crate::lab::{
    AnalysisError, Needs,
    rounding::Rounding,
    sample::within,
    settings::{
        Around, Declared, Resampling, Texts, USUAL_PERMUTATIONS, one_of, permutations, settings, threshold, titled,
        whole,
    },
    thresholds::OUTLIER,
};
use crate::math::correlation::Draws;

/// Layers that are left out at most, where a number is asked for.
const MOST_TOP: usize = 1_000;

settings! {
    /// What to measure.
    #[schemars(rename = "RedundancyConfig")]
    pub struct Config("redundancy") with texts: Texts, quantizer: Rounding, draws: Resampling {
        /// Layers whose κ lies above this are the outlier layers that are left out.
        threshold: f64 = OUTLIER, threshold(), at "threshold";
        /// Where none lies above, so many layers of the largest κ are left out instead.
        top: usize = 3, whole("Layers to leave out where no layer is an outlier layer", 1, MOST_TOP as u64);
        /// The loss of a reader without any state, against which information is counted.
        baseline: Baseline = Baseline::Unigram,
            one_of("A reader without any state knows", titled(Baseline::ALL, known_without_states));
        /// Shuffles behind each p.
        permutations: usize = USUAL_PERMUTATIONS, permutations();
    }
}

impl Config {
    /// Texts, each under three sets of weights.
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
        self.texts.settle(around)?;
        within("the number of layers to leave out", self.top, 1..=around.layers.max(1))
    }

    /// How often is drawn for an interval, and shuffled for a p.
    pub fn draws(&self) -> Draws {
        self.draws.with(self.permutations)
    }

    /// The layers that are left out, and whether they lie above the threshold.
    pub fn left_out(&self, kurtosis: &[f64]) -> (Vec<usize>, bool) {
        let above: Vec<usize> = (0..kurtosis.len()).filter(|&layer| kurtosis[layer] > self.threshold).collect();
        if !above.is_empty() {
            return (above, true);
        }
        let mut all: Vec<usize> = (0..kurtosis.len()).collect();
        all.sort_by(|&a, &b| kurtosis[b].total_cmp(&kurtosis[a]));
        all.truncate(self.top);
        all.sort_unstable();
        (all, false)
    }
}
