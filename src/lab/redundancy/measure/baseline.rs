//! The loss of a reader that has no state: what is left of H(y) once the model's information is gone.

use std::collections::BTreeMap;

use crate::arch::spec::Spec;
use crate::lab::{plan::Text, redundancy::Baseline, sample::Reading};

/// Tokens of a text that are scored.
fn scored<'a>(text: &'a Text, spec: &Spec) -> impl Iterator<Item = u32> + use<'a> {
    let places = spec.scoring.places(text.tokens.len(), spec.context);
    places.into_iter().flatten().map(|place| text.tokens[place])
}

/// Nats of each text. A text is never counted in what it is measured with.
pub fn nats(baseline: Baseline, reading: &Reading, spec: &Spec) -> Vec<f64> {
    let vocabulary = spec.vocabulary as f64;
    if baseline == Baseline::Uniform {
        return reading.texts.iter().map(|text| text.scored as f64 * libm::log(vocabulary)).collect();
    }
    let mut all = Vec::with_capacity(reading.texts.len());
    for language in reading.texts.chunks(reading.units.max(1)) {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        language.iter().flat_map(|text| scored(text, spec)).for_each(|token| *counts.entry(token).or_default() += 1);
        let whole: u64 = counts.values().sum();
        for text in language {
            let mut own: BTreeMap<u32, u64> = BTreeMap::new();
            scored(text, spec).for_each(|token| *own.entry(token).or_default() += 1);
            let others = (whole - own.values().sum::<u64>()) as f64 + vocabulary;
            let nats = own.iter().map(|(token, &times)| {
                let elsewhere = (counts[token] - times) as f64 + 1.0;
                times as f64 * libm::log(others / elsewhere)
            });
            all.push(nats.sum());
        }
    }
    all
}
