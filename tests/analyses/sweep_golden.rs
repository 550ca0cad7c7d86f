//! `sweep` and `screening` against numpy (`fixtures/sweep_golden.py`), on the tiny model and on the default one.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use std::{collections::BTreeMap, path::Path};

use fairbits::{
    arch::load::{Opened, open},
    backend::cpu::Cpu,
    lab::{self, runner::Alone, screening, sweep},
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
    model::source::{Folder, Source, sha256},
};
use serde::Deserialize;

use super::{model, site};

#[derive(Deserialize)]
struct Golden {
    units: usize,
    default: String,
    tiny: Subject,
    model: Subject,
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Subject {
    languages: Vec<String>,
    sweep: BTreeMap<String, Swept>,
    screening: Screened,
}

#[derive(Deserialize)]
struct Swept {
    /// (widths, languages).
    degradation: Vec<Vec<f64>>,
    error: Vec<f64>,
    slope: f64,
    /// Slope of the mean D over the first so many widths.
    mean_slopes: Vec<Option<f64>>,
}

#[derive(Deserialize)]
struct Screened {
    kurtosis: Vec<f64>,
    heaviest: Vec<usize>,
    usage: Vec<f64>,
    variance: f64,
    r: f64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../fixtures/sweep.json")).expect("the fixture is what its script writes")
}

/// `relative` to the figure, or `absolute` where it may be nearly zero: losses are sums of f32 here and of f64 in numpy.
#[track_caller]
fn near(what: &str, ours: f64, theirs: f64, relative: f64, absolute: f64) {
    let allowed = (relative * theirs.abs()).max(absolute);
    assert!((ours - theirs).abs() <= allowed, "{what}: {ours} here, {theirs} in numpy");
}

fn run(model: &Opened<Cpu>, site: impl Source + Clone, config: lab::Config) -> lab::Report {
    pollster::block_on(lab::run(&config, &Alone { model, site, progress: &|_| () })).unwrap()
}

fn compare_sweep(golden: &Golden, subject: &Subject, model: &Opened<Cpu>, corpus: &str, site: impl Source + Clone) {
    let rules: Vec<Rule> =
        subject.sweep.keys().map(|rule| serde_json::from_value(rule.as_str().into()).unwrap()).collect();
    let config = sweep::Config {
        texts: Texts { corpus: corpus.into(), languages: subject.languages.clone(), units: golden.units },
        draws: Resampling { resamples: 200, seed: 1 },
        bits: Bits::ALL.to_vec(),
        rules: rules.clone(),
        granularity: Granularity::Tensor,
    };
    let report = run(model, site, config.into());
    let report = <&sweep::Report>::try_from(&report).unwrap();
    for (rule, theirs) in rules.into_iter().zip(subject.sweep.values()) {
        for (outcome, (losses, error)) in report.of_rule(rule).zip(theirs.degradation.iter().zip(&theirs.error)) {
            let what = format!("{rule:?} at {} bits", outcome.bits.get());
            near(&format!("squared error, {what}"), outcome.error.value, *error, 1e-6, 0.0);
            for (ours, theirs) in outcome.cost.degradation.iter().zip(losses) {
                // D is an exponential of the loss: where it is in the thousands, so is what f32 leaves of a digit.
                let relative = if *theirs > 100.0 { 1e-4 } else { 1e-5 };
                near(&format!("D, {what}"), ours.value, *theirs, relative, 2e-6);
            }
        }
        let slope = |measure| report.slopes.iter().find(|of| (of.rule, of.measure) == (rule, measure)).unwrap();
        near("slope of the error", slope(sweep::Measure::Error).slope.unwrap().value, theirs.slope, 1e-6, 0.0);
        let mean = slope(sweep::Measure::Degradation);
        let narrowest: Vec<Bits> = Bits::ALL[..mean.bits.len()].to_vec();
        if let (Some(ours), true) = (mean.slope, mean.bits == narrowest) {
            near("slope of mean D", ours.value, theirs.mean_slopes[narrowest.len()].unwrap(), 1e-4, 0.0);
        }
    }
}

fn compare_screening(golden: &Golden, subject: &Subject, model: &Opened<Cpu>, corpus: &str, site: impl Source + Clone) {
    let config = screening::Config {
        texts: Texts { corpus: corpus.into(), languages: subject.languages.clone(), units: golden.units },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 200, seed: 1 },
        light: 5.0,
        heavy: 50.0,
        variance: screening::VARIANCE,
        safe: Bits::new(8).unwrap(),
        permutations: 200,
    };
    let report = run(model, site, config.into());
    let (report, theirs) = (<&screening::Report>::try_from(&report).unwrap(), &subject.screening);
    for (layer, kurtosis) in report.layers.iter().zip(&theirs.kurtosis) {
        near("κ of a layer", layer.kurtosis, *kurtosis, 1e-5, 1e-6);
    }
    let heaviest: Vec<usize> = (0..report.layers.len()).filter(|&layer| report.layers[layer].outlier).collect();
    assert!(report.stand_in && heaviest == theirs.heaviest, "{heaviest:?}");
    for (row, usage) in report.rows.iter().zip(&theirs.usage) {
        near("ā_outlier", row.usage.value, *usage, 1e-5, 0.0);
    }
    // Differences of shares that agree to five digits.
    near("Var of ā_outlier", report.variance.unwrap().value, theirs.variance, 1e-3, 0.0);
    near("r of ā_outlier and D", report.correlation.unwrap().pearson.value, theirs.r, 1e-3, 1e-4);
}

#[test]
fn the_sweep_and_the_screening_of_the_tiny_model_are_numpys() {
    let golden = golden();
    assert_eq!(golden.tiny.sweep.len(), 2);
    compare_sweep(&golden, &golden.tiny, &model(), "test", site());
    compare_screening(&golden, &golden.tiny, &model(), "test", site());
}

#[test]
fn the_sweep_and_the_screening_of_the_default_model_are_numpys() {
    let (golden, root) = (golden(), Path::new(env!("CARGO_MANIFEST_DIR")));
    for (file, expected) in &golden.files {
        let found = sha256(&std::fs::read(root.join(file)).unwrap_or_default());
        assert_eq!(
            found, *expected,
            "{file} is not what the goldens were made from: run tests/fixtures/sweep_golden.py"
        );
    }
    let public = root.join("public");
    let folder = public.join("models").join(&golden.default);
    let model = pollster::block_on(open(Cpu, &Folder::new(folder), &golden.default, &mut ())).unwrap();
    compare_sweep(&golden, &golden.model, &model, "udhr", Folder::new(&public));
    compare_screening(&golden, &golden.model, &model, "udhr", Folder::new(&public));
}
