//! What the person has chosen, and the config it makes.

use std::collections::BTreeSet;

use super::dial_choices::DialChoices;
use super::gateway_choices::GatewayChoices;
use super::screening_choices::ScreeningChoices;
use super::statistics_choices::StatisticsChoices;
use super::sweep_choices::SweepChoices;
use crate::protocol::{Config as AnyConfig, Kind};
use crate::report::{
    Bits, Card, CorpusCard, Granularity, Resource, Rule, activation, causes, clipping, dial, family, gateway,
    languages::Config, matrix, mitigation, redundancy, representation, screening, statistics, sweep, tokens, weights,
};

/// Under this many resamples the ends of a 95% interval jump from seed to seed.
const FEWEST_RESAMPLES: usize = 100;
/// More cost time and change no digit that is shown.
const MOST_RESAMPLES: usize = 100_000;

/// Shuffles behind each p: enough for two digits of 0.01.
const PERMUTATIONS: usize = 10_000;

/// The settings of the pages. Numbers are kept as typed, so that a half-typed one is not corrected.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices {
    /// Folder of the corpus.
    pub corpus: String,
    /// ISO 639-3 codes.
    pub languages: BTreeSet<String>,
    /// Units per language.
    pub units: String,
    /// Bit-width.
    pub bits: Bits,
    /// Clipping rule.
    pub rule: Rule,
    /// Granularity.
    pub granularity: Granularity,
    /// Bootstrap resamples.
    pub resamples: String,
    /// Seed.
    pub seed: String,
    /// A layer whose κ lies above this is an outlier layer.
    pub threshold: f64,
    /// The language whose threshold is tried on the others.
    pub reference: String,
    /// Whether the Clipping page measures each rule's D(λ) too.
    pub losses: bool,
    /// What only the Dial page asks for.
    pub dial: DialChoices,
    /// What only the Gateway page asks for.
    pub gateway: GatewayChoices,
    /// Methods that the Mitigation page compares.
    pub methods: BTreeSet<mitigation::Method>,
    /// The person's own width of each layer; empty for the common width.
    pub own: Vec<Option<Bits>>,
    /// Layers that the Redundancy page leaves out where none is an outlier layer.
    pub top: String,
    /// What a reader without any state knows.
    pub baseline: redundancy::Baseline,
    /// What only the Statistics page asks for.
    pub statistics: StatisticsChoices,
    /// What the Causes page calls T.
    pub quality: causes::Quality,
    /// The model that it simulates.
    pub scm: causes::Scm,
    /// The four models of the Family page.
    pub family: [String; family::CELLS],
    /// What only the Bits page asks for.
    pub sweep: SweepChoices,
    /// What only the Screening page asks for.
    pub screening: ScreeningChoices,
    /// Which matrix the Matrix page looks into: layer and part.
    pub matrix: (usize, matrix::Part),
    /// What a cell of several weights shows.
    pub shown: matrix::Shown,
    /// Which part of the matrix is seen; none is the whole.
    pub window: Option<matrix::Window>,
    /// Which unit the Tokens page looks into, from 1.
    pub unit: String,
}

impl Default for Choices {
    fn default() -> Choices {
        Choices {
            corpus: "udhr".into(),
            languages: BTreeSet::new(),
            units: "8".into(),
            bits: Bits::new(3).unwrap_or(Bits::ALL[0]),
            rule: Rule::Absmax,
            granularity: Granularity::Tensor,
            resamples: "2000".into(),
            seed: "1".into(),
            threshold: weights::THRESHOLD,
            reference: "eng".into(),
            losses: false,
            dial: DialChoices::default(),
            gateway: GatewayChoices::default(),
            methods: mitigation::Method::ALL.into(),
            own: Vec::new(),
            top: "3".into(),
            baseline: redundancy::Baseline::Unigram,
            statistics: StatisticsChoices::default(),
            quality: causes::Quality::WordsPerToken,
            scm: causes::Scm::SEED,
            family: ["skew-skew", "skew-bal", "bal-skew", "bal-bal"].map(String::from),
            sweep: SweepChoices::default(),
            screening: ScreeningChoices::default(),
            matrix: (0, matrix::Part::Up),
            shown: matrix::Shown::Furthest,
            window: None,
            unit: "1".into(),
        }
    }
}

