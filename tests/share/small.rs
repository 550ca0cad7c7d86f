//! A small run of every analysis: these tests and those in the browser share it.

use fairbits::{
    arch::walk::Kept,
    lab::{
        Config, activation, causes, clipping, dial, family, gateway, languages, matrix, mitigation, redundancy,
        representation, screening, statistics, sweep, tokens, weights,
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
        scm::Scm,
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
        redundancy(texts.clone()).into(),
        representation(texts.clone()).into(),
        statistics().into(),
        causes(texts.clone()).into(),
        family(texts.clone()).into(),
        sweep(texts.clone()).into(),
        screening(texts.clone()).into(),
        matrix(&texts).into(),
        tokens(texts).into(),
    ]
}

/// A window of a matrix.
pub fn matrix(texts: &languages::Config) -> matrix::Config {
    let languages::Config { bits, rule, granularity, .. } = *texts;
    let window = Some(matrix::Window { inputs: (8, 40), outputs: (0, 16) });
    matrix::Config {
        layer: 1,
        part: matrix::Part::Down,
        bits,
        rule,
        granularity,
        shown: matrix::Shown::Furthest,
        window,
    }
}

/// The last of the units.
pub fn tokens(texts: languages::Config) -> tokens::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, .. } = texts;
    tokens::Config { corpus, languages, unit: units, bits, rule, granularity }
}

/// Two layers left out.
pub fn redundancy(texts: languages::Config) -> redundancy::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
    let (threshold, top, baseline, permutations) = (5.0, 2, redundancy::Baseline::Unigram, 100);
    redundancy::Config {
        corpus,
        languages,
        units,
        bits,
        rule,
        granularity,
        threshold,
        top,
        baseline,
        resamples,
        permutations,
        seed,
    }
}

/// Against the first language.
pub fn representation(texts: languages::Config) -> representation::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
    let (reference, directions) = (languages[0].clone(), 4);
    representation::Config { corpus, languages, units, bits, rule, granularity, reference, directions, resamples, seed }
}

/// Aligned with English.
pub fn causes(texts: languages::Config) -> causes::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
    causes::Config {
        corpus,
        reference: languages[0].clone(),
        languages,
        units,
        quality: causes::Quality::BytesPerToken,
        bits,
        rule,
        granularity,
        threshold: 5.0,
        scm: Scm::SEED,
        resamples,
        permutations: resamples,
        seed,
    }
}

/// Models that are there in any case.
pub fn family(texts: languages::Config) -> family::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
    family::Config {
        models: ["skew-skew", "skew-bal", "skew-skew", "bal-bal"].map(String::from),
        corpus,
        languages,
        units,
        bits,
        rule,
        granularity,
        resamples,
        permutations: resamples,
        seed,
    }
}

/// Three columns of figures and two groups of rows.
pub fn statistics() -> statistics::Config {
    let column =
        |name: &str, values: [f64; 6]| statistics::Column { name: name.into(), values: values.map(Some).to_vec() };
    statistics::Config {
        family: "small".into(),
        labels: ["eng", "kor", "fin", "deu", "rus", "ell"].map(String::from).to_vec(),
        columns: vec![
            column("κ_eff", [1.5, 2.25, 1.75, 3.0, 2.5, 2.0]),
            column("D", [0.1, 0.35, 0.15, 0.3, 0.4, 0.2]),
            column("bytes", [9.0, 2.0, 3.0, 8.0, 7.0, 4.0]),
        ],
        target: Some(1),
        given: vec![2],
        groups: Some(statistics::Groups { names: ("low".into(), "high".into()), rows: vec![2, 1, 1, 2, 2, 1] }),
        earlier: vec![statistics::Earlier { name: "before".into(), p: 0.03 }],
        alpha: 0.05,
        rho: 0.7,
        pairs: 12,
        wanted: 0.8,
        resamples: 100,
        permutations: 100,
        seed: 1,
    }
}

/// Two widths under one rule.
pub fn sweep(texts: languages::Config) -> sweep::Config {
    let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts;
    let (bits, rules) = (vec![bits, Bits::ALL[6]], vec![rule]);
    sweep::Config { corpus, languages, units, bits, rules, granularity, resamples, seed }
}

/// By the theory's bounds.
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
