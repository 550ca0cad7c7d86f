//! `math` against numpy and scipy (`fixtures/math_golden.py`), against brute force, and its laws across modules.

use std::collections::BTreeMap;

use engine::math::clipping::{Rule, aciq_gaussian, aciq_laplace, alpha, mse};
use engine::math::correlation::{Draws, correlate};
use engine::math::jackknife_t::{Jackknife, Scale, between};
use engine::math::moments::Summary;
use engine::math::quantizer::{Bits, Granularity, Grouping, Layout, Quantizer, Uniform, relative_mse};
use engine::math::rng::Rng as Source;
use engine::math::statistics::bca;
use engine::math::{fisher, metrics, normal, student};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    samples: BTreeMap<String, Sample>,
    aciq_gaussian: Vec<f64>,
    aciq_laplace: Vec<f64>,
    true_gaussian: Vec<f64>,
    cdf: Vec<(f64, f64)>,
    quantile: Vec<(f64, f64)>,
    bca: Bca,
    correlation: BTreeMap<String, Pairs>,
    metrics: Metrics,
}

#[derive(Deserialize)]
struct Pairs {
    x: Vec<f64>,
    y: Vec<f64>,
    pearson: Coefficient,
    spearman: Coefficient,
    /// Ends of r's BCa interval; not for pairs with ties, whose resamples are often constant.
    interval: Option<(f64, f64)>,
}

#[derive(Deserialize)]
struct Coefficient {
    value: f64,
    p: f64,
}

#[derive(Deserialize)]
struct Sample {
    values: Vec<f32>,
    mean: f64,
    sigma: f64,
    kurtosis: f64,
    /// bits, α, clipping part, rounding part
    mse: Vec<(u8, f32, f64, f64)>,
    optimum: BTreeMap<u8, Optimum>,
}

#[derive(Deserialize)]
struct Optimum {
    mse: f64,
}

#[derive(Deserialize)]
struct Bca {
    x: Vec<f64>,
    y: Vec<f64>,
    /// low, high, standard error
    intervals: BTreeMap<String, (f64, f64, f64)>,
}

#[derive(Deserialize)]
struct Metrics {
    tokens: u64,
    bytes: u64,
    nll_full: f64,
    nll_quantized: f64,
    perplexity: f64,
    degradation: f64,
    bits_per_byte: f64,
    delta: f64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../tests/fixtures/math.json")).expect("the fixture is what its script writes")
}

fn bits(b: u8) -> Bits {
    Bits::new(b).expect("a width from 2 to 8")
}

fn loss(values: &[f32], alpha: f32, levels: u32) -> f64 {
    let (clip, round) = mse(values, alpha, levels);
    clip + round
}

#[track_caller]
fn close(ours: f64, theirs: f64, relative: f64) {
    assert!((ours - theirs).abs() <= relative * theirs.abs().max(1e-300), "{ours} is not {theirs}");
}

#[test]
fn moments_are_scipys() {
    for (name, sample) in golden().samples {
        let ours = Summary::of(&sample.values);
        assert!((ours.mean - sample.mean).abs() <= 1e-13 * sample.sigma, "{name}");
        close(ours.sigma, sample.sigma, 1e-13);
        assert!((ours.kurtosis - sample.kurtosis).abs() <= 1e-11 * (3.0 + sample.kurtosis.abs()), "{name}");
    }
}

#[test]
fn loss_is_numpys() {
    for sample in golden().samples.values() {
        for &(b, alpha, clip, round) in &sample.mse {
            let ours = mse(&sample.values, alpha, bits(b).levels());
            assert!(
                (ours.0 - clip).abs() <= 1e-12 * (clip + round) && (ours.1 - round).abs() <= 1e-12 * (clip + round)
            );
        }
    }
}

#[test]
fn aciq_optima_are_scipys() {
    let golden = golden();
    for (i, width) in Bits::ALL.into_iter().enumerate() {
        // scipy minimises the loss itself, which is flat there: its argument is good to the root of its precision.
        close(aciq_gaussian(width), golden.aciq_gaussian[i], 1e-6);
        close(aciq_laplace(width), golden.aciq_laplace[i], 1e-6);
    }
}

/// The optimum's loss is at most what a grid of 20,000 thresholds with local refinement finds.
#[test]
fn the_optimum_is_at_least_brute_forces() {
    for (name, sample) in golden().samples {
        for (b, theirs) in sample.optimum {
            let levels = bits(b).levels();
            let best = alpha(Rule::Optimal, &sample.values, bits(b));
            let ours = loss(&sample.values, best, levels);
            let power = sample.values.iter().map(|&x| x as f64 * x as f64).sum::<f64>() / sample.values.len() as f64;
            // An α of f32 can miss a loss of nothing by 2^-24 of the values, squared.
            assert!(ours <= theirs.mse * (1.0 + 1e-9) + 1e-14 * power, "{name} at {b} bits: {ours} > {}", theirs.mse);
        }
    }
}

