//! What the person has chosen, and the part of it that every page over texts asks; `configs` has the rest.

use std::collections::BTreeSet;

use super::dial_choices::DialChoices;
use super::gateway_choices::GatewayChoices;
use super::screening_choices::ScreeningChoices;
use super::statistics_choices::StatisticsChoices;
use super::sweep_choices::SweepChoices;
use crate::lab::{causes, family, languages::Config, matrix, mitigation, redundancy};
use crate::report::{Bits, Card, CorpusCard, Granularity, Resource, Rule};

/// Under this many resamples the ends of a 95% interval jump from seed to seed.
const FEWEST_RESAMPLES: usize = 100;
/// More cost time and change no digit that is shown.
const MOST_RESAMPLES: usize = 100_000;

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
            threshold: crate::lab::thresholds::OUTLIER,
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
        let (resamples, seed) = (self.resamples()?, self.seed()?);
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

    pub(super) fn resamples(&self) -> Result<usize, String> {
        whole("Resamples", &self.resamples, FEWEST_RESAMPLES, MOST_RESAMPLES)
    }

    pub(super) fn seed(&self) -> Result<u64, String> {
        self.seed.trim().parse().map_err(|_| format!("Seed is “{}”; it must be a whole number.", self.seed))
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

    pub fn choices() -> Choices {
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
    fn trained_languages_leave_out_the_unseen() {
        let card: Card = serde_json::from_str(
            r#"{"name":"m","title":"","description":"","parameters":1,"languages":{"eng":{"bytes_seen":9},"tha":{"bytes_seen":0}}}"#,
        )
        .unwrap();
        assert_eq!(trained(&corpora()[0], Some(&card)), ["eng".to_string()].into());
        assert_eq!(trained(&corpora()[0], None).len(), 3);
    }
}
