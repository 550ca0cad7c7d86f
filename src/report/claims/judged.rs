//! The verdict of each report on each claim that it speaks of.

use super::{Interval, Judged, Ruling, format, words};
use crate::{
    analysis::{
        Report,
        activation::{self, Pair},
        clipping, dial, gateway,
        lab::Step,
        language_clipping,
        mitigation::{self, Method},
    },
    math::{correlation::Correlation, metrics, statistics::bca},
};

/// T2: below this a language's own threshold changes the error of its weights too little to matter.
const MATERIAL: f64 = 0.01;
/// T2b: proportional figures have r = 1; half of the variance explained is the least that deserves the word.
const PROPORTIONAL: f64 = 0.7;
/// T2c: seed 002's constants, for 4 bits.
const SEED_FIT: (u8, f64, f64) = (4, 2.5, 0.3);
/// K3: seed 002's constant.
const K3: f64 = 0.009;
/// K4: seed 004's constant, and the factor by which it allows itself to be wrong.
const K4: (f64, f64) = (0.01, 2.0);
/// P2: half of the promised 50%; a cut that is surely smaller is not "about half".
const QUARTER: f64 = 0.25;
/// P3: seed 004's bound.
const P3: f64 = 0.5;
/// Level of intervals that are made here, over weight matrices.
const LEVEL: f64 = 0.95;

/// A ruling with its figures and its rule.
type Found = (Ruling, String, String);

/// What a report says of a claim.
pub(super) fn of(id: &str, report: &Report) -> Vec<Judged> {
    let one = |found: Found| vec![(String::new(), found)];
    let found: Vec<(String, Found)> = match (id, report) {
        ("T2", Report::Clipping(report)) => one(depends_on_language(report)),
        ("T2b", Report::Clipping(report)) => one(wrong_threshold(report)),
        ("T2c", Report::Clipping(report)) => one(fit(report)),
        ("T2d", Report::Mitigation(report)) => strategies(report),
        ("P2", Report::Mitigation(report)) => one(eight_bits(report)),
        ("F1", Report::Mitigation(report)) => one(score(report)),
        (id, Report::Activation(report)) => usage(id, report),
        (id, Report::Dial(report)) => dialled(id, report),
        (id, Report::Gateway(report)) => searched(id, report),
        _ => Vec::new(),
    };
    let kind = report.kind();
    found.into_iter().map(|(under, (ruling, measured, rule))| Judged { kind, under, ruling, measured, rule }).collect()
}

fn undecided(why: &str, rule: &str) -> Found {
    (Ruling::Undecided, why.into(), rule.into())
}

/// Over matrices: by how much the error at the reference's threshold exceeds that at the language's own.
fn depends_on_language(report: &clipping::Report) -> Found {
    let rule = "The excess of the squared error at the reference language's α*/σ over that at the language's own, as a share, \
                mean over languages; interval over matrices. Supported if it is surely above 1%, not supported if it is \
                surely below.";
    let others: Vec<_> = report.languages.iter().filter(|of| of.code != report.config.reference).collect();
    if others.is_empty() || report.tensors.len() < 2 {
        return undecided("The run looked at fewer than two languages.", rule);
    }
    let excess: Vec<f64> = (0..report.tensors.len())
        .map(|tensor| {
            let share = |of: &&language_clipping::Language| {
                let of = &of.tensors[tensor];
                if of.error > 0.0 { of.error_at_reference_shape / of.error - 1.0 } else { 0.0 }
            };
            metrics::mean(&others.iter().map(share).collect::<Vec<f64>>()).unwrap_or(0.0)
        })
        .collect();
    let mean = bca(excess.len(), 1, report.config.resamples, LEVEL, report.config.seed, |drawn, out| {
        let total: f64 = drawn.iter().zip(&excess).map(|(&times, excess)| f64::from(times) * excess).sum();
        out[0] = total / drawn.iter().sum::<u32>().max(1) as f64;
    })[0];
    let measured = format!(
        "Clipped where it is best for {}, a language's weights have {} more squared error than at their own best, mean over {} and {}.",
        report.config.reference,
        shares(&mean),
        format::counted(others.len() as u64, "language"),
        words::counted_step(Step::Tensors, excess.len())
    );
    (Ruling::above(&mean, MATERIAL), measured, rule.into())
}

/// `1.2% [0.9%, 1.5%]`.
fn shares(of: &Interval) -> String {
    format!("{} [{}, {}]", format::percent(of.value), format::percent(of.low), format::percent(of.high))
}