#[test]
fn the_optimum_of_many_gaussian_values_is_the_integrals() {
    let mut source = Source::new(1);
    let values: Vec<f32> = (0..400_000).map(|_| source.normal() as f32).collect();
    for (b, expected) in [2u8, 3, 4].into_iter().zip(golden().true_gaussian) {
        let found = alpha(Rule::Optimal, &values, bits(b)) as f64;
        assert!((found - expected).abs() < 0.02, "{found} at {b} bits, the integral says {expected}");
    }
}

#[test]
fn the_normal_distribution_is_scipys() {
    let golden = golden();
    for (x, share) in golden.cdf {
        close(normal::cdf(x), share, 1e-14);
    }
    for (share, x) in golden.quantile {
        assert!((normal::quantile(share) - x).abs() <= 2e-15 * x.abs().max(1.0), "{share}");
    }
}

#[test]
fn correlations_are_scipys() {
    for (name, pairs) in golden().correlation {
        let draws = Draws { resamples: 50_000, permutations: 40_000, level: 0.95, seed: 3 };
        let ours = correlate(&pairs.x, &pairs.y, &draws).expect("the pairs vary");
        close(ours.pearson.value, pairs.pearson.value, 1e-12);
        close(ours.spearman.value, pairs.spearman.value, 1e-12);
        // Both p are drawn: 20,000 and 40,000 shuffles are within 0.006 of each other in all but one of 10,000 seeds.
        for (ours, theirs) in [(ours.pearson_p, pairs.pearson.p), (ours.spearman_p, pairs.spearman.p)] {
            assert!((ours - theirs).abs() < 0.006, "{name}: p = {ours} is not {theirs}");
        }
        if let Some((low, high)) = pairs.interval {
            let (drawn_low, drawn_high) = (ours.pearson.low, ours.pearson.high);
            assert!((drawn_low - low).abs() < 0.01 && (drawn_high - high).abs() < 0.01, "{name}: {:?}", ours.pearson);
        }
    }
}

#[test]
fn bca_ends_are_scipys() {
    let Bca { x, y, intervals } = golden().bca;
    let ours = bca(x.len(), 3, 100_000, 0.95, 3, |drawn, out| {
        let [mut n, mut sum_x, mut sum_y, mut square] = [0.0; 4];
        for (i, &d) in drawn.iter().enumerate() {
            let d = d as f64;
            n += d;
            sum_x += d * x[i];
            sum_y += d * y[i];
            square += d * x[i] * x[i];
        }
        out[0] = sum_x / n;
        out[1] = sum_y / sum_x;
        out[2] = square / n - (sum_x / n) * (sum_x / n);
    });
    for (name, ours) in ["mean", "ratio", "variance"].into_iter().zip(ours) {
        let (low, high, error) = intervals[name];
        // A 2.5% quantile of 100,000 resamples is good to about 0.01 standard errors; further out in a skewed tail, 0.04.
        assert!((ours.low - low).abs() < 0.04 * error, "{name}: low {} and {low}", ours.low);
        assert!((ours.high - high).abs() < 0.04 * error, "{name}: high {} and {high}", ours.high);
    }
}

#[test]
fn metrics_are_numpys() {
    let m = golden().metrics;
    close(metrics::perplexity(m.nll_full, m.tokens), m.perplexity, 1e-13);
    close(metrics::degradation(m.nll_full, m.nll_quantized, m.tokens), m.degradation, 1e-12);
    close(metrics::bits_per_byte(m.nll_full, m.bytes), m.bits_per_byte, 1e-14);
    close(metrics::delta_bits_per_byte(m.nll_full, m.nll_quantized, m.bytes), m.delta, 1e-13);
}

#[derive(Deserialize)]
struct FewTexts {
    t: Vec<(f64, f64, f64)>,
    f: Vec<(f64, f64, f64, f64)>,
    noncentral: Vec<(f64, f64, f64, f64, f64)>,
    tokens: Vec<Vec<f64>>,
    lost: Vec<Vec<f64>>,
    degradation: Vec<(f64, f64)>,
    between: Spread,
}

#[derive(Deserialize)]
struct Spread {
    tau: f64,
    low: f64,
    high: f64,
    p: f64,
}

/// Student's t, Fisher's F, the jackknife's intervals of D and the spread between languages (`fixtures/jackknife_golden.py`).
#[test]
fn intervals_over_few_texts_are_scipys() {
    let golden: FewTexts = serde_json::from_str(include_str!("../../tests/fixtures/jackknife.json")).unwrap();
    for (p, df, theirs) in golden.t {
        close(student::quantile(p, df), theirs, 1e-9);
    }
    for (f, between, within, theirs) in golden.f {
        close(fisher::above(f, between, within), theirs, 1e-9);
    }
    for (f, between, within, lambda, theirs) in golden.noncentral {
        close(fisher::noncentral_cdf(f, between, within, lambda), theirs, 1e-9);
    }
    let texts = golden.tokens[0].len();
    let degradation = |tokens: &[f64], lost: &[f64], out: Option<usize>| {
        let sum = |of: &[f64]| of.iter().enumerate().filter(|(at, _)| Some(*at) != out).map(|(_, x)| x).sum::<f64>();
        (sum(lost) / sum(tokens)).exp_m1()
    };
    let series = golden.tokens.iter().zip(&golden.lost);
    let series: Vec<Vec<f64>> = series
        .map(|(tokens, lost)| {
            let all = std::iter::once(None).chain((0..texts).map(Some));
            all.map(|out| degradation(tokens, lost, out)).collect()
        })
        .collect();
    for (series, (low, high)) in series.iter().zip(golden.degradation) {
        let ours = Jackknife::new(texts, 0.95).interval(series, Scale::Growth);
        close(ours.low, low, 1e-9);
        close(ours.high, high, 1e-9);
    }
    let ours = between(&series, Scale::Growth, 0.95).unwrap();
    let theirs = golden.between;
    for (ours, theirs) in
        [(ours.tau.value, theirs.tau), (ours.tau.low, theirs.low), (ours.tau.high, theirs.high), (ours.p, theirs.p)]
    {
        close(ours, theirs, 1e-9);
    }
}

