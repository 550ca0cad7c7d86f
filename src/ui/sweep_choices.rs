//! What the person has chosen for the bit sweep, and the config it makes.

use std::collections::BTreeSet;

use crate::lab::languages;
use crate::lab::sweep::Config;
use crate::report::{Bits, Rule, words};

/// Widths and rules.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepChoices {
    /// Bit-widths.
    pub bits: BTreeSet<Bits>,
    /// Clipping rules.
    pub rules: Vec<Rule>,
}

impl Default for SweepChoices {
    /// Every width, under the rule that clips nothing and the one of least error.
    fn default() -> SweepChoices {
        SweepChoices { bits: Bits::ALL.into(), rules: vec![Rule::Absmax, Rule::Optimal] }
    }
}

impl SweepChoices {
    /// The config, or the first thing that is wrong, as a sentence.
    pub fn config(&self, texts: languages::Config) -> Result<Config, String> {
        let chosen = |what: &str, none: bool| if none { Err(format!("Choose at least one {what}.")) } else { Ok(()) };
        chosen("bit-width", self.bits.is_empty())?;
        chosen("clipping rule", self.rules.is_empty())?;
        Ok(Config {
            corpus: texts.corpus,
            languages: texts.languages,
            units: texts.units,
            bits: self.bits.iter().copied().collect(),
            rules: words::RULES.into_iter().filter(|rule| self.rules.contains(rule)).collect(),
            granularity: texts.granularity,
            resamples: texts.resamples,
            seed: texts.seed,
        })
    }

    /// The way back.
    pub fn adopt(&mut self, config: &Config) {
        self.bits = config.bits.iter().copied().collect();
        self.rules.clone_from(&config.rules);
    }
}

#[cfg(test)]
mod tests {
    use super::super::choices::{Choices, tests::corpora};
    use super::*;

    #[test]
    fn the_default_is_every_width_under_two_rules() {
        let choices = Choices { languages: ["eng".to_string(), "kor".into()].into(), ..Choices::default() };
        let config = choices.sweep(&corpora()).unwrap();
        config.check().unwrap();
        assert_eq!((config.bits.as_slice(), config.rules.len()), (&Bits::ALL[..], 2));
        let none =
            Choices { sweep: SweepChoices { bits: BTreeSet::new(), ..choices.sweep.clone() }, ..choices.clone() };
        assert_eq!(none.sweep(&corpora()).unwrap_err(), "Choose at least one bit-width.");
        let none = Choices { sweep: SweepChoices { rules: Vec::new(), ..choices.sweep.clone() }, ..choices };
        assert_eq!(none.sweep(&corpora()).unwrap_err(), "Choose at least one clipping rule.");
    }
}