fn wrong_threshold(report: &clipping::Report) -> Found {
    let rule = "Supported if the interval of r between (α_ref − α*)² and the excess error lies above 0.7, not supported if it \
                lies below.";
    match &report.wrong_threshold {
        Some(of) => (
            Ruling::above(&of.pearson, PROPORTIONAL),
            correlation("r", of, "pairs of matrix and language"),
            rule.into(),
        ),
        None => undecided("The run looked at fewer than two languages.", rule),
    }
}

fn correlation(name: &str, of: &Correlation, over: &str) -> String {
    format!("{name} = {}, n = {} {over}; ρ = {}.", format::interval(&of.pearson), of.n, format::interval(&of.spearman))
}

fn fit(report: &clipping::Report) -> Found {
    let (bits, c, d) = SEED_FIT;
    let rule = "At 4 bits: supported if the intervals of c and d hold the seed's 2.5 and 0.3, not supported if one of them does \
                not. At other widths the seed gives no figures: supported if d is surely above 0, not supported if it is surely not.";
    let Some(of) = &report.fit else { return undecided("All matrices have the same κ.", rule) };
    let measured = format!(
        "c = {}, d = {} at {} bits; residuals of {} (the seed's constants: {}) in units of σ.",
        format::interval(&of.c),
        format::interval(&of.d),
        report.config.bits.get(),
        format::small(of.rms),
        format::small(of.seed_rms)
    );
    let holds = |of: &Interval, figure: f64| of.low <= figure && figure <= of.high;
    let ruling = if report.config.bits.get() != bits {
        Ruling::above(&of.d, 0.0)
    } else if holds(&of.c, c) && holds(&of.d, d) {
        Ruling::Supported
    } else {
        Ruling::NotSupported
    };
    (ruling, measured, rule.into())
}

fn row(report: &mitigation::Report, method: Method) -> Option<&mitigation::Row> {
    report.rows.iter().find(|row| row.method == method)
}

/// A, B and C, each against absmax.
fn strategies(report: &mitigation::Report) -> Vec<(String, Found)> {
    let rule = "The change of disparity against one grid per matrix up to its largest weight, paired over texts: supported if \
                it is surely below 0, not supported if it is surely not.";
    let ways = [
        ("A, per language", Method::Language),
        ("B, by kurtosis", Method::EightBits),
        ("C, by detection", Method::Detected),
    ];
    let judge = |(name, method): (&str, Method)| {
        let change = row(report, method).and_then(|row| row.change);
        let found = match change {
            _ if method == Method::EightBits && report.outliers.is_empty() => {
                undecided("No layer lies above the threshold of outlier layers.", rule)
            }
            Some(of) => {
                let measured = format!(
                    "Disparity changes by {} at {} bits.",
                    format::interval(&of.difference),
                    report.config.bits.get()
                );
                (Ruling::below(&of.difference, 0.0), measured, rule.into())
            }
            None => undecided("It was not among the methods of the run.", rule),
        };
        (name.to_string(), found)
    };
    ways.into_iter().map(judge).collect()
}

fn eight_bits(report: &mitigation::Report) -> Found {
    let rule = "With 8 bits for layers above the threshold: supported if disparity surely falls by more than a quarter, not \
                supported if it surely falls by less.";
    let change = row(report, Method::EightBits).and_then(|row| row.change);
    match change {
        Some(of) if !report.outliers.is_empty() => {
            let measured =
                format!("Disparity falls by {}, {} at 8 bits.", shares(&of.reduction), layers(report.outliers.len()));
            (Ruling::above(&of.reduction, QUARTER), measured, rule.into())
        }
        Some(_) => undecided("No layer lies above the threshold of outlier layers; the dial makes some.", rule),
        None => undecided("It was not among the methods of the run.", rule),
    }
}

fn layers(count: usize) -> String {
    format::counted(count as u64, "layer")
}

fn score(report: &mitigation::Report) -> Found {
    let rule = "Supported if the interval of the best score lies above that of the worst, so that the score tells strategies \
                apart; not supported if all intervals meet.";
    let scored = report.rows.iter().filter_map(|row| row.score.map(|score| (row.method, score)));
    let mut scored: Vec<(Method, Interval)> = scored.collect();
    scored.sort_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
    let (Some((best, high)), Some((worst, low))) = (scored.first(), scored.last()) else {
        return undecided("There are no scores.", rule);
    };
    let name = |method: &Method| crate::report::mitigation::method(*method);
    let measured =
        format!("Best: {}, {}. Worst: {}, {}.", name(best), format::interval(high), name(worst), format::interval(low));
    let ruling = if high.low > low.high { Ruling::Supported } else { Ruling::NotSupported };
    (ruling, measured, rule.into())
}

