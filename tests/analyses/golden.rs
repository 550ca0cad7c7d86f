//! `languages`, `weights` and `clipping` against numpy (`fixtures/clipping_golden.py`), on the tiny model and on the default one.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::{
    sample,
    settings::{Resampling, Texts},
};
use std::{collections::BTreeMap, path::Path};

use fairbits::{
    arch::{
        load::{Opened, open},
        recipe::Recipe,
    },
    backend::cpu::Cpu,
    lab::{
        self, clipping, languages,
        plan::{Plan, Taps},
        runner::{Alone, Lab},
        weights,
    },
    math::{
        clipping::{Rule, alpha, mse},
        effective::effective,
        moments::Moments,
        quantizer::{Bits, Granularity},
    },
    model::source::{Folder, Source, sha256},
};
use serde::Deserialize;

use super::{model, site};

const RELATIVE: f64 = 1e-5;
/// α* of effective weights: their activations are f32 here and f64 in numpy, and a neighbouring piece of the loss can then
/// be the least. The loss itself agrees to [`RELATIVE`], and so does α* where both have the same activations
/// ([`compare_patterned`]).
const NEIGHBOURING: f64 = 1e-3;
/// The error at the reference's α*, which is away from a language's own least, moves with that α*.
const AT_REFERENCE: f64 = 1e-4;

