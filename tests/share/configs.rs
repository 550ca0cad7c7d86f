//! Settings of every analysis: those of the page, and any.

use super::small;
use fairbits::{
    arch::walk::Kept,
    lab::{
        Config, activation, causes, clipping, dial, gateway, languages, matrix, mitigation, redundancy, representation,
        screening, statistics, sweep, weights,
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
    model::{card::Card, corpus::CorpusCard},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use ui::choices::{Choices, trained};

/// What each page asks when nothing was changed, of all languages that the model was trained on.
pub fn of_the_page(corpora: &[CorpusCard], card: &Card, layers: usize) -> Vec<Config> {
    let languages = trained(&corpora[0], Some(card));
    let choices = Choices { languages, ..Choices::default() };
    let with_losses = Choices { losses: true, ..choices.clone() };
    vec![
        choices.config(corpora).unwrap().into(),
        choices.weights().into(),
        with_losses.clipping(corpora).unwrap().into(),
        choices.activation(corpora).unwrap().into(),
        choices.mitigation(corpora, layers).unwrap().into(),
        choices.dial(corpora, layers).unwrap().into(),
        choices.gateway(corpora, layers).unwrap().into(),
        choices.redundancy(corpora, layers).unwrap().into(),
        choices.representation(corpora).unwrap().into(),
        of_twelve(choices.clone()).statistics(Vec::new()).unwrap().into(),
        choices.causes(corpora).unwrap().into(),
        choices.family(corpora).unwrap().into(),
        choices.sweep(corpora).unwrap().into(),
        choices.screening(corpora).unwrap().into(),
        choices.matrix().into(),
        choices.tokens(corpora).unwrap().into(),
    ]
}

/// Data of the theory's size: twelve languages, three figures with all their digits, and their level.
fn of_twelve(mut choices: Choices) -> Choices {
    let row = |at: usize| {
        let x = 1.0 / (at as f64 + 3.0);
        format!("l{at:02},{},{},{},{}\n", if at.is_multiple_of(2) { "high" } else { "low" }, x, x * x, x * x * x)
    };
    let csv: String = ["code,level,x,y,z\n".to_string()].into_iter().chain((0..12).map(row)).collect();
    choices.statistics.take(fairbits::report::csv::read(csv.as_bytes()).unwrap());
    choices
}

/// Any settings that could be run.
pub fn any_config() -> impl Strategy<Value = Config> {
    let numbers = (1usize..10_000, 100usize..=100_000, any::<u64>());
    let names = ("[A-Za-z0-9_-]{1,20}", vec("[a-z]{3}", 1..60));
    let how = (select(Bits::ALL.to_vec()), select(Rule::ALL.to_vec()), select(Granularity::ALL.to_vec()));
    let texts = (names, numbers, how).prop_map(|((corpus, languages), (units, resamples, seed), how)| {
        let (bits, rule, granularity) = how;
        languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed }
    });
    let lists = (
        vec(0usize..=20, 1..20),
        vec(0usize..64, 0..30),
        vec(select(dial::Joint::ALL.to_vec()), 1..4),
        vec(select(Bits::ALL.to_vec()), 1..7),
        vec(select(Rule::ALL.to_vec()), 1..5),
        vec(select(mitigation::Method::ALL.to_vec()), 0..12),
        vec(option::of(select(Bits::ALL.to_vec())), 0..64),
    );
    let rest = (select(vec![Kept::Block, Kept::Attention, Kept::Mlp]), any::<[bool; 4]>(), -1e6..1e6f64, any::<u64>());
    (0..16usize, texts, lists, rest).prop_map(|(kind, texts, lists, (kept, flags, threshold, other_seed))| {
        let (exponents, layers, joints, widths, rules, methods, own) = lists;
        let [first, second, third, _] = flags;
        let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = texts.clone();
        let permutations = resamples;
        match kind {
            0 => texts.into(),
            1 => weights::Config { threshold }.into(),
            2 => {
                let (reference, losses) = (languages[0].clone(), first);
                clipping::Config { bits, corpus, languages, units, reference, losses, resamples, seed }.into()
            }
            3 => activation::Config {
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
            }
            .into(),
            4 => {
                let units = units.max(2);
                mitigation::Config { corpus, languages, units, bits, threshold, methods, own, resamples, seed }.into()
            }
            5 => dial::Config {
                corpus,
                languages,
                units,
                channels: 1 + exponents.len(),
                exponents,
                layers,
                joints,
                channel_seed: other_seed,
                flatten: first,
                bits: widths,
                rules,
                granularity,
                threshold,
                resamples,
                permutations,
                seed,
            }
            .into(),
            6 => redundancy::Config {
                threshold,
                top: 1 + exponents.len(),
                baseline: redundancy::Baseline::ALL[usize::from(first)],
                ..small::redundancy(texts)
            }
            .into(),
            7 => representation::Config { directions: 1 + layers.len(), ..small::representation(texts) }.into(),
            8 => causes::Config { threshold, units: units.max(2), ..small::causes(texts) }.into(),
            9 => small::family(texts).into(),
            10 => any_statistics(&exponents, threshold, resamples, seed).into(),
            11 => gateway::Config {
                kept,
                table: first,
                budgets: exponents,
                sweeps: second,
                others: third,
                ..small::gateway(texts)
            }
            .into(),
            13 => small::tokens(texts).into(),
            14 => matrix::Config {
                layer: layers.first().copied().unwrap_or(0),
                shown: matrix::Shown::ALL[usize::from(first)],
                window: second.then_some(matrix::Window { inputs: (units - 1, units), outputs: (0, resamples) }),
                ..small::matrix(&texts)
            }
            .into(),
            12 => sweep::Config { bits: once(widths), rules: once(rules), ..small::sweep(texts) }.into(),
            _ => screening::Config {
                light: threshold,
                heavy: threshold + 1.0,
                variance: threshold.abs(),
                safe: widths[0],
                permutations,
                ..small::screening(texts)
            }
            .into(),
        }
    })
}

/// Figures in as many columns as fit, with gaps.
fn any_statistics(numbers: &[usize], threshold: f64, resamples: usize, seed: u64) -> statistics::Config {
    let value = |at: usize, number: usize| (number % 5 != 4).then(|| threshold * (1 + at * number) as f64);
    let column = |at: usize| statistics::Column {
        name: format!("column {at}"),
        values: numbers.iter().map(|&number| value(at, number)).collect(),
    };
    statistics::Config {
        labels: if seed.is_multiple_of(2) {
            (0..numbers.len()).map(|row| format!("row {row}")).collect()
        } else {
            Vec::new()
        },
        columns: (0..3).map(column).collect(),
        groups: seed.is_multiple_of(3).then(|| statistics::Groups {
            names: ("a".into(), "b".into()),
            rows: numbers.iter().map(|number| (number % 3) as u8).collect(),
        }),
        resamples,
        permutations: resamples,
        seed,
        ..small::statistics()
    }
}

/// What is there twice is left out the second time.
fn once<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for one in all {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}
