//! What several sets of weights cost the same languages, all from the same resamples, so that any two sets are paired.

pub use reports::lab::degradation::*;

use super::{AnalysisError, draws::LEVEL, groups::Groups, sample::Reading};
use crate::{
    math::{
        jackknife_t::{Jackknife, Scale, range},
        metrics,
        statistics::{Interval, Resampled, bootstrap},
    },
    model::card::{Card, Resource},
};

/// The languages of a sample, in its order.
pub fn languages(codes: &[String], reading: &Reading, card: Option<&Card>) -> Vec<Language> {
    let describe = |code: &String| {
        let of = reading.corpus.languages.iter().find(|language| language.code == *code);
        let of = of.expect("the sample was checked against this corpus");
        let tokens = |card: &Card| card.languages.get(code).map_or(0, |language| language.tokens_seen);
        Language {
            code: code.clone(),
            name: of.name.clone(),
            endonym: of.endonym.clone(),
            direction: of.direction.clone(),
            resource: Resource::of(card, code),
            tokens_seen: card.map(tokens),
        }
    };
    codes.iter().map(describe).collect()
}

/// Losses of all texts of a reading in full precision and under other weights, ready to be resampled.
pub struct Losses<'a> {
    /// The texts.
    pub reading: &'a Reading,
    /// Their languages.
    pub languages: &'a [Language],
    /// Nats of each text in full precision.
    pub full: &'a [f64],
    /// Nats of each text under each set of weights.
    pub changed: &'a [Vec<f64>],
}

/// D of a language, its texts counted as drawn, from the nats of all texts in full precision and under other weights.
pub(crate) fn degradation(reading: &Reading, language: usize, [full, changed]: [&[f64]; 2], drawn: &[u32]) -> f64 {
    let (mut before, mut after, mut tokens) = (0.0, 0.0, 0);
    for (text, &times) in reading.of_language(language).zip(drawn).filter(|(_, times)| **times > 0) {
        before += f64::from(times) * full[text];
        after += f64::from(times) * changed[text];
        tokens += u64::from(times) * reading.texts[text].scored as u64;
    }
    metrics::degradation(before, after, tokens)
}

/// Figures over all languages: disparity, mean HR, mean LR, ratio.
const OVER_ALL: usize = 4;

/// What a set of weights costs, and its disparity in every draw of the bootstrap, in order: two of the same texts and seed are
/// paired.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The cost.
    pub cost: Cost,
    /// NaN where there is none.
    pub disparity: Vec<f64>,
}

impl Losses<'_> {
    /// The cost of every set of weights, and the change of disparity from the second to the first of each pair of sets;
    /// a change is none where there is no disparity.
    pub fn measure(
        &self,
        pairs: &[(usize, usize)],
        resamples: usize,
        seed: u64,
    ) -> Result<(Vec<Cost>, Vec<Option<Change>>), AnalysisError> {
        let measured: Vec<Measured> =
            self.changed.iter().map(|nats| self.one(nats, resamples, seed)).collect::<Result<_, _>>()?;
        let change = |&(first, second): &(usize, usize)| {
            let of = |figure: fn(f64, f64) -> f64| {
                let both = measured[first].disparity.iter().zip(&measured[second].disparity);
                Resampled::of(
                    &both.map(|(&first, &second)| figure(first, second)).collect::<Vec<_>>(),
                    self.reading.units,
                )
            };
            let (difference, reduction) =
                (of(|first, second| first - second), of(|first, second| 1.0 - first / second));
            Some(Change {
                difference: known(difference.bca(LEVEL))?,
                difference_corrected: known(difference.corrected(LEVEL))?,
                reduction: known(reduction.bca(LEVEL))?,
            })
        };
        let changes = pairs.iter().map(change).collect();
        Ok((measured.into_iter().map(|measured| measured.cost).collect(), changes))
    }

    /// One set of weights, from the nats of all texts under it.
    pub fn one(&self, changed: &[f64], resamples: usize, seed: u64) -> Result<Measured, AnalysisError> {
        self.reading.finite("full-precision", self.full)?;
        self.reading.finite("quantized", changed)?;
        let (languages, units) = (self.languages.len(), self.reading.units);
        let resources: Vec<Resource> = self.languages.iter().map(|language| language.resource).collect();
        let groups = Groups::new(&resources);
        let mut disparity = Vec::new();
        let figures = bootstrap(units, languages + OVER_ALL, resamples, seed, |drawn, out| {
            self.draw(changed, drawn, &groups, out);
            disparity.push(out[languages]);
        });
        let series: Vec<Vec<f64>> = figures.iter().map(Resampled::jackknife).collect();
        let jackknife = Jackknife::new(units, LEVEL);
        let of = |at: usize, scale: Scale| jackknife.interval(&series[at], scale);
        let together = Jackknife::together(units, LEVEL, groups.counted.len());
        let counted: Vec<Interval> =
            groups.counted.iter().map(|&at| together.interval(&series[at], Scale::Growth)).collect();
        let cost = Cost {
            degradation: (0..languages).map(|at| of(at, Scale::Growth)).collect(),
            disparity: range(&counted),
            disparity_corrected: known(figures[languages].corrected(LEVEL)),
            mean_high: known(of(languages + 1, Scale::Growth)),
            mean_low: known(of(languages + 2, Scale::Growth)),
            ratio: known(of(languages + 3, Scale::Ratio)),
        };
        Ok(Measured { cost, disparity })
    }

    /// D of each language, then the figures over all; NaN for those that the languages do not give.
    fn draw(&self, changed: &[f64], drawn: &[u32], groups: &Groups, out: &mut [f64]) {
        let (degradations, over_all) = out.split_at_mut(self.languages.len());
        for (language, out) in degradations.iter_mut().enumerate() {
            *out = degradation(self.reading, language, [self.full, changed], drawn);
        }
        let of = |which: &[usize]| which.iter().map(|&i| degradations[i]).collect::<Vec<_>>();
        let (counted, high, low) = (of(&groups.counted), of(&groups.high), of(&groups.low));
        let figures =
            [metrics::disparity(&counted), metrics::mean(&high), metrics::mean(&low), metrics::ratio(&low, &high)];
        for (out, figure) in over_all.iter_mut().zip(figures) {
            *out = figure.unwrap_or(f64::NAN);
        }
    }
}
