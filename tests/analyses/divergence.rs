//! What is lost beside full precision, token by token: against numpy (`fixtures/divergence_golden.py`) on the tiny model and on the
//! default one, and its laws.

use std::{collections::BTreeMap, path::Path};

use fairbits::{
    arch::{
        load::{Opened, open},
        passes::{Taps, run_texts, see_texts},
        recipe::Recipe,
    },
    backend::cpu::Cpu,
    lab::{
        rounding::{self, Rounding},
        runner::Alone,
        sample::{self, Sample},
    },
    math::{
        clipping::Rule,
        metrics::{percentiles, shifts},
        quantizer::{Bits, Granularity},
    },
    model::source::{Folder, Source, sha256},
};
use proptest::prelude::*;
use serde::Deserialize;

use super::{model, site};

const TOKENS: Taps = Taps { tokens: true, ..Taps::LOSSES };
const ALL: Taps = Taps { divergence: true, ..TOKENS };
/// Of a figure: logits are sums of f32 here and of f64 in numpy.
const RELATIVE: f64 = 2e-5;
/// Of a token, and of a probability.
const ABSOLUTE: f64 = 1e-6;

#[derive(Deserialize)]
struct Golden {
    units: usize,
    default: String,
    percentiles: [f64; 5],
    tiny: Subject,
    model: Subject,
    files: BTreeMap<String, String>,
}

/// By format and language.
type Subject = BTreeMap<String, BTreeMap<String, Language>>;

#[derive(Deserialize)]
struct Language {
    texts: Vec<Text>,
    shift: f64,
    rms: f64,
    percentiles: [f64; 5],
}

#[derive(Deserialize)]
struct Text {
    nats: f64,
    divergence: f64,
    flips: f64,
}

fn rounding(format: &str) -> Rounding {
    let (bits, granularity) = match format {
        "tensor_3" => (3, Granularity::Tensor),
        "group32_4" => (4, Granularity::Group32),
        other => panic!("the fixture has a format {other}"),
    };
    Rounding { bits: Bits::new(bits).unwrap(), rule: Rule::Absmax, granularity }
}

/// Figures of each text: nats, divergence, flips, then of each token its loss, divergence and flip.
fn seen(model: &Opened<Cpu>, recipe: &Recipe, texts: &[Vec<u32>], taps: Taps) -> Vec<Vec<f64>> {
    pollster::block_on(async {
        let weights = model.device.apply(recipe).await.unwrap();
        let figures = see_texts(&model.device, &weights, texts, taps, &async || ()).await.unwrap();
        let mut rest = &figures[..];
        let spec = &model.device.spec;
        let of = |text: &Vec<u32>| {
            let (own, after) = rest.split_at(taps.figures_of(spec, text.len() - 1));
            rest = after;
            own.to_vec()
        };
        texts.iter().map(of).collect()
    })
}