#[derive(Deserialize)]
struct Golden {
    bits: u8,
    units: usize,
    shown: Vec<usize>,
    default: String,
    tiny: Subject,
    model: Subject,
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Subject {
    layers: Vec<f64>,
    places: Vec<f64>,
    tensors: Vec<Tensor>,
    languages: Vec<Language>,
}

#[derive(Deserialize)]
struct Tensor {
    mean: f64,
    sigma: f64,
    kurtosis: f64,
    absmax: f64,
    beyond_3: f64,
    beyond_6: f64,
    alpha: f64,
    error: f64,
    patterned: Patterned,
    /// Clipping and rounding part at the shown places.
    curve: Vec<(f64, f64)>,
}

/// Effective weights by a pattern that no forward pass made, so that nothing but the algorithm is compared.
#[derive(Deserialize)]
struct Patterned {
    sigma: f64,
    kurtosis: f64,
    alpha: f64,
    error: f64,
}

#[derive(Deserialize)]
struct Language {
    code: String,
    rows: u64,
    /// D at three bits, absmax.
    degradation: f64,
    /// Sum and largest of the mean absolute inputs of each matrix.
    inputs: Vec<(f64, f64)>,
    kurtosis: f64,
    tensors: Vec<Effective>,
}

#[derive(Deserialize)]
struct Effective {
    sigma: f64,
    kurtosis: f64,
    alpha: f64,
    error: f64,
    error_at_reference: f64,
    error_at_reference_shape: f64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../fixtures/clipping.json")).expect("the fixture is what its script writes")
}

/// Relative to the figure, or to `scale` where it may be nearly zero.
#[track_caller]
fn near(what: &str, ours: f64, theirs: f64, scale: f64, relative: f64) {
    let allowed = relative * theirs.abs().max(scale);
    assert!((ours - theirs).abs() <= allowed, "{what}: {ours} here, {theirs} in numpy");
}

fn run(model: &Opened<Cpu>, site: impl Source + Clone, config: lab::Config) -> lab::Report {
    pollster::block_on(lab::run(&config, &Alone { model, site, progress: &|_| () })).unwrap()
}

fn compare_weights(subject: &Subject, model: &Opened<Cpu>, site: impl Source + Clone) {
    let report = run(model, site, weights::Config { threshold: fairbits::lab::thresholds::OUTLIER }.into());
    let report = <&weights::Report>::try_from(&report).unwrap().clone();
    assert_eq!((report.tensors.len(), report.layers.len()), (subject.tensors.len(), subject.layers.len()));
    for (ours, theirs) in report.tensors.iter().zip(&subject.tensors) {
        let (name, summary) = (&ours.name, &ours.spread.summary);
        near(&format!("mean of {name}"), summary.mean, theirs.mean, theirs.sigma, RELATIVE);
        near(&format!("σ of {name}"), summary.sigma, theirs.sigma, 0.0, RELATIVE);
        near(&format!("κ of {name}"), summary.kurtosis, theirs.kurtosis, 0.1, RELATIVE);
        assert_eq!(
            (summary.absmax, summary.beyond_3, summary.beyond_6),
            (theirs.absmax, theirs.beyond_3, theirs.beyond_6)
        );
    }
    for (ours, theirs) in report.layers.iter().zip(&subject.layers) {
        near(&format!("κ of layer {}", ours.layer), ours.spread.summary.kurtosis, *theirs, 0.1, RELATIVE);
    }
}

fn compare_clipping(golden: &Golden, subject: &Subject, model: &Opened<Cpu>, corpus: &str, site: impl Source + Clone) {
    let config = clipping::Config {
        texts: Texts {
            corpus: corpus.into(),
            languages: subject.languages.iter().map(|language| language.code.clone()).collect(),
            units: golden.units,
        },
        draws: Resampling { resamples: 100, seed: 1 },
        bits: Bits::new(golden.bits).unwrap(),
        reference: subject.languages[0].code.clone(),
        losses: false,
    };
    let report = run(model, site, config.into());
    let report = <&clipping::Report>::try_from(&report).unwrap();
    for (ours, theirs) in report.tensors.iter().zip(&subject.tensors) {
        let (name, best) = (&ours.name, ours.choice(Rule::Optimal));
        near(&format!("α*/σ of {name}"), best.alpha_over_sigma, theirs.alpha, 0.0, RELATIVE);
        near(&format!("MSE(α*) of {name}"), best.error.total(), theirs.error, 0.0, RELATIVE);
        for (&at, (place, (clip, round))) in golden.shown.iter().zip(subject.places.iter().zip(&theirs.curve)) {
            near("place", report.places[at], *place, 0.0, RELATIVE);
            near(&format!("clipping of {name} at {place}σ"), ours.curve[at].clipping, *clip, 1e-9, RELATIVE);
            near(&format!("rounding of {name} at {place}σ"), ours.curve[at].rounding, *round, 1e-9, RELATIVE);
        }
    }
    for (ours, theirs) in report.languages.iter().zip(&subject.languages) {
        assert_eq!((&ours.code, ours.rows), (&theirs.code, theirs.rows));
        near(&format!("κ_eff of {}", ours.code), ours.kurtosis.value, theirs.kurtosis, 0.1, RELATIVE);
        for ((tensor, ours), theirs) in report.tensors.iter().zip(&ours.tensors).zip(&theirs.tensors) {
            let name = &tensor.name;
            near(&format!("σ_ℓ of {name}"), ours.sigma, theirs.sigma, 0.0, RELATIVE);
            near(&format!("κ_ℓ of {name}"), ours.kurtosis, theirs.kurtosis, 0.1, RELATIVE);
            near(&format!("α*_ℓ of {name}"), ours.alpha, theirs.alpha, 0.0, NEIGHBOURING);
            near(&format!("MSE(α*_ℓ) of {name}"), ours.error, theirs.error, 0.0, RELATIVE);
            near(
                &format!("reference α on {name}"),
                ours.error_at_reference,
                theirs.error_at_reference,
                0.0,
                AT_REFERENCE,
            );
            let shapes = (ours.error_at_reference_shape, theirs.error_at_reference_shape);
            near(&format!("reference α/σ on {name}"), shapes.0, shapes.1, 0.0, AT_REFERENCE);
        }
    }
}

/// σ, κ, α* and its error of W ⊙ a, for an a that is the same in both to the bit.
fn compare_patterned(subject: &Subject, bits: Bits, model: &Opened<Cpu>) {
    for (linear, theirs) in model.device.spec.linears().zip(&subject.tensors) {
        let (name, theirs) = (&linear.weight, &theirs.patterned);
        let values = pollster::block_on(model.device.values(name)).unwrap();
        let pattern: Vec<f64> = (0..linear.layout.k).map(|c| (1 + 37 * c % 101) as f64 / 101.0).collect();
        let weights = effective(&values, linear.layout, &pattern);
        let (moments, alpha) = (Moments::of(&weights), alpha(Rule::Optimal, &weights, bits));
        let (clipping, rounding) = mse(&weights, alpha, bits.levels());
        near(&format!("σ of {name}, patterned"), moments.sigma(), theirs.sigma, 0.0, RELATIVE);
        near(&format!("κ of {name}, patterned"), moments.kurtosis(), theirs.kurtosis, 0.1, RELATIVE);
        near(&format!("α* of {name}, patterned"), f64::from(alpha), theirs.alpha, 0.0, RELATIVE);
        let error = (clipping + rounding) / moments.variance();
        near(&format!("MSE(α*) of {name}, patterned"), error, theirs.error, 0.0, RELATIVE);
    }
}

/// D(λ) at three bits, and what the channels carry.
fn compare_passes(golden: &Golden, subject: &Subject, model: &Opened<Cpu>, corpus: &str, site: impl Source + Clone) {
    let config = languages::Config {
        texts: Texts {
            corpus: corpus.into(),
            languages: subject.languages.iter().map(|language| language.code.clone()).collect(),
            units: golden.units,
        },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 100, seed: 1 },
    };
    let lab = Alone { model, site, progress: &|_| () };
    let reading = pollster::block_on(sample::read(config.texts.sample(), &lab)).unwrap();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), 0..reading.texts.len(), Taps { inputs: true, ..Taps::LOSSES });
    let seen = pollster::block_on(lab.run(&plan)).unwrap();
    let report = pollster::block_on(lab::run(&config.into(), &lab)).unwrap();
    let report = <&languages::Report>::try_from(&report).unwrap();
    for (number, (ours, theirs)) in report.rows.iter().zip(&subject.languages).enumerate() {
        near(&format!("D of {}", ours.code), ours.degradation.value, theirs.degradation, 0.0, RELATIVE);
        for ((linear, channels), &(sum, most)) in model.device.spec.inputs().zip(&theirs.inputs) {
            let mean = |channel: usize| {
                let whole: f64 = reading.of_language(number).map(|text| seen.inputs(full, text)[channel]).sum();
                whole / theirs.rows as f64
            };
            let means: Vec<f64> = channels.map(mean).collect();
            let largest = means.iter().copied().fold(0.0, f64::max);
            near(&format!("Σ a of {}", linear.weight), means.iter().sum(), sum, 0.0, RELATIVE);
            near(&format!("max a of {}", linear.weight), largest, most, 0.0, RELATIVE);
        }
    }
}