impl Choices {
    /// The config, or the first thing that is wrong, as a sentence.
    pub fn config(&self, corpora: &[CorpusCard]) -> Result<Config, String> {
        let corpus = corpora
            .iter()
            .find(|corpus| corpus.name == self.corpus)
            .ok_or_else(|| format!("The text “{}” is not on this site; choose another.", self.corpus))?;
        let languages: Vec<String> = corpus
            .languages
            .iter()
            .filter(|language| self.languages.contains(&language.code))
            .map(|language| language.code.clone())
            .collect();
        if languages.is_empty() {
            return Err("Choose at least one language.".into());
        }
        // One unit has no spread to resample.
        let units = whole(&format!("Number of {}s", corpus.unit), &self.units, 2, corpus.units)?;
        let resamples = whole("Resamples", &self.resamples, FEWEST_RESAMPLES, MOST_RESAMPLES)?;
        let seed = self.seed()?;
        Ok(Config {
            corpus: corpus.name.clone(),
            languages,
            units,
            bits: self.bits,
            rule: self.rule,
            granularity: self.granularity,
            resamples,
            seed,
        })
    }
}

impl Choices {
    /// What the Weights page asks.
    pub fn weights(&self) -> weights::Config {
        weights::Config { threshold: self.threshold }
    }

    /// What the Activation page asks.
    pub fn activation(&self, corpora: &[CorpusCard]) -> Result<activation::Config, String> {
        let Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = self.config(corpora)?;
        let (threshold, permutations) = (self.threshold, PERMUTATIONS);
        Ok(activation::Config {
            corpus,
            languages,
            units,
            bits,
            rule,
            granularity,
            threshold,
            resamples,
            permutations,
            seed,
        })
    }

    /// What the Mitigation page asks of a model of so many layers; widths that were set for another model are left out.
    pub fn mitigation(&self, corpora: &[CorpusCard], layers: usize) -> Result<mitigation::Config, String> {
        let Config { corpus, languages, units, bits, resamples, seed, .. } = self.config(corpora)?;
        let own = if self.own.len() == layers { self.own.clone() } else { Vec::new() };
        // All others are compared with this one.
        let methods: BTreeSet<_> = self.methods.iter().copied().chain([mitigation::Method::Absmax]).collect();
        Ok(mitigation::Config {
            corpus,
            languages,
            units,
            bits,
            threshold: self.threshold,
            methods: methods.into_iter().collect(),
            own,
            resamples,
            seed,
        })
    }

    /// What the Clipping page asks; without languages only the weights are looked at. A reference that is not chosen gives
    /// way to the first language.
    pub fn clipping(&self, corpora: &[CorpusCard]) -> Result<clipping::Config, String> {
        let weights_only = || {
            let any = corpora.iter().flat_map(|corpus| &corpus.languages).map(|language| language.code.clone());
            Choices { languages: any.collect(), ..self.clone() }.config(corpora)
        };
        let none = self.languages.is_empty();
        let config = if none { weights_only()? } else { self.config(corpora)? };
        let languages = if none { Vec::new() } else { config.languages };
        let chosen = languages.iter().find(|code| **code == self.reference).or(languages.first()).cloned();
        Ok(clipping::Config {
            bits: config.bits,
            corpus: config.corpus,
            reference: chosen.unwrap_or_default(),
            languages,
            units: config.units,
            losses: self.losses && !none,
            resamples: config.resamples,
            seed: config.seed,
        })
    }

    /// What the Dial page asks of a model of so many layers.
    pub fn dial(&self, corpora: &[CorpusCard], layers: usize) -> Result<dial::Config, String> {
        self.dial.config(self.config(corpora)?, self.threshold, layers)
    }

    /// What the Gateway page asks of a model of so many layers.
    pub fn gateway(&self, corpora: &[CorpusCard], layers: usize) -> Result<gateway::Config, String> {
        self.gateway.config(self.config(corpora)?, layers)
    }

    /// What the Redundancy page asks of a model of so many layers.
    pub fn redundancy(&self, corpora: &[CorpusCard], layers: usize) -> Result<redundancy::Config, String> {
        let Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = self.config(corpora)?;
        Ok(redundancy::Config {
            corpus,
            languages,
            units,
            bits,
            rule,
            granularity,
            threshold: self.threshold,
            top: whole("Layers to leave out", &self.top, 1, layers.max(1))?,
            baseline: self.baseline,
            resamples,
            permutations: PERMUTATIONS,
            seed,
        })
    }

