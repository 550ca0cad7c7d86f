//! What the person has chosen for the outlier dial, and the config it makes.

use std::collections::BTreeSet;

use super::choices::whole;
use crate::lab::dial::{Config, Joint};
use crate::lab::languages;
use crate::report::{Bits, Rule, words};

/// The furthest that the slider goes: s = 2^10 puts every matrix's threshold where nothing is left to see.
pub const FURTHEST: usize = 10;
/// Few channels make tails; with many, the spread itself grows.
const MOST_CHANNELS: usize = 64;
/// Fewer shuffles cannot say p = 0.01; more change nothing but the time.
const PERMUTATIONS: (usize, usize) = (100, 100_000);

/// At which powers of two, from 2^0 to the furthest, the model is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stops {
    /// At each.
    Every,
    /// At every second, and at the furthest.
    EverySecond,
    /// At the model as it is and at the furthest.
    Ends,
}

/// Which layers are turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layers {
    /// Each.
    All,
    /// 0, 2, 4, …: the others stay as they are, so that use of the turned ones can be compared.
    EverySecond,
    /// Those that the person writes down.
    Listed,
}

/// The settings of the dial. Numbers are kept as typed.
#[derive(Debug, Clone, PartialEq)]
pub struct DialChoices {
    /// n of the furthest s = 2^n.
    pub furthest: usize,
    /// Where it is measured on the way.
    pub stops: Stops,
    /// Channels per joint.
    pub channels: String,
    /// Which layers.
    pub layers: Layers,
    /// Those of [`Layers::Listed`], as typed: `0-3, 7`.
    pub listed: String,
    /// Where in each.
    pub joints: BTreeSet<Joint>,
    /// Chooses the channels.
    pub channel_seed: String,
    /// Whether the furthest point is flattened again.
    pub flatten: bool,
    /// Bit-widths.
    pub bits: BTreeSet<Bits>,
    /// Clipping rules.
    pub rules: Vec<Rule>,
    /// Shuffles behind each p.
    pub permutations: String,
}

impl Default for DialChoices {
    /// Every second layer, so that all four claims can be decided; up to s = 32, where both rules have failed on the models
    /// that come with the page.
    fn default() -> DialChoices {
        DialChoices {
            furthest: 5,
            stops: Stops::Every,
            channels: "1".into(),
            layers: Layers::EverySecond,
            listed: "0-3".into(),
            joints: Joint::ALL.into(),
            channel_seed: "1".into(),
            flatten: true,
            bits: Bits::new(4).into_iter().collect(),
            rules: vec![Rule::Absmax, Rule::Optimal],
            permutations: "2000".into(),
        }
    }
}

impl Stops {
    /// In the order of the page, with their names.
    pub const ALL: [(Stops, &'static str, &'static str); 3] = [
        (Stops::Every, "every", "at every power of two"),
        (Stops::EverySecond, "second", "at every second power of two"),
        (Stops::Ends, "ends", "only at s = 1 and at the furthest"),
    ];

    /// The exponents from 0 to the furthest.
    pub fn exponents(self, furthest: usize) -> Vec<usize> {
        let step = match self {
            Stops::Every => 1,
            Stops::EverySecond => 2,
            Stops::Ends => furthest.max(1),
        };
        let mut stops: Vec<usize> = (0..=furthest).step_by(step).collect();
        if stops.last() != Some(&furthest) {
            stops.push(furthest);
        }
        stops
    }
}

impl Layers {
    /// In the order of the page, with their names.
    pub const ALL: [(Layers, &'static str, &'static str); 3] = [
        (Layers::All, "all", "all layers"),
        (Layers::EverySecond, "second", "every second layer"),
        (Layers::Listed, "listed", "layers that I write down"),
    ];
}

