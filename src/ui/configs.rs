//! What each page asks, as the choices have it.

use std::collections::BTreeSet;

use super::choices::{Choices, whole};
use crate::lab::{
    activation, causes, clipping, dial, family, gateway, languages::Config, matrix, mitigation, redundancy,
    representation, screening, statistics, sweep, tokens, weights,
};
use crate::protocol::{Config as AnyConfig, Kind};
use crate::report::CorpusCard;

/// Shuffles behind each p: enough for two digits of 0.01.
const PERMUTATIONS: usize = 10_000;

impl Choices {
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

    /// The reference, which gives way to the first language where it is not chosen.
    fn reference(&self, languages: &[String]) -> String {
        languages.iter().find(|code| **code == self.reference).or(languages.first()).cloned().unwrap_or_default()
    }

    /// What the Clipping page asks; without languages only the weights are looked at.
    pub fn clipping(&self, corpora: &[CorpusCard]) -> Result<clipping::Config, String> {
        let weights_only = || {
            let any = corpora.iter().flat_map(|corpus| &corpus.languages).map(|language| language.code.clone());
            Choices { languages: any.collect(), ..self.clone() }.config(corpora)
        };
        let none = self.languages.is_empty();
        let config = if none { weights_only()? } else { self.config(corpora)? };
        let languages = if none { Vec::new() } else { config.languages };
        Ok(clipping::Config {
            bits: config.bits,
            corpus: config.corpus,
            reference: self.reference(&languages),
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

    /// What the Representation page asks.
    pub fn representation(&self, corpora: &[CorpusCard]) -> Result<representation::Config, String> {
        let Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = self.config(corpora)?;
        Ok(representation::Config {
            reference: self.reference(&languages),
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

    /// What the Causes page asks.
    pub fn causes(&self, corpora: &[CorpusCard]) -> Result<causes::Config, String> {
        let Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = self.config(corpora)?;
        Ok(causes::Config {
            reference: self.reference(&languages),
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
        self.statistics.config(earlier, self.resamples()?, self.seed()?)
    }

    /// What the Bits page asks.
    pub fn sweep(&self, corpora: &[CorpusCard]) -> Result<sweep::Config, String> {
        self.sweep.config(self.config(corpora)?)
    }

    /// What the Screening page asks.
    pub fn screening(&self, corpora: &[CorpusCard]) -> Result<screening::Config, String> {
        self.screening.config(self.config(corpora)?, PERMUTATIONS)
    }

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

#[cfg(test)]
mod tests {
    use super::super::choices::tests::{choices, corpora};
    use super::*;

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
}
