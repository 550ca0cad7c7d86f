//! Settings of every analysis: those of the page, and any.

use super::small;
use fairbits::{
    arch::walk::ProtectedPart,
    lab::{
        Config, Kind, activation, causes, clipping, dial, gateway, languages, matrix, mitigation, redundancy,
        representation,
        rounding::Rounding,
        screening,
        settings::{Around, Resampling, Texts},
        statistics, sweep, tokens, weights,
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
    model::{card::Card, corpus::CorpusCard},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use ui::{
    chosen::{Chosen, trained},
    sheet::Sheet,
};

/// What each page asks when nothing was changed, of all languages that the model was trained on.
pub fn of_the_page(corpora: &[CorpusCard], card: &Card, layers: usize) -> Vec<Config> {
    let languages = trained(&corpora[0], Some(card)).into_iter().collect();
    let chosen = Chosen::default().with(Texts::KEYS.languages, languages).with(clipping::Config::KEYS.losses, true);
    let asked = |kind: &Kind| chosen.config(*kind, &Around { corpora, layers }).unwrap();
    let whole = |config| match config {
        Config::Statistics(config) => of_twelve().config(config, Vec::new()).unwrap().into(),
        other => other,
    };
    Kind::ALL.iter().map(asked).map(whole).collect()
}

/// Data of the theory's size: twelve languages, three figures with all their digits, and their level.
fn of_twelve() -> Sheet {
    let row = |at: usize| {
        let x = 1.0 / (at as f64 + 3.0);
        format!("l{at:02},{},{},{},{}\n", if at.is_multiple_of(2) { "high" } else { "low" }, x, x * x, x * x * x)
    };
    let csv: String = ["code,level,x,y,z\n".to_string()].into_iter().chain((0..12).map(row)).collect();
    let mut sheet = Sheet::default();
    sheet.take(fairbits::report::csv::read(csv.as_bytes()).unwrap());
    sheet
}

/// Any settings that could be run.
pub fn any_config() -> impl Strategy<Value = Config> {
    let numbers = (1usize..10_000, 100usize..=100_000, any::<u64>());
    let names = ("[A-Za-z0-9_-]{1,20}", vec("[a-z]{3}", 1..60));
    let how = (select(Bits::ALL.to_vec()), select(Rule::ALL.to_vec()), select(Granularity::ALL.to_vec()));
    let shared = (names, numbers, how).prop_map(|((corpus, languages), (units, resamples, seed), how)| {
        let (bits, rule, granularity) = how;
        let texts = Texts { corpus, languages, units };
        (texts, Rounding { bits, rule, granularity }, Resampling { resamples, seed })
    });
    let lists = (
        vec(0usize..=20, 1..20),
        vec(0usize..64, 1..30),
        vec(select(dial::Joint::ALL.to_vec()), 1..4),
        vec(select(Bits::ALL.to_vec()), 1..7),
        vec(select(Rule::ALL.to_vec()), 1..5),
        vec(select(mitigation::Method::ALL.to_vec()), 0..12),
        vec(option::of(select(Bits::ALL.to_vec())), 0..64),
    );
    let rest = (
        select(vec![ProtectedPart::Block, ProtectedPart::Attention, ProtectedPart::Mlp]),
        any::<[bool; 4]>(),
        -1e6..1e6f64,
        any::<u64>(),
    );
    (0..16usize, shared, lists, rest).prop_map(|(kind, shared, lists, (kept, flags, threshold, other_seed))| {
        let (numbers, listed, joints, widths, rules, methods, own) = lists;
        let [first, second, third, _] = flags;
        let (texts, quantizer, draws) = shared;
        let (permutations, granularity, bits) = (draws.resamples, quantizer.granularity, quantizer.bits);
        let reference = texts.languages[0].clone();
        let two = Texts { units: texts.units.max(2), ..texts.clone() };
        match kind {
            0 => languages::Config { texts, quantizer, draws }.into(),
            1 => weights::Config { threshold }.into(),
            2 => clipping::Config { bits, texts, reference, losses: first, draws }.into(),
            3 => activation::Config { texts, quantizer, draws, threshold, permutations }.into(),
            4 => mitigation::Config { texts: two, bits, threshold, methods: once(methods), own, draws }.into(),
            5 => dial::Config {
                texts,
                draws,
                furthest: numbers[0],
                stops: if second { dial::Stops::Every } else { dial::Stops::EverySecond },
                layers: if third { dial::Layers::All } else { dial::Layers::Listed },
                listed,
                channels: 1 + numbers.len(),
                joints: once(joints),
                channel_seed: other_seed,
                flatten: first,
                bits: once(widths),
                rules: once(rules),
                granularity,
                threshold,
                permutations,
            }
            .into(),
            6 => redundancy::Config {
                texts,
                quantizer,
                draws,
                threshold,
                top: 1 + numbers.len(),
                baseline: redundancy::Baseline::ALL[usize::from(first)],
                permutations,
            }
            .into(),
            7 => representation::Config { texts, quantizer, draws, reference, directions: 1 + listed.len() }.into(),
            8 => causes::Config { texts: two, quantizer, draws, threshold, reference, permutations, ..small::causes() }
                .into(),
            9 => fairbits::lab::family::Config { texts, quantizer, draws, permutations, ..small::family() }.into(),
            10 => any_statistics(&numbers, threshold, &draws).into(),
            11 => gateway::Config {
                texts,
                quantizer,
                draws,
                protects: kept,
                rounded_table: first,
                budgets: numbers,
                every: second && third,
                sweeps: second,
                others: third,
            }
            .into(),
            12 => sweep::Config { texts, draws, bits: once(widths), rules: once(rules), granularity }.into(),
            13 => {
                let Texts { corpus, languages, units } = texts;
                tokens::Config { corpus, languages, unit: units, quantizer }.into()
            }
            14 => matrix::Config {
                quantizer,
                layer: listed[0],
                shown: matrix::Shown::ALL[usize::from(first)],
                window: second
                    .then_some(matrix::Window { inputs: (two.units - 1, two.units), outputs: (0, permutations) }),
                ..small::matrix()
            }
            .into(),
            _ => screening::Config {
                texts,
                quantizer,
                draws,
                light: threshold,
                heavy: threshold + 1.0,
                variance: threshold.abs(),
                safe: widths[0],
                permutations,
            }
            .into(),
        }
    })
}

/// Figures in as many columns as fit, with gaps.
fn any_statistics(numbers: &[usize], threshold: f64, draws: &Resampling) -> statistics::Config {
    let value = |at: usize, number: usize| (number % 5 != 4).then(|| threshold * (1 + at * number) as f64);
    let column = |at: usize| statistics::Column {
        name: format!("column {at}"),
        values: numbers.iter().map(|&number| value(at, number)).collect(),
    };
    statistics::Config {
        labels: if draws.seed.is_multiple_of(2) {
            (0..numbers.len()).map(|row| format!("row {row}")).collect()
        } else {
            Vec::new()
        },
        columns: (0..3).map(column).collect(),
        groups: draws.seed.is_multiple_of(3).then(|| statistics::Groups {
            names: ("a".into(), "b".into()),
            rows: numbers.iter().map(|number| (number % 3) as u8).collect(),
        }),
        permutations: draws.resamples,
        draws: draws.clone(),
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