#[test]
fn weights_and_clipping_of_the_tiny_model_are_numpys() {
    let golden = golden();
    compare_weights(&golden.tiny, &model(), site());
    compare_clipping(&golden, &golden.tiny, &model(), "test", site());
    compare_patterned(&golden.tiny, Bits::new(golden.bits).unwrap(), &model());
    compare_passes(&golden, &golden.tiny, &model(), "test", site());
}

#[test]
fn weights_and_clipping_of_the_default_model_are_numpys() {
    let (golden, root) = (golden(), Path::new(env!("CARGO_MANIFEST_DIR")));
    for (file, expected) in &golden.files {
        let found = sha256(&std::fs::read(root.join(file)).unwrap_or_default());
        assert_eq!(
            found, *expected,
            "{file} is not what the goldens were made from: run tests/fixtures/clipping_golden.py"
        );
    }
    let public = root.join("public");
    let folder = public.join("models").join(&golden.default);
    let model = pollster::block_on(open(Cpu, &Folder::new(folder), &golden.default, &mut ())).unwrap();
    compare_weights(&golden.model, &model, Folder::new(&public));
    compare_clipping(&golden, &golden.model, &model, "udhr", Folder::new(&public));
    compare_patterned(&golden.model, Bits::new(golden.bits).unwrap(), &model);
    compare_passes(&golden, &golden.model, &model, "udhr", Folder::new(&public));
}
