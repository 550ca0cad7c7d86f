//! What the analysis is asked.

use super::{MOST_SETS, PROTECTED_PARTS};
use crate::{
    arch::walk::ProtectedPart,
    lab::{
        AnalysisError, Needs,
        rounding::Rounding,
        sample::within,
        settings::{Around, Declared, Offer, Resampling, Texts, flag, one_of, own, settings},
    },
    math::sets::{Branch, Family, MOST_LAYERS},
};

/// Up to so many layers every set can be searched: 2^12 are 4,096.
pub const MOST_LAYERS_FOR_ALL: usize = 12;

settings! {
    /// What to measure. The default is the theory's budget.
    #[schemars(rename = "GatewayConfig")]
    pub struct Config("gateway") with texts: Texts, quantizer: Rounding, draws: Resampling {
        /// What of a protected layer stays in full precision.
        protects: ProtectedPart = ProtectedPart::Block, one_of(
            "Of a protected layer, full precision keeps",
            PROTECTED_PARTS.into_iter().map(|(kept, _, title)| Offer::of(kept, title, "")).collect(),
        );
        /// Whether the token table, which is also the head, is rounded; else it is in full precision under every set.
        rounded_table: bool = false, flag("Round the token table too, which is also the head");
        /// Sizes of the sets that are ranked.
        budgets: Vec<usize> = vec![3], own("Layers protected at once, one or more sizes");
        /// Every set of whatever size instead, where the model has few enough layers.
        every: bool = false, own("Every set of whatever size");
        /// Also no layer, one, two, all but one and all: for the sweeps and the interactions of layers.
        sweeps: bool = true, flag("Also each layer alone, all but each, and pairs");
        /// Also what other methods would have protected.
        others: bool = true, flag("Also what other methods would have picked");
    }
}

impl Config {
    /// Texts, under every set.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Texts(self.texts.sample())
    }

    /// Whether every set of a model with so many layers is asked for.
    pub fn all_sets(&self, layers: usize) -> bool {
        self.every && layers <= MOST_LAYERS_FOR_ALL
    }

    /// Sizes of the sets of a model with so many layers.
    pub fn sizes(&self, layers: usize) -> Vec<usize> {
        if self.all_sets(layers) { (0..=layers).collect() } else { self.budgets.clone() }
    }

    /// The sets of a model with so many layers.
    pub fn family(&self, layers: usize) -> Family {
        let swept = [0, 1, 2, layers.saturating_sub(1), layers].into_iter().filter(|_| self.sweeps);
        Family::new(layers, self.sizes(layers).into_iter().chain(swept))
    }

    /// Refuses what no model can be asked, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.texts.sample().check_alone()?;
        self.check_ranges()?;
        within("the number of budgets", self.budgets.len(), usize::from(!self.every)..=MOST_LAYERS + 1)?;
        self.budgets.iter().try_for_each(|&budget| within("a budget of protected layers", budget, 0..=MOST_LAYERS))
    }

    /// Refuses what a model of so many layers cannot be asked.
    pub fn check_for(&self, layers: usize) -> Result<(), AnalysisError> {
        self.check()?;
        within("the number of layers that sets can be searched over", layers, 1..=MOST_LAYERS)?;
        for &budget in &self.sizes(layers) {
            within("a budget of protected layers", budget, 0..=layers)?;
        }
        let sets = usize::try_from(self.family(layers).count(Branch::ROOT)).unwrap_or(usize::MAX);
        within("the number of protection sets", sets, 1..=MOST_SETS)
    }

    /// Fits it to the site and the model: sizes that leave no choice in it are left out.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)?;
        self.every = self.all_sets(around.layers);
        self.budgets.retain(|budget| (1..around.layers).contains(budget));
        self.budgets.sort_unstable();
        if self.budgets.is_empty() && !self.every {
            return Err(AnalysisError::NoBudget);
        }
        self.check_for(around.layers)
    }
}