fn compare(golden: &Golden, subject: &Subject, model: &Opened<Cpu>, corpus: &str, site: impl Source + Clone) {
    let lab = Alone { model, site, progress: &|_| () };
    for (format, languages) in subject {
        let recipe = pollster::block_on(rounding::recipe(&rounding(format), &lab)).unwrap();
        for (code, theirs) in languages {
            let languages = [code.clone()];
            let sample = Sample { corpus, languages: &languages, units: golden.units };
            let texts: Vec<Vec<u32>> = pollster::block_on(sample::read(sample, &lab))
                .unwrap()
                .texts
                .into_iter()
                .map(|text| text.tokens)
                .collect();
            let full = seen(model, &Recipe::default(), &texts, TOKENS);
            let ours = seen(model, &recipe, &texts, ALL);
            let mut changes = Vec::new();
            for (number, (ours, theirs)) in ours.iter().zip(&theirs.texts).enumerate() {
                let (tokens, what) = (texts[number].len() - 1, format!("{format} {code} {number}"));
                let near = |name: &str, ours: f64, theirs: f64, absolute: f64| {
                    let allowed = RELATIVE * theirs.abs() + absolute;
                    assert!((ours - theirs).abs() <= allowed, "{what}: {name} {ours} here, {theirs} in numpy");
                };
                near("nats", ours[0], theirs.nats, 0.0);
                near("divergence", ours[1], theirs.divergence, ABSOLUTE * tokens as f64);
                assert_eq!(ours[2], theirs.flips, "{what}: flips");
                changes.extend(shifts(&full[number][1..], &ours[3..][..tokens]));
            }
            let mean = changes.iter().sum::<f64>() / changes.len() as f64;
            let rms = (changes.iter().map(|change| change * change).sum::<f64>() / changes.len() as f64).sqrt();
            let quantiles = percentiles(&changes, golden.percentiles);
            let pairs = [(mean, theirs.shift), (rms, theirs.rms)]
                .into_iter()
                .chain(quantiles.into_iter().zip(theirs.percentiles));
            for (ours, theirs) in pairs {
                assert!(
                    (ours - theirs).abs() <= RELATIVE * theirs.abs() + ABSOLUTE,
                    "{format} {code}: Δp {ours} here, {theirs} in numpy"
                );
            }
        }
    }
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../fixtures/divergence.json")).expect("the fixture is what its script writes")
}

#[test]
fn what_the_tiny_model_loses_is_numpys() {
    let golden = golden();
    compare(&golden, &golden.tiny, &model(), "test", site());
}

#[test]
fn what_the_default_model_loses_is_numpys() {
    let (golden, root) = (golden(), Path::new(env!("CARGO_MANIFEST_DIR")));
    for (file, expected) in &golden.files {
        assert_eq!(sha256(&std::fs::read(root.join(file)).unwrap()), *expected, "{file} changed: run the script again");
    }
    let folder = Folder::new(root.join("public/models").join(&golden.default));
    let model = pollster::block_on(open(Cpu, &folder, &golden.default, &mut ())).unwrap();
    compare(&golden, &golden.model, &model, "udhr", Folder::new(root.join("public")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Laws: losses keep their bits whatever else is seen; a text's figures do not know the other texts, nor whether full precision
    /// was kept or run again; nothing diverges from itself, and what diverges, diverges by more than 0.
    #[test]
    fn what_is_lost_does_not_depend_on_how_it_is_asked(
        texts in prop::collection::vec(prop::collection::vec(1u32..100, 2..40), 1..4),
        bits in 2u8..5,
    ) {
        let (model, fresh) = (model(), model());
        let lab = Alone { model: &model, site: site(), progress: &|_| () };
        let rounding = Rounding { bits: Bits::new(bits).unwrap(), ..rounding("tensor_3") };
        let recipe = pollster::block_on(rounding::recipe(&rounding, &lab)).unwrap();
        let full = seen(&model, &Recipe::default(), &texts, ALL);
        for of in &full {
            let tokens = (of.len() - 3) / 3;
            prop_assert_eq!((of[1], of[2]), (0.0, 0.0));
            prop_assert!(of[3 + tokens..].iter().all(|figure| *figure == 0.0));
        }
        let together = seen(&model, &recipe, &texts, ALL);
        for (text, of) in texts.iter().zip(&together) {
            let alone = seen(&fresh, &recipe, std::slice::from_ref(text), ALL);
            prop_assert_eq!(&alone[0], of);
            let tokens = text.len() - 1;
            prop_assert_eq!(of[3 + tokens..][..tokens].iter().sum::<f64>(), of[1]);
            prop_assert!(of[1] > 0.0 && of[3 + tokens..].iter().all(|figure| *figure >= 0.0));
        }
        let weights = pollster::block_on(model.device.apply(&recipe)).unwrap();
        let nats = pollster::block_on(run_texts(&model.device, &weights, &texts, &async || ())).unwrap();
        prop_assert_eq!(nats, together.iter().map(|of| of[0]).collect::<Vec<f64>>());
    }
}