    /// What the Representation page asks. A reference that is not chosen gives way to the first language.
    pub fn representation(&self, corpora: &[CorpusCard]) -> Result<representation::Config, String> {
        let Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = self.config(corpora)?;
        let reference = languages.iter().find(|code| **code == self.reference).or(languages.first()).cloned();
        Ok(representation::Config {
            reference: reference.unwrap_or_default(),
            directions: representation::DIRECTIONS,
            corpus,
            languages,
            units,
            bits,
            rule,
            granularity,
            resamples,
            seed,
        })
    }

    /// What the Causes page asks. A reference that is not chosen gives way to the first language.
    pub fn causes(&self, corpora: &[CorpusCard]) -> Result<causes::Config, String> {
        let Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = self.config(corpora)?;
        let chosen = languages.iter().find(|code| **code == self.reference).or(languages.first()).cloned();
        Ok(causes::Config {
            reference: chosen.unwrap_or_default(),
            quality: self.quality,
            threshold: self.threshold,
            scm: self.scm,
            permutations: PERMUTATIONS,
            corpus,
            languages,
            units,
            bits,
            rule,
            granularity,
            resamples,
            seed,
        })
    }

    /// What the Family page asks.
    pub fn family(&self, corpora: &[CorpusCard]) -> Result<family::Config, String> {
        let Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = self.config(corpora)?;
        let (models, permutations) = (self.family.clone(), PERMUTATIONS);
        Ok(family::Config { models, corpus, languages, units, bits, rule, granularity, resamples, permutations, seed })
    }

    /// What the Statistics page asks, in a family with these earlier tests.
    pub fn statistics(&self, earlier: Vec<statistics::Earlier>) -> Result<statistics::Config, String> {
        let resamples = whole("Resamples", &self.resamples, FEWEST_RESAMPLES, MOST_RESAMPLES)?;
        self.statistics.config(earlier, resamples, self.seed()?)
    }

    fn seed(&self) -> Result<u64, String> {
        self.seed.trim().parse().map_err(|_| format!("Seed is “{}”; it must be a whole number.", self.seed))
    }

    /// What the Bits page asks.
    pub fn sweep(&self, corpora: &[CorpusCard]) -> Result<sweep::Config, String> {
        self.sweep.config(self.config(corpora)?)
    }

    /// What the page of an analysis asks, on a model of so many layers, or what is wrong with the choices, as a sentence.
    pub fn of_kind(&self, kind: Kind, corpora: &[CorpusCard], layers: usize) -> Result<AnyConfig, String> {
        Ok(match kind {
            Kind::Languages => self.config(corpora)?.into(),
            Kind::Weights => self.weights().into(),
            Kind::Clipping => self.clipping(corpora)?.into(),
            Kind::Activation => self.activation(corpora)?.into(),
            Kind::Mitigation => self.mitigation(corpora, layers)?.into(),
            Kind::Dial => self.dial(corpora, layers)?.into(),
            Kind::Gateway => self.gateway(corpora, layers)?.into(),
            Kind::Redundancy => self.redundancy(corpora, layers)?.into(),
            Kind::Representation => self.representation(corpora)?.into(),
            Kind::Causes => self.causes(corpora)?.into(),
            Kind::Family => self.family(corpora)?.into(),
            Kind::Sweep => self.sweep(corpora)?.into(),
            Kind::Screening => self.screening(corpora)?.into(),
            Kind::Matrix => self.matrix().into(),
            Kind::Tokens => self.tokens(corpora)?.into(),
            Kind::Statistics => self.statistics(Vec::new())?.into(),
        })
    }

    /// What the Screening page asks.
    pub fn screening(&self, corpora: &[CorpusCard]) -> Result<screening::Config, String> {
        self.screening.config(self.config(corpora)?, PERMUTATIONS)
    }
}

impl Choices {
    /// What the Matrix page asks.
    pub fn matrix(&self) -> matrix::Config {
        let (layer, part) = self.matrix;
        let Choices { bits, rule, granularity, shown, window, .. } = *self;
        matrix::Config { layer, part, bits, rule, granularity, shown, window }
    }