/// Least loss over every assignment of codes that some step gives: all pieces of the loss, each at its own best step.
fn every_piece(values: &[f32], levels: u32) -> f64 {
    let magnitudes: Vec<f64> = values.iter().map(|x| x.abs() as f64).collect();
    let power: f64 = magnitudes.iter().map(|x| x * x).sum();
    let mut edges: Vec<(f64, usize, u32)> = Vec::new();
    for (i, x) in magnitudes.iter().enumerate().filter(|(_, x)| **x > 0.0) {
        edges.extend((0..levels).map(|code| (x / (code as f64 + 0.5), i, code)));
    }
    edges.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut a, mut c, mut gain) = (0.0, 0.0, 0.0f64);
    for (_, i, code) in edges {
        a += magnitudes[i];
        c += (2 * code + 1) as f64;
        gain = gain.max(a * a / c);
    }
    (power - gain).max(0.0) / values.len() as f64
}

fn kind_of_values(kind: u8, seed: u64, n: usize) -> Vec<f32> {
    let mut source = Source::new(seed);
    (0..n)
        .map(|_| {
            let x = source.normal();
            match kind {
                0 => x as f32,
                1 => (-x.signum() * libm::log(1.0 - source.uniform()) * 0.01) as f32,
                2 => (x * x * x * x * x) as f32,
                3 => source.uniform() as f32 - 0.5,
                4 => {
                    if source.below(10) == 0 {
                        x as f32
                    } else {
                        0.0
                    }
                }
                5 => source.below(9) as f32 - 4.0,
                6 => 0.37,
                _ => (x * 1e-30) as f32,
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The optimum is the least of all pieces, in both ways of looking at values (few and many).
    #[test]
    fn the_optimum_is_the_least_of_all_pieces(kind in 0u8..8, seed: u64, n in 1usize..700, b in 2u8..=8) {
        let values = kind_of_values(kind, seed, n);
        let levels = bits(b).levels();
        let ours = loss(&values, alpha(Rule::Optimal, &values, bits(b)), levels);
        let power = values.iter().map(|&x| x as f64 * x as f64).sum::<f64>() / n as f64;
        let least = every_piece(&values, levels);
        prop_assert!(ours <= least * (1.0 + 1e-9) + 1e-14 * power, "{} > {}", ours, least);
        prop_assert!(ours >= least * (1.0 - 1e-9) - 1e-14 * power, "{} < {}: the search in the test is wrong", ours, least);
    }

    /// No rule beats the optimum.
    #[test]
    fn no_rule_beats_the_optimum(kind in 0u8..8, seed: u64, n in 1usize..300, b in 2u8..=8) {
        let values = kind_of_values(kind, seed, n);
        let levels = bits(b).levels();
        let best = loss(&values, alpha(Rule::Optimal, &values, bits(b)), levels);
        let power = values.iter().map(|&x| x as f64 * x as f64).sum::<f64>() / n as f64;
        for rule in Rule::ALL {
            let other = loss(&values, alpha(rule, &values, bits(b)), levels);
            prop_assert!(best <= other * (1.0 + 1e-9) + 1e-14 * power, "{:?}: {} < {}", rule, other, best);
        }
    }

    /// Finer groups never lose: group ≤ channel ≤ tensor, on the f32 grid as it is packed.
    #[test]
    fn finer_is_never_worse(kind in 0u8..5, seed: u64, k in 1usize..140, n in 1usize..5, transposed: bool, b in 2u8..=8) {
        let layout = Layout { k, n, transposed };
        let values = kind_of_values(kind, seed, k * n);
        let error = |granularity| {
            let grids = Uniform { bits: bits(b), granularity, rule: Rule::Optimal };
            let alphas = grids.find(&values, layout);
            assert_eq!(alphas.len(), Grouping::new(layout, granularity).count());
            relative_mse(&values, &grids.rounded(&values, layout, &alphas))
        };
        let errors = Granularity::ALL.map(error);
        for pair in errors.windows(2) {
            // Steps and values of f32 move each error by some 2^-24 of a value: 1e-5 of an 8-bit cell.
            prop_assert!(pair[1] <= pair[0] * (1.0 + 2e-5) + 1e-13, "{:?}", errors);
        }
    }
}
