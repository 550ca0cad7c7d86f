//! What the Claims page runs: the settings of every page over the same texts, so that analyses share their passes.

use super::choices::Choices;
use super::dial_choices::{DialChoices, Layers, Stops};
use super::gateway_choices::GatewayChoices;
use super::sweep_choices::SweepChoices;
use crate::claims::CLAIMS;
use crate::lab::mitigation::Method;
use crate::protocol::{Config, Kind};
use crate::report::{Card, CorpusCard, Resource};

/// A search over sets reads a text a hundred times: so many languages of the upper and of the lower third by bytes seen, those
/// whose texts are shortest …
const SEARCHED_LANGUAGES: usize = 2;
/// … and so many units of each.
const SEARCHED_UNITS: usize = 3;
/// Four models are read twice each.
const FAMILY_UNITS: usize = 3;
/// A turned model is read once more for the proof that it computes the same, and once for each width.
const TURNED_UNITS: usize = 4;
/// Seven widths are read one after another.
const SWEPT_UNITS: usize = 6;
/// The states of every layer are compared channel by channel, which takes longer than making them.
const COMPARED_UNITS: usize = 6;
/// What the claims on remedies speak of (A, B and C of document 002), and one that clips, for the score to tell apart.
const METHODS: [Method; 5] = [Method::Absmax, Method::Optimal, Method::Language, Method::EightBits, Method::Detected];
/// As far as the dial is turned: 2^5, which makes tails far beyond the theory's threshold of 50.
const TURNED: usize = 5;

/// Analyses that the claims are measured by, in an order in which each finds most of its passes made: the one that sees most
/// of a pass first.
pub const ORDER: &[Kind] = &[
    Kind::Clipping,
    Kind::Causes,
    Kind::Activation,
    Kind::Screening,
    Kind::Sweep,
    Kind::Mitigation,
    Kind::Redundancy,
    Kind::Representation,
    Kind::Dial,
    Kind::Gateway,
    Kind::Family,
    // Of all tests that the others have made.
    Kind::Statistics,
];

/// Whether some claim is measured by an analysis.
pub fn measures(kind: Kind) -> bool {
    CLAIMS.iter().any(|claim| claim.by.contains(&kind))
}

impl Choices {
    /// What the Claims page asks of an analysis, or what is wrong with the choices, as a sentence.
    pub fn for_claims(
        &self,
        kind: Kind,
        corpora: &[CorpusCard],
        layers: usize,
        card: Option<&Card>,
    ) -> Result<Config, String> {
        let own = match kind {
            Kind::Clipping => Choices { losses: false, ..self.clone() },
            Kind::Dial => {
                // Every second layer, so that languages can differ in how much they use turned ones.
                let dial = DialChoices {
                    furthest: TURNED,
                    stops: Stops::Ends,
                    layers: Layers::EverySecond,
                    flatten: false,
                    bits: [self.bits].into(),
                    rules: vec![self.rule],
                    ..self.dial.clone()
                };
                Choices { dial, ..self.fewer(TURNED_UNITS, corpora)? }
            }
            Kind::Gateway => self.search(corpora, card)?,
            Kind::Family => self.fewer(FAMILY_UNITS, corpora)?,
            Kind::Mitigation => Choices { methods: METHODS.into(), ..self.clone() },
            // One rule: a rule costs as many passes as there are widths.
            Kind::Sweep => {
                let sweep = SweepChoices { rules: vec![self.rule], ..self.sweep.clone() };
                Choices { sweep, ..self.fewer(SWEPT_UNITS, corpora)? }
            }
            Kind::Representation => self.fewer(COMPARED_UNITS, corpora)?,
            _ => self.clone(),
        };
        own.of_kind(kind, corpora, layers)
    }

    /// The same with so many units of each language at most.
    fn fewer(&self, units: usize, corpora: &[CorpusCard]) -> Result<Choices, String> {
        Ok(Choices { units: units.min(self.config(corpora)?.units).to_string(), ..self.clone() })
    }

    /// The theory's question over a few texts.
    fn search(&self, corpora: &[CorpusCard], card: Option<&Card>) -> Result<Choices, String> {
        let all = self.config(corpora)?;
        let corpus = corpora.iter().find(|corpus| corpus.name == all.corpus);
        let bytes = |code: &String| {
            corpus.and_then(|corpus| corpus.languages.iter().find(|of| of.code == *code)).map(|of| of.bytes)
        };
        let mut shortest = all.languages.clone();
        shortest.sort_by_key(bytes);
        let of = |level: Resource| {
            shortest.iter().filter(move |code| Resource::of(card, code) == level).take(SEARCHED_LANGUAGES).cloned()
        };
        let mut languages: Vec<String> = of(Resource::High).chain(of(Resource::Low)).collect();
        let rest = shortest.iter().filter(|code| !languages.contains(code)).cloned().collect::<Vec<_>>();
        languages.extend(rest.into_iter().take((2 * SEARCHED_LANGUAGES).saturating_sub(languages.len())));
        Ok(Choices {
            languages: languages.into_iter().collect(),
            units: all.units.min(SEARCHED_UNITS).to_string(),
            gateway: GatewayChoices { sweeps: false, others: false, ..GatewayChoices::default() },
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::choices::tests::corpora;
    use super::*;

    #[test]
    fn everything_that_measures_a_claim_is_run_once() {
        for kind in Kind::ALL {
            assert_eq!(ORDER.contains(kind), measures(*kind), "{kind:?}");
            assert!(ORDER.iter().filter(|own| *own == kind).count() <= 1, "{kind:?}");
        }
    }

    #[test]
    fn every_analysis_gets_settings_that_it_takes() {
        let choices =
            Choices { languages: ["eng".to_string(), "kor".into(), "tha".into()].into(), ..Choices::default() };
        for kind in Kind::ALL {
            let config = choices.for_claims(*kind, &corpora(), 12, None).unwrap();
            assert_eq!(config.kind(), *kind);
            config.check().unwrap();
        }
        assert!(
            Choices::default().for_claims(Kind::Activation, &corpora(), 12, None).is_err(),
            "no language is chosen"
        );
    }

    #[test]
    fn the_search_reads_a_few_texts() {
        let choices =
            Choices { languages: ["eng".to_string(), "kor".into(), "tha".into()].into(), ..Choices::default() };
        let Config::Gateway(config) = choices.for_claims(Kind::Gateway, &corpora(), 12, None).unwrap() else {
            panic!()
        };
        assert_eq!((config.units, config.languages.len(), config.budgets.as_slice()), (SEARCHED_UNITS, 3, &[3][..]));
    }
}
