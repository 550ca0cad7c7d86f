//! A small run of every analysis: these tests and those in the browser share it.

use fairbits::{
    lab::{
        Config, activation, causes, clipping, dial, family, gateway, languages, matrix, mitigation, redundancy,
        representation,
        rounding::Rounding,
        screening,
        settings::{Resampling, Texts},
        statistics, sweep, tokens, weights,
    },
    math::{clipping::Rule, quantizer::Bits},
};

/// Three languages and two units each.
pub fn texts() -> Texts {
    Texts { corpus: "udhr".into(), languages: ["eng", "kor", "fin"].map(String::from).to_vec(), units: 2 }
}

/// Few draws.
pub fn draws() -> Resampling {
    Resampling { resamples: 100, seed: 1 }
}

const PERMUTATIONS: usize = 100;

/// Every analysis, on three languages and two units each.
pub fn configs() -> Vec<Config> {
    let permutations = PERMUTATIONS;
    let methods = vec![mitigation::Method::Absmax, mitigation::Method::Channel, mitigation::Method::Detected];
    let dial = dial::Config {
        furthest: 3,
        stops: dial::Stops::Ends,
        layers: dial::Layers::Listed,
        listed: vec![0, 2],
        joints: vec![dial::Joint::AttentionNorm],
        flatten: false,
        bits: vec![Rounding::default().bits],
        rules: vec![Rule::Absmax],
        permutations,
        texts: texts(),
        draws: draws(),
        ..Default::default()
    };
    vec![
        languages().into(),
        weights::Config::default().into(),
        clipping::Config { losses: true, texts: texts(), draws: draws(), ..Default::default() }.into(),
        activation::Config { permutations, texts: texts(), draws: draws(), ..Default::default() }.into(),
        mitigation::Config { methods, texts: texts(), draws: draws(), ..Default::default() }.into(),
        dial.into(),
        gateway().into(),
        redundancy().into(),
        representation().into(),
        statistics().into(),
        causes().into(),
        family().into(),
        sweep().into(),
        screening().into(),
        matrix().into(),
        tokens().into(),
    ]
}

/// In full precision and at three bits.
pub fn languages() -> languages::Config {
    languages::Config { texts: texts(), draws: draws(), ..Default::default() }
}

/// A window of a matrix.
pub fn matrix() -> matrix::Config {
    let window = Some(matrix::Window { inputs: (8, 40), outputs: (0, 16) });
    matrix::Config { layer: 1, part: matrix::Part::Down, window, ..Default::default() }
}

/// The last of the units.
pub fn tokens() -> tokens::Config {
    let Texts { corpus, languages, units } = texts();
    tokens::Config { corpus, languages, unit: units, ..Default::default() }
}

/// Two layers left out.
pub fn redundancy() -> redundancy::Config {
    redundancy::Config { top: 2, permutations: PERMUTATIONS, texts: texts(), draws: draws(), ..Default::default() }
}

/// Against the first language.
pub fn representation() -> representation::Config {
    representation::Config { directions: 4, texts: texts(), draws: draws(), ..Default::default() }
}

/// Aligned with English.
pub fn causes() -> causes::Config {
    let quality = causes::Quality::BytesPerToken;
    causes::Config { quality, permutations: PERMUTATIONS, texts: texts(), draws: draws(), ..Default::default() }
}

/// Models that are there in any case.
pub fn family() -> family::Config {
    let models = ["skew-skew", "skew-bal", "skew-skew", "bal-bal"].map(String::from);
    family::Config { models, permutations: PERMUTATIONS, texts: texts(), draws: draws(), ..Default::default() }
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
        permutations: PERMUTATIONS,
        draws: draws(),
        ..Default::default()
    }
}

/// Two widths under one rule.
pub fn sweep() -> sweep::Config {
    let (bits, rules) = (vec![Rounding::default().bits, Bits::ALL[6]], vec![Rule::Absmax]);
    sweep::Config { bits, rules, texts: texts(), draws: draws(), ..Default::default() }
}

/// By the theory's bounds.
pub fn screening() -> screening::Config {
    screening::Config { permutations: PERMUTATIONS, texts: texts(), draws: draws(), ..Default::default() }
}

/// The search over every layer alone.
pub fn gateway() -> gateway::Config {
    let (budgets, sweeps, others) = (vec![1], false, false);
    gateway::Config { budgets, sweeps, others, texts: texts(), draws: draws(), ..Default::default() }
}
