//! What the person has chosen for the search over protection sets, and the config it makes.

use std::collections::BTreeSet;

use crate::lab::gateway::{Branch, Config, Family, Kept, MOST_SETS};
use crate::lab::languages;
use crate::report::format;

/// Up to so many layers every set can be searched: 2^12 are 4,096.
pub const MOST_LAYERS_FOR_ALL: usize = 12;

/// The settings of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewayChoices {
    /// What of a protected layer stays in full precision.
    pub kept: Kept,
    /// Whether the token table is rounded too.
    pub table: bool,
    /// How many layers are protected.
    pub budgets: BTreeSet<usize>,
    /// Every set of whatever size, where the model has few enough layers.
    pub every: bool,
    /// Also one layer at a time, and pairs.
    pub sweeps: bool,
    /// Also what others would have picked.
    pub others: bool,
}

impl Default for GatewayChoices {
    /// The theory's budget.
    fn default() -> GatewayChoices {
        GatewayChoices {
            kept: Kept::Block,
            table: false,
            budgets: [3].into(),
            every: false,
            sweeps: true,
            others: true,
        }
    }
}

impl GatewayChoices {
    /// Whether every set of a model with so many layers is asked for.
    pub fn all_sets(&self, layers: usize) -> bool {
        self.every && layers <= MOST_LAYERS_FOR_ALL
    }

    /// The config for a model of so many layers, or the first thing that is wrong, as a sentence. Sizes that leave no choice
    /// in it are left out.
    pub fn config(&self, texts: languages::Config, layers: usize) -> Result<Config, String> {
        let budgets: Vec<usize> = match self.all_sets(layers) {
            true => (0..=layers).collect(),
            false => self.budgets.iter().copied().filter(|budget| (1..layers).contains(budget)).collect(),
        };
        if budgets.is_empty() {
            return Err("Choose at least one number of layers to protect.".into());
        }
        let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
        let config = Config {
            corpus,
            languages,
            units,
            bits,
            rule,
            granularity,
            kept: self.kept,
            table: self.table,
            budgets,
            sweeps: self.sweeps,
            others: self.others,
            resamples,
            seed,
        };
        let sets = config.family(layers).count(Branch::ROOT);
        if sets > MOST_SETS as u128 {
            return Err(format!(
                "That is {} sets, and a search takes {} at most: choose fewer sizes.",
                format::count(u64::try_from(sets).unwrap_or(u64::MAX)),
                format::count(MOST_SETS as u64)
            ));
        }
        Ok(config)
    }
}

/// What a run will do, and how much of it sets share.
pub fn told(config: &Config, layers: usize) -> String {
    let family: Family = config.family(layers);
    let sets = u64::try_from(family.count(Branch::ROOT)).unwrap_or(u64::MAX);
    let texts = format::counted((config.languages.len() * config.units) as u64, "text");
    format!(
        "{} × {texts}: {} layer evaluations of each text instead of {}, because sets that begin alike share the work. A \
         search that was stopped goes on where it stopped, also after the tab was closed.",
        format::counted(sets, "set"),
        format::count(family.steps(Branch::ROOT) as u64),
        format::count(sets * layers as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Bits, Granularity, Rule};

    fn texts() -> languages::Config {
        languages::Config {
            corpus: "udhr".into(),
            languages: vec!["eng".into(), "kor".into()],
            units: 4,
            bits: Bits::ALL[0],
            rule: Rule::Kurtosis,
            granularity: Granularity::Channel,
            resamples: 500,
            seed: 3,
        }
    }

    #[test]
    fn the_default_is_the_seeds_question() {
        let config = GatewayChoices::default().config(texts(), 12).unwrap();
        assert_eq!(
            (config.budgets.as_slice(), config.sweeps, config.others, config.table),
            (&[3][..], true, true, false)
        );
        assert_eq!((config.units, config.rule, config.seed), (4, Rule::Kurtosis, 3), "shared with other pages");
        let told = told(&config, 12);
        assert!(
            told.starts_with("312 sets × 8 texts: 1,168 layer evaluations of each text instead of 3,744,"),
            "{told}"
        );
    }

    #[test]
    fn all_sets_are_for_models_of_few_layers() {
        let every = GatewayChoices { every: true, ..GatewayChoices::default() };
        let config = every.config(texts(), 12).unwrap();
        assert_eq!(config.budgets, (0..=12).collect::<Vec<_>>());
        assert!(told(&config, 12).starts_with("4,096 sets × 8 texts"));
        assert_eq!(every.config(texts(), 13).unwrap().budgets, [3]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let of = |budgets: &[usize], layers| {
            let budgets = budgets.iter().copied().collect();
            GatewayChoices { budgets, ..GatewayChoices::default() }.config(texts(), layers)
        };
        let none = "Choose at least one number of layers to protect.";
        assert_eq!(of(&[], 12).unwrap_err(), none);
        assert_eq!(of(&[3], 3).unwrap_err(), none, "all of three layers leave no choice");
        assert_eq!(of(&[2, 3, 14], 12).unwrap().budgets, [2, 3]);
        let many = of(&[8], 24).unwrap_err();
        assert!(many.starts_with("That is 735,797 sets, and a search takes 5,000 at most"), "{many}");
    }
}