/// K1 to K4, T2a and P3.
fn usage(id: &str, report: &activation::Report) -> Vec<(String, Found)> {
    let of = |pair: Pair| {
        let at = Pair::ALL.iter().position(|own| *own == pair)?;
        report.correlations.get(at)?.as_ref()
    };
    let by = |pair: Pair, rule: &str, decide: &dyn Fn(&Interval) -> Ruling| match of(pair) {
        Some(found) => (decide(&found.pearson), correlation("r", found, "languages"), rule.to_string()),
        None => undecided("There is no r: a figure does not vary, or too few languages have both.", rule),
    };
    let one = |found: Found| vec![(String::new(), found)];
    match id {
        "T2a" => one(by(
            Pair::DistanceLoss,
            "Supported if the interval of r over languages lies above 0, not supported if it lies below.",
            &|r| Ruling::above(r, 0.0),
        )),
        "K1" => one(by(
            Pair::RelianceLoss,
            "Supported if the interval of r(R̂, D) over languages lies below 0, not supported if it lies above.",
            &|r| Ruling::below(r, 0.0),
        )),
        "K2" => vec![
            (
                "seed 002, −".into(),
                by(
                    Pair::KurtosisLoss,
                    "Supported if the interval of r(κ_eff, D) lies below 0, not supported if it lies above.",
                    &|r| Ruling::below(r, 0.0),
                ),
            ),
            (
                "seed 001, +".into(),
                by(
                    Pair::KurtosisLoss,
                    "Supported if the interval of r(κ_eff, D) lies above 0, not supported if it lies below.",
                    &|r| Ruling::above(r, 0.0),
                ),
            ),
        ],
        "K3" => one(bound(report)),
        "K4" => one(product(report)),
        "P3" => one(by(
            Pair::TokensReliance,
            "Supported if the interval of r between log₁₀ of training tokens and R̂ lies above 0.5, not supported if it lies below.",
            &|r| Ruling::above(r, P3),
        )),
        _ => Vec::new(),
    }
}

fn bound(report: &activation::Report) -> Found {
    let rule = "C is disparity ÷ √Var of κ_eff: supported if it is surely at most the seed's 0.009, not supported if it is surely more.";
    match report.spread {
        Some(spread) => {
            let measured = format!(
                "C = {}; disparity {}.",
                format::interval(&spread.constant),
                format::interval(&spread.disparity)
            );
            (Ruling::below(&spread.constant, K3), measured, rule.into())
        }
        None => undecided("Disparity needs at least two languages that the model has seen.", rule),
    }
}

fn product(report: &activation::Report) -> Found {
    let (constant, factor) = K4;
    let rule = "Disparity ÷ (0.01·|r|·range R̂·range κ): supported if it surely lies within the factor of 2 that the seed allows \
                itself, not supported if it surely lies outside.";
    let (Some(spread), Some(product)) = (report.spread, report.product.filter(|of| *of > 0.0)) else {
        return undecided("There is no r(R̂, D), or R̂ does not vary: no layer may lie above the threshold.", rule);
    };
    let predicted = constant * product;
    let Interval { value, low, high } = spread.disparity;
    let ratio = Interval { value: value / predicted, low: low / predicted, high: high / predicted };
    let ruling = if ratio.high < 1.0 / factor || ratio.low > factor {
        Ruling::NotSupported
    } else {
        Ruling::above(&ratio, 1.0 / factor).and(Ruling::below(&ratio, factor))
    };
    let measured = format!(
        "Predicted {}, measured {}: {} times.",
        format::small(predicted),
        format::interval(&spread.disparity),
        format::interval(&ratio)
    );
    (ruling, measured, rule.into())
}

fn dialled(id: &str, report: &dial::Report) -> Vec<(String, Found)> {
    let of_claim = report.verdicts.iter().filter(|verdict| format!("{:?}", verdict.claim) == id);
    let found = |verdict: &dial::Verdict| {
        let under = format!("at {} bits, {}", verdict.bits.get(), words::rule(verdict.rule));
        (under, (verdict.ruling, words::as_sentence(&verdict.because), verdict.claim.rule().to_string()))
    };
    of_claim.map(found).collect()
}

fn searched(id: &str, report: &gateway::Report) -> Vec<(String, Found)> {
    let of_claim = report.verdicts.iter().filter(|verdict| format!("{:?}", verdict.claim) == id);
    let found = |verdict: &gateway::Verdict| {
        let under = format!("{} protected", layers(verdict.budget));
        (under, (verdict.ruling, words::as_sentence(&verdict.because), verdict.claim.rule().to_string()))
    };
    of_claim.map(found).collect()
}
