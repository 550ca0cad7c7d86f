//! A small run of every analysis: these tests and those in the browser share it.

use fairbits::{
    analysis::{Config, activation, clipping, dial, gateway, languages, mitigation, screening, sweep, weights},
    arch::walk::Kept,
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
};

fn texts() -> languages::Config {
    languages::Config {
        corpus: "udhr".into(),
        languages: ["eng", "kor", "fin"].map(String::from).to_vec(),
        units: 2,
        bits: Bits::new(3).unwrap(),
        rule: Rule::Absmax,
        granularity: Granularity::Tensor,
        resamples: 100,
        seed: 1,
    }
}

/// Every analysis, on three languages and two units each.
pub fn configs() -> Vec<Config> {
    let texts = texts();
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts.clone();
    let of = || (corpus.clone(), languages.clone());
    let ((corpus, languages), threshold, permutations) = (of(), 5.0, 100);
    let activation = activation::Config {
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
    };
    let (corpus, languages) = of();
    let clipping =
        clipping::Config { bits, corpus, languages, units, reference: "eng".into(), losses: true, resamples, seed };
    let (corpus, languages) = of();
    let methods = vec![mitigation::Method::Absmax, mitigation::Method::Channel, mitigation::Method::Detected];
    let mitigation =
        mitigation::Config { corpus, languages, units, bits, threshold, methods, own: Vec::new(), resamples, seed };
    let (corpus, languages) = of();
    let dial = dial::Config {
        corpus,
        languages,
        units,
        exponents: vec![0, 3],
        channels: 1,
        layers: vec![0, 2],
        joints: vec![dial::Joint::AttentionNorm],
        channel_seed: 1,
        flatten: false,
        bits: vec![bits],
        rules: vec![rule],
        granularity,
        threshold,
        resamples,
        permutations,
        seed,
    };
    vec![
        texts.clone().into(),
        weights::Config { threshold }.into(),
        clipping.into(),
        activation.into(),
        mitigation.into(),
        dial.into(),
        gateway(texts.clone()).into(),
        sweep(texts.clone()).into(),
        screening(texts).into(),
    ]
}

/// Two widths under one rule.
pub fn sweep(texts: languages::Config) -> sweep::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
    let (bits, rules) = (vec![bits, Bits::ALL[6]], vec![rule]);
    sweep::Config { corpus, languages, units, bits, rules, granularity, resamples, seed }
}

/// By the seed's bounds.
pub fn screening(texts: languages::Config) -> screening::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
    let (light, heavy, variance, safe, permutations) = (5.0, 50.0, 0.001, Bits::ALL[6], 100);
    screening::Config {
        corpus,
        languages,
        units,
        bits,
        rule,
        granularity,
        light,
        heavy,
        variance,
        safe,
        resamples,
        permutations,
        seed,
    }
}

/// The search over every layer alone.
pub fn gateway(texts: languages::Config) -> gateway::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
    let (kept, table, budgets, sweeps, others) = (Kept::Block, false, vec![1], false, false);
    gateway::Config {
        corpus,
        languages,
        units,
        bits,
        rule,
        granularity,
        kept,
        table,
        budgets,
        sweeps,
        others,
        resamples,
        seed,
    }
}