impl DialChoices {
    /// The config, or the first thing that is wrong, as a sentence.
    pub fn config(&self, texts: languages::Config, threshold: f64, layers: usize) -> Result<Config, String> {
        let chosen = |what: &str, none: bool| if none { Err(format!("Choose at least one {what}.")) } else { Ok(()) };
        chosen("joint to turn", self.joints.is_empty())?;
        chosen("bit-width", self.bits.is_empty())?;
        chosen("clipping rule", self.rules.is_empty())?;
        let channel_seed = self
            .channel_seed
            .trim()
            .parse()
            .map_err(|_| format!("Seed of the channels is “{}”; it must be a whole number.", self.channel_seed))?;
        Ok(Config {
            corpus: texts.corpus,
            languages: texts.languages,
            units: texts.units,
            exponents: self.stops.exponents(self.furthest),
            channels: whole("Number of channels", &self.channels, 1, MOST_CHANNELS)?,
            layers: match self.layers {
                Layers::All => Vec::new(),
                Layers::EverySecond => (0..layers).step_by(2).collect(),
                Layers::Listed => listed(&self.listed, layers)?,
            },
            joints: self.joints.iter().copied().collect(),
            channel_seed,
            flatten: self.flatten,
            bits: self.bits.iter().copied().collect(),
            rules: words::RULES.into_iter().filter(|rule| self.rules.contains(rule)).collect(),
            granularity: texts.granularity,
            threshold,
            resamples: texts.resamples,
            permutations: whole("Number of shuffles", &self.permutations, PERMUTATIONS.0, PERMUTATIONS.1)?,
            seed: texts.seed,
        })
    }
}

/// Layers written as `0-3, 7`, ascending and each once.
fn listed(text: &str, layers: usize) -> Result<Vec<usize>, String> {
    let wrong = || format!("Layers are “{text}”; write numbers and ranges, such as 0-3, 7.");
    let mut chosen = BTreeSet::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once(['-', '–']).unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let (from, to) = (number(from)?, number(to)?);
        if to >= layers {
            return Err(format!("Layer {to} is not there: this model has layers 0 to {}.", layers.saturating_sub(1)));
        }
        if from > to {
            return Err(wrong());
        }
        chosen.extend(from..=to);
    }
    if chosen.is_empty() { Err(wrong()) } else { Ok(chosen.into_iter().collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Granularity;

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

    fn wrong(choices: DialChoices) -> String {
        choices.config(texts(), 5.0, 12).unwrap_err()
    }

    #[test]
    fn the_default_is_a_config_that_the_analysis_takes() {
        let config = DialChoices::default().config(texts(), 7.5, 12).unwrap();
        config.check().unwrap();
        assert_eq!(
            (config.exponents.as_slice(), config.layers.as_slice()),
            (&[0, 1, 2, 3, 4, 5][..], &[0, 2, 4, 6, 8, 10][..])
        );
        assert_eq!((config.bits.len(), config.rules.len(), config.threshold), (1, 2, 7.5));
        assert_eq!(
            (config.granularity, config.resamples, config.seed),
            (Granularity::Channel, 500, 3),
            "shared with other pages"
        );
    }

    #[test]
    fn stops_hold_both_ends() {
        assert_eq!(Stops::EverySecond.exponents(5), [0, 2, 4, 5]);
        assert_eq!(Stops::EverySecond.exponents(4), [0, 2, 4]);
        assert_eq!(Stops::Ends.exponents(7), [0, 7]);
        for (stops, ..) in Stops::ALL {
            assert_eq!(stops.exponents(0), [0]);
        }
    }

    #[test]
    fn layers_are_read_as_people_write_them() {
        assert_eq!(listed("7, 0-3,2", 12).unwrap(), [0, 1, 2, 3, 7]);
        assert_eq!(listed("5 – 6", 12).unwrap(), [5, 6]);
        assert_eq!(listed("4-12", 12).unwrap_err(), "Layer 12 is not there: this model has layers 0 to 11.");
        for text in ["", "x", "3-1", "1-2-3", "-"] {
            assert!(listed(text, 12).unwrap_err().starts_with(&format!("Layers are “{text}”;")), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let choices = DialChoices::default;
        assert_eq!(wrong(DialChoices { rules: Vec::new(), ..choices() }), "Choose at least one clipping rule.");
        assert_eq!(wrong(DialChoices { bits: BTreeSet::new(), ..choices() }), "Choose at least one bit-width.");
        assert_eq!(wrong(DialChoices { joints: BTreeSet::new(), ..choices() }), "Choose at least one joint to turn.");
        assert!(wrong(DialChoices { channels: "0".into(), ..choices() }).starts_with("Number of channels is “0”"));
        assert!(wrong(DialChoices { permutations: "9".into(), ..choices() }).starts_with("Number of shuffles is “9”"));
        assert!(wrong(DialChoices { channel_seed: "a".into(), ..choices() }).contains("“a”"));
        let listed = DialChoices { layers: Layers::Listed, listed: "12".into(), ..choices() };
        assert!(wrong(listed).starts_with("Layer 12 is not there"));
    }
}