    /// What the Tokens page asks.
    pub fn tokens(&self, corpora: &[CorpusCard]) -> Result<tokens::Config, String> {
        // How many units other pages read is nothing to this one.
        let all = Choices { units: "2".into(), ..self.clone() };
        let Config { corpus, languages, bits, rule, granularity, .. } = all.config(corpora)?;
        let card = corpora.iter().find(|card| card.name == corpus);
        let (noun, most) = card.map_or(("unit", 1), |card| (&card.unit[..], card.units));
        let unit = whole(&format!("Number of the {noun}"), &self.unit, 1, most)?;
        Ok(tokens::Config { corpus, languages, unit, bits, rule, granularity })
    }
}

/// A whole number within bounds, or a sentence that names it.
pub(super) fn whole(name: &str, text: &str, least: usize, most: usize) -> Result<usize, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{name} is “{text}”; it must be a whole number from {least} to {most}."))
}

/// Languages of a corpus that the model was trained on; all of them where it has no card.
pub fn trained(corpus: &CorpusCard, card: Option<&Card>) -> BTreeSet<String> {
    let seen = |code: &str| Resource::of(card, code) != Resource::Unseen;
    corpus.languages.iter().map(|language| &language.code).filter(|code| seen(code)).cloned().collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn corpora() -> Vec<CorpusCard> {
        let language = |code: &str| {
            format!(
                r#"{{"code":"{code}","name":"","endonym":"","script":"","family":"","direction":"ltr","file":"","bytes":1,"sha256":""}}"#
            )
        };
        let languages = ["eng", "kor", "tha"].map(language).join(",");
        let corpus = format!(
            r#"[{{"name":"udhr","title":"","description":"","unit":"article","units":30,"source":"","licence":"","languages":[{languages}]}}]"#
        );
        serde_json::from_str(&corpus).unwrap()
    }

    fn choices() -> Choices {
        Choices { languages: ["kor".to_string(), "eng".into(), "not there".into()].into(), ..Choices::default() }
    }

    #[test]
    fn languages_come_in_the_order_of_the_corpus() {
        let config = choices().config(&corpora()).unwrap();
        assert_eq!(config.languages, ["eng", "kor"]);
        assert_eq!((config.units, config.bits.get(), config.resamples, config.seed), (8, 3, 2000, 1));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |choices: Choices| choices.config(&corpora()).unwrap_err();
        assert_eq!(wrong(Choices::default()), "Choose at least one language.");
        assert!(wrong(Choices { units: "31".into(), ..choices() }).contains("Number of articles is “31”"));
        assert!(wrong(Choices { units: "1".into(), ..choices() }).contains("from 2 to 30"));
        assert!(wrong(Choices { resamples: "".into(), ..choices() }).starts_with("Resamples is “”"));
        assert!(wrong(Choices { seed: "-1".into(), ..choices() }).starts_with("Seed is “-1”"));
        assert!(wrong(Choices { corpus: "x".into(), ..choices() }).contains("“x”"));
    }

    #[test]
    fn clipping_wants_no_language_but_a_reference_among_those_chosen() {
        let config = choices().clipping(&corpora()).unwrap();
        assert_eq!((config.languages.len(), config.reference.as_str(), config.losses), (2, "eng", false));
        let korean = Choices { languages: ["kor".to_string()].into(), losses: true, ..Choices::default() };
        let config = korean.clipping(&corpora()).unwrap();
        assert_eq!((config.reference.as_str(), config.losses), ("kor", true));
        let none = Choices { losses: true, ..Choices::default() }.clipping(&corpora()).unwrap();
        assert!(none.languages.is_empty() && !none.losses && none.check().is_ok());
    }

    #[test]
    fn trained_languages_leave_out_the_unseen() {
        let card: Card = serde_json::from_str(
            r#"{"name":"m","title":"","description":"","parameters":1,"languages":{"eng":{"bytes_seen":9},"tha":{"bytes_seen":0}}}"#,
        )
        .unwrap();
        assert_eq!(trained(&corpora()[0], Some(&card)), ["eng".to_string()].into());
        assert_eq!(trained(&corpora()[0], None).len(), 3);
    }
}
