//! What the Claims page runs: the settings of every page over the same texts, so that analyses share their passes.

use super::chosen::Chosen;
use crate::claims::CLAIMS;
use crate::lab::dial::{Layers, Stops};
use crate::lab::gateway;
use crate::lab::mitigation::Method;
use crate::lab::rounding::Rounding;
use crate::lab::settings::{Around, Texts};
use crate::protocol::{Config, Kind};
use crate::report::{Card, Resource};

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

/// What the Claims page asks of an analysis, or what is wrong with the choices, as a sentence.
pub fn asked(chosen: &Chosen, kind: Kind, around: &Around, card: Option<&Card>) -> Result<Config, String> {
    let mut asked = chosen.config(kind, around)?;
    let fewer = |texts: &mut Texts, units: usize| texts.units = texts.units.min(units);
    match &mut asked {
        Config::Clipping(own) => own.losses = false,
        Config::Dial(own) => {
            fewer(&mut own.texts, TURNED_UNITS);
            // Every second layer, so that languages can differ in how much they use turned ones.
            (own.furthest, own.stops, own.layers, own.flatten) = (TURNED, Stops::Ends, Layers::EverySecond, false);
            let Rounding { bits, rule, .. } = rounding(chosen);
            (own.bits, own.rules) = (vec![bits], vec![rule]);
        }
        // The theory's question.
        Config::Gateway(own) => {
            let usual = gateway::Config { sweeps: false, others: false, ..gateway::Config::default() };
            let texts = searched(&own.texts, around, card);
            *own = gateway::Config { texts, quantizer: own.quantizer, draws: own.draws.clone(), ..usual };
        }
        Config::Family(own) => fewer(&mut own.texts, FAMILY_UNITS),
        Config::Mitigation(own) => own.methods = METHODS.into(),
        // One rule: a rule costs as many passes as there are widths.
        Config::Sweep(own) => {
            fewer(&mut own.texts, SWEPT_UNITS);
            own.rules = vec![rounding(chosen).rule];
        }
        Config::Representation(own) => fewer(&mut own.texts, COMPARED_UNITS),
        _ => {}
    }
    Ok(asked)
}

/// How weights are rounded on most pages.
fn rounding(chosen: &Chosen) -> Rounding {
    let keys = Rounding::KEYS;
    Rounding { bits: chosen.get(keys.bits), rule: chosen.get(keys.rule), granularity: chosen.get(keys.granularity) }
}

/// A few of the texts: the shortest of high and low resource.
fn searched(all: &Texts, around: &Around, card: Option<&Card>) -> Texts {
    let corpus = around.corpora.iter().find(|corpus| corpus.name == all.corpus);
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
    let in_order = all.languages.iter().filter(|code| languages.contains(code)).cloned().collect();
    Texts { languages: in_order, units: all.units.min(SEARCHED_UNITS), ..all.clone() }
}

#[cfg(test)]
mod tests {
    use super::super::chosen::tests::{around, corpora, of_languages};
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
        let corpora = corpora();
        for kind in Kind::ALL {
            let config = asked(&of_languages(&["eng", "kor", "tha"]), *kind, &around(&corpora), None).unwrap();
            assert_eq!(config.kind(), *kind);
            config.check().unwrap();
        }
        assert!(asked(&Chosen::default(), Kind::Activation, &around(&corpora), None).is_err(), "no language is chosen");
    }

    #[test]
    fn the_search_reads_a_few_texts() {
        let corpora = corpora();
        let chosen = of_languages(&["eng", "kor", "tha"]);
        let Config::Gateway(config) = asked(&chosen, Kind::Gateway, &around(&corpora), None).unwrap() else { panic!() };
        let texts = (config.texts.units, config.texts.languages.len());
        assert_eq!((texts, config.budgets.as_slice()), ((SEARCHED_UNITS, 3), &[3][..]));
    }
}
