//! What several sets of weights cost the same languages: D(λ), disparity and its kin, all from the same resamples, so that
//! any two sets are paired.

use serde::{Deserialize, Serialize};

use super::{
    AnalysisError,
    languages::{Groups, LEVEL},
    sample::Reading,
};
use crate::{
    math::{
        metrics,
        statistics::{Interval, Resampled, bootstrap},
    },
    model::card::{Card, Resource},
};

/// A language of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Language {
    /// ISO 639-3.
    pub code: String,
    /// English name.
    pub name: String,
    /// Name in its own script.
    pub endonym: String,
    /// `ltr` or `rtl`.
    pub direction: String,
    /// Resource level.
    pub resource: Resource,
    /// Training tokens, where the model has a card.
    pub tokens_seen: Option<u64>,
}

impl Language {
    /// Those of a sample, in its order.
    pub fn all(codes: &[String], reading: &Reading, card: Option<&Card>) -> Vec<Language> {
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

    /// Seen in training, or of unknown resource: it counts in figures over languages.
    pub fn counts(&self) -> bool {
        self.resource != Resource::Unseen
    }
}

/// What a set of weights costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// D(λ) of each language.
    pub degradation: Vec<Interval>,
    /// max D − min D over seen languages; none for fewer than two.
    pub disparity: Option<Interval>,
    /// Disparity less what noise alone adds to a largest − smallest; see [`Resampled::corrected`].
    pub disparity_corrected: Option<Interval>,
    /// mean D over high-resource languages.
    pub mean_high: Option<Interval>,
    /// mean D over low-resource languages.
    pub mean_low: Option<Interval>,
    /// mean D(LR)/mean D(HR).
    pub ratio: Option<Interval>,
}

/// Disparity under one set of weights against another, text by text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Disparity of the first − of the second.
    pub difference: Interval,
    /// The same less what noise alone adds to it; see [`Resampled::corrected`].
    pub difference_corrected: Interval,
    /// 1 − first/second: 0.5 where the first halves the disparity of the second.
    pub reduction: Interval,
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
pub(super) fn degradation(reading: &Reading, language: usize, [full, changed]: [&[f64]; 2], drawn: &[u32]) -> f64 {
    let (mut before, mut after, mut tokens) = (0.0, 0.0, 0);
    for (text, &times) in reading.of_language(language).zip(drawn).filter(|(_, times)| **times > 0) {
        before += f64::from(times) * full[text];
        after += f64::from(times) * changed[text];
        tokens += u64::from(times) * reading.texts[text].scored() as u64;
    }
    metrics::degradation(before, after, tokens)
}

/// Figures over all languages: disparity, mean HR, mean LR, ratio.
const OVER_ALL: usize = 4;
/// Figures of a [`Change`].
const PER_CHANGE: usize = 2;

impl Losses<'_> {
    /// The cost of every set of weights, and the change of disparity from the second to the first of each pair of sets;
    /// a change is none where there is no disparity.
    pub fn measure(
        &self,
        pairs: &[(usize, usize)],
        resamples: usize,
        seed: u64,
    ) -> Result<(Vec<Cost>, Vec<Option<Change>>), AnalysisError> {
        let codes: Vec<String> = self.languages.iter().map(|language| language.code.clone()).collect();
        self.reading.finite(&codes, "full-precision", self.full)?;
        self.changed.iter().try_for_each(|nats| self.reading.finite(&codes, "quantized", nats))?;
        let (languages, units) = (self.languages.len(), self.reading.units);
        let resources: Vec<Resource> = self.languages.iter().map(|language| language.resource).collect();
        let groups = Groups::new(&resources);
        let each = languages + OVER_ALL;
        let statistics = self.changed.len() * each + pairs.len() * PER_CHANGE;
        let resampled = bootstrap(units, statistics, resamples, seed, |drawn, out| {
            let (costs, changes) = out.split_at_mut(self.changed.len() * each);
            for (changed, out) in self.changed.iter().zip(costs.chunks_exact_mut(each)) {
                self.one(changed, drawn, &groups, out);
            }
            for (&(first, second), out) in pairs.iter().zip(changes.chunks_exact_mut(PER_CHANGE)) {
                let [first, second] = [first, second].map(|set| costs[set * each + languages]);
                out[0] = first - second;
                out[1] = 1.0 - first / second;
            }
        });
        let (costs, changes) = resampled.split_at(self.changed.len() * each);
        let known = |interval: Interval| Some(interval).filter(|interval| interval.value.is_finite());
        let bca = |figure: &Resampled| known(figure.bca(LEVEL));
        let cost = |figures: &[Resampled]| Cost {
            degradation: figures[..languages].iter().map(|figure| figure.bca(LEVEL)).collect(),
            disparity: bca(&figures[languages]),
            disparity_corrected: known(figures[languages].corrected(LEVEL)),
            mean_high: bca(&figures[languages + 1]),
            mean_low: bca(&figures[languages + 2]),
            ratio: bca(&figures[languages + 3]),
        };
        let change = |figures: &[Resampled]| {
            let difference_corrected = known(figures[0].corrected(LEVEL))?;
            Some(Change { difference: bca(&figures[0])?, difference_corrected, reduction: bca(&figures[1])? })
        };
        Ok((costs.chunks_exact(each).map(cost).collect(), changes.chunks_exact(PER_CHANGE).map(change).collect()))
    }

    /// D of each language, then the figures over all; NaN for those that the languages do not give.
    fn one(&self, changed: &[f64], drawn: &[u32], groups: &Groups, out: &mut [f64]) {
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
