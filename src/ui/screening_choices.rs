//! What the person has chosen for the screening, and the config it makes.

use crate::lab::languages;
use crate::lab::screening::{Config, USUAL_VARIANCE};
use crate::lab::thresholds::{HEAVY, LIGHT};
use crate::report::Bits;

/// Bounds by which a model is judged. Numbers are kept as typed.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreeningChoices {
    /// κ below which tails are light.
    pub light: String,
    /// κ above which they are heavy.
    pub heavy: String,
    /// Var of ā_outlier from which on activation varies.
    pub variance: String,
    /// B_safe.
    pub safe: Bits,
}

impl Default for ScreeningChoices {
    /// The theory's bounds. It has none for B_safe; 8 bits is the width that it protects outlier layers with.
    fn default() -> ScreeningChoices {
        ScreeningChoices {
            light: LIGHT.to_string(),
            heavy: HEAVY.to_string(),
            variance: USUAL_VARIANCE.to_string(),
            safe: Bits::ALL[Bits::ALL.len() - 1],
        }
    }
}

impl ScreeningChoices {
    /// The config, or the first thing that is wrong, as a sentence.
    pub fn config(&self, texts: languages::Config, permutations: usize) -> Result<Config, String> {
        let config = Config {
            corpus: texts.corpus,
            languages: texts.languages,
            units: texts.units,
            bits: texts.bits,
            rule: texts.rule,
            granularity: texts.granularity,
            light: number("Bound of light tails", &self.light)?,
            heavy: number("Bound of heavy tails", &self.heavy)?,
            variance: number("Bound of Var[ā]", &self.variance)?,
            safe: self.safe,
            resamples: texts.resamples,
            permutations,
            seed: texts.seed,
        };
        if config.light >= config.heavy {
            return Err(format!(
                "The bound of light tails, {}, must be below that of heavy tails, {}.",
                self.light, self.heavy
            ));
        }
        if config.variance < 0.0 {
            return Err(format!("Bound of Var[ā] is “{}”; a variance is never below 0.", self.variance));
        }
        Ok(config)
    }

    /// The way back.
    pub fn adopt(&mut self, config: &Config) {
        self.light = config.light.to_string();
        self.heavy = config.heavy.to_string();
        self.variance = config.variance.to_string();
        self.safe = config.safe;
    }

    /// Both bounds of κ as numbers; the theory's where one is not a number yet.
    pub fn bounds(&self) -> (f64, f64) {
        let of = |text: &String, usual: f64| number("", text).unwrap_or(usual);
        let bounds = (of(&self.light, LIGHT), of(&self.heavy, HEAVY));
        if bounds.0 < bounds.1 { bounds } else { (LIGHT, HEAVY) }
    }
}

/// A finite number, or a sentence that names it.
fn number(name: &str, text: &str) -> Result<f64, String> {
    let parsed = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    parsed.ok_or_else(|| format!("{name} is “{text}”; it must be a number."))
}

#[cfg(test)]
mod tests {
    use super::super::choices::{Choices, tests::corpora};
    use super::*;

    #[test]
    fn bounds_are_the_seeds_until_changed_and_what_is_wrong_is_named() {
        let with = |change: fn(&mut ScreeningChoices)| {
            let mut choices = Choices { languages: ["eng".to_string()].into(), ..Choices::default() };
            change(&mut choices.screening);
            (choices.screening.bounds(), choices.screening(&corpora()))
        };
        let usual = with(|_| ()).1.unwrap();
        usual.check().unwrap();
        assert_eq!((usual.light, usual.heavy, usual.variance, usual.safe.get()), (5.0, 50.0, 0.001, 8));
        let wrong = |change| with(change).1.unwrap_err();
        assert!(wrong(|own| own.light = "x".into()).starts_with("Bound of light tails is “x”"));
        assert!(wrong(|own| own.heavy = "inf".into()).starts_with("Bound of heavy tails is “inf”"));
        assert!(wrong(|own| own.light = "60".into()).contains("must be below"));
        assert!(wrong(|own| own.variance = "-1".into()).contains("never below 0"));
        assert_eq!(with(|own| own.light = "x".into()).0, (5.0, 50.0));
        assert_eq!(with(|own| own.light = "60".into()).0, (5.0, 50.0));
        assert_eq!(with(|own| own.heavy = "7".into()).0, (5.0, 7.0));
    }
}
