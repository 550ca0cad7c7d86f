//! Analyses on a small model and a small corpus of this test's own: laws that every report keeps.

mod activation;
mod architectures;
mod causes;
mod clipping;
mod command;
mod dial;
mod divergence;
mod gateway;
mod golden;
#[allow(dead_code)] // of the goldens only their names are used here
#[path = "../../engine/tests/goldens/mod.rs"]
mod goldens;
mod looking;
mod matrix;
mod mitigation;
mod overflow;
mod redundancy;
mod representation;
mod screening;
mod statistics;
mod study;
mod sweep;
mod sweep_golden;
mod tokens;

use fairbits::report::Measure;
use std::{cell::RefCell, collections::BTreeMap, path::PathBuf, sync::LazyLock};

use fairbits::{
    arch::{
        load::{Opened, open},
        passes::{run_texts, see_texts},
        recipe::Recipe,
    },
    backend::{Backend, cpu::Cpu, kernels::Add},
    lab::{
        self, AnalysisError, Needs,
        languages::{self, Config, Lost, Quantized, Report},
        origin,
        plan::{Job, Plan, Seen, Taps},
        rounding::{self, Rounding},
        runner::{Alone, Lab, Step},
        sample,
        settings::{self, Resampling},
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
    model::{
        card::{Card, CardLanguage},
        corpus::{CorpusCard, CorpusLanguage, Texts},
        source::{Folder, Memory, sha256},
        tokenizer::Tokenizer,
    },
};

const UNITS: usize = 9;
/// Everything that a pass can show.
const ALL_TAPS: Taps = Taps { norms: true, inputs: true, means: true, tokens: false, divergence: true };
const CODES: [&str; 5] = ["aaa", "bbb", "ccc", "ddd", "xxx"];

/// A byte-level tokenizer of 101 tokens for the tiny model: one start token and a hundred letters.
static TOKENIZER: LazyLock<String> = LazyLock::new(|| {
    let mut vocabulary = serde_json::Map::new();
    vocabulary.insert("<|endoftext|>".into(), 0.into());
    for id in 1..101u32 {
        vocabulary.insert(char::from_u32(0x4e00 + id).unwrap().to_string(), id.into());
    }
    serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": false},
        "decoder": null,
        "added_tokens": [{"id": 0, "content": "<|endoftext|>", "single_word": false, "lstrip": false, "rstrip": false,
                          "normalized": false, "special": true}],
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<|endoftext|>"},
    })
    .to_string()
});

fn model() -> Opened<Cpu> {
    named("gpt2-tiny")
}

/// A tiny model by its folder; all have a vocabulary of 101.
fn named(name: &str) -> Opened<Cpu> {
    dressed(pollster::block_on(open(Cpu, &folder(name), name, &mut ())).unwrap())
}

fn folder(name: &str) -> Folder {
    Folder::new(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name))
}

/// A tiny model with a tokenizer and a card.
fn dressed(mut model: Opened<Cpu>) -> Opened<Cpu> {
    let settings = br#"{"add_bos_token": true, "bos_token": "<|endoftext|>"}"#;
    model.tokenizer = Some(Tokenizer::parse(TOKENIZER.as_bytes(), Some(settings), 101).unwrap().into());
    model.card = Some(card());
    model
}

fn texts() -> Vec<Texts> {
    let letter = |n: usize| char::from_u32(0x4e00 + 1 + (n % 100) as u32).unwrap();
    let unit = |language: usize, unit: usize| {
        (0..5 + 7 * unit % 31).map(|i| letter(language * 17 + unit * 29 + i * (3 + language))).collect()
    };
    let file = |language: usize| Texts {
        code: CODES[language].to_string(),
        units: (0..UNITS).map(|i| unit(language, i)).collect(),
    };
    (0..CODES.len()).map(file).collect()
}

fn corpus() -> CorpusCard {
    let language = |texts: &Texts| CorpusLanguage {
        code: texts.code.clone(),
        name: format!("Language {}", texts.code),
        endonym: texts.code.to_uppercase(),
        script: "Hani".into(),
        family: "Test".into(),
        direction: "ltr".into(),
        file: format!("{}.json", texts.code),
        bytes: texts.units.iter().map(|unit| unit.len() as u64).sum(),
        sha256: sha256(&serde_json::to_vec(texts).unwrap()),
    };
    CorpusCard {
        name: "test".into(),
        title: "Test".into(),
        description: "Letters".into(),
        unit: "line".into(),
        units: UNITS,
        source: "this test".into(),
        licence: "MIT".into(),
        languages: texts().iter().map(language).collect(),
    }
}

/// The corpus as the files of a site.
fn site() -> Memory {
    let texts = texts().into_iter().map(|texts| (format!("{}.json", texts.code), serde_json::to_vec(&texts).unwrap()));
    let files = texts.chain([("card.json".to_string(), serde_json::to_vec(&corpus()).unwrap())]);
    Memory::new(files.map(|(name, bytes)| (format!("corpora/test/{name}"), bytes)))
}

fn card() -> Card {
    let seen = |bytes_seen| CardLanguage {
        bytes_seen,
        tokens_seen: bytes_seen / 4,
        fertility: None,
        help_bpb: None,
        ngram5_bpb: None,
        udhr_bpb: None,
    };
    let languages: BTreeMap<_, _> =
        CODES.iter().zip([1000, 500, 100, 10, 0]).map(|(code, bytes)| (code.to_string(), seen(bytes))).collect();
    Card {
        name: "gpt2-tiny".into(),
        title: "Tiny".into(),
        description: "Random weights".into(),
        licence: None,
        parameters: 0,
        languages,
        kurtosis: Vec::new(),
        files: BTreeMap::new(),
    }
}

fn config() -> Config {
    Config {
        texts: settings::Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 200, seed: 1 },
    }
}

fn alone(model: &Opened<Cpu>) -> Alone<'_, Cpu, Memory> {
    Alone { model, site: site(), progress: &|_| () }
}

/// The report of a configuration, as its own kind.
fn report_of<C: Into<lab::Config>, R: Clone>(config: C, lab: &impl Lab) -> R
where
    for<'a> &'a R: TryFrom<&'a lab::Report>,
{
    let report = pollster::block_on(lab::run(&config.into(), lab)).unwrap();
    <&R>::try_from(&report).ok().expect("a report of this kind").clone()
}

fn report(config: &Config) -> Report {
    let report = pollster::block_on(lab::run(&config.clone().into(), &alone(&model()))).unwrap();
    <&Report>::try_from(&report).unwrap().clone()
}

/// The texts, and every one of them asked for in full precision and quantized, with all taps.
fn plan(model: &Opened<Cpu>) -> Plan {
    let (config, lab) = (config(), alone(model));
    let reading = pollster::block_on(sample::read(config.texts.sample(), &lab)).unwrap();
    let rounding = Rounding {
        bits: config.quantizer.bits,
        rule: config.quantizer.rule,
        granularity: config.quantizer.granularity,
    };
    let recipe = pollster::block_on(rounding::recipe(&rounding, &lab)).unwrap();
    let mut plan = Plan::new(reading.texts);
    for recipe in [Recipe::default(), recipe] {
        plan.ask(&recipe, 0..plan.texts().len(), ALL_TAPS);
    }
    plan
}

fn run_jobs(model: &Opened<Cpu>, plan: &Plan, jobs: &[Job]) -> Seen {
    let (device, mut seen) = (&model.device, Seen::new(&model.device.spec));
    for job in jobs {
        let weights = pollster::block_on(device.apply(&plan.recipes()[job.recipe])).unwrap();
        let tokens = plan.tokens(job);
        let figures = pollster::block_on(see_texts(device, &weights, &tokens, job.taps, &async || ())).unwrap();
        seen.take(job, &plan.shares(&device.spec, job, &figures));
    }
    seen
}

#[test]
fn figures_follow_from_their_definitions() {
    let report = report(&config());
    assert_eq!(report.rows.len(), CODES.len());
    for row in &report.rows {
        let (full, quantized) = (row.perplexity_full.value, row.perplexity_quantized.value);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
        assert!(close(row.degradation.value, (quantized - full) / full));
        let per_byte = row.tokens as f64 / row.bytes as f64;
        assert!(close(row.bits_per_byte_full.value, libm::log2(full) * per_byte));
        assert!(close(row.delta_bits_per_byte.value, libm::log2(quantized / full) * per_byte));
        assert!(row.degradation.low <= row.degradation.value && row.degradation.value <= row.degradation.high);
    }
    let d = |i: usize| report.rows[i].degradation.value;
    let seen = [d(0), d(1), d(2), d(3)];
    let most = seen.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = seen.iter().copied().fold(f64::INFINITY, f64::min);
    let over = report.over(Measure::Degradation);
    assert_eq!(over.disparity.unwrap().value, most - least, "the unseen language stays out");
    assert_eq!(over.mean_high.unwrap().value, d(0));
    assert_eq!(over.mean_low.unwrap().value, d(3));
    assert_eq!(over.ratio.unwrap().value, d(3) / d(0));
    for row in &report.rows {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
        let kl = row.kl_per_text.value * row.units as f64;
        assert!(kl > 0.0 && close(row.kl_per_token.value * row.tokens as f64, kl));
        assert!(close(row.kl_per_byte.value * row.bytes as f64, kl));
        assert!((0.0..=1.0).contains(&row.flips.value));
        // Of what the right token's probability does, KL says the most it can (Pinsker): (mean |Δp|)² ≤ KL·ln 2 / 2.
        assert!(row.shift.mean.value * row.shift.mean.value <= row.kl_per_token.value * std::f64::consts::LN_2 / 2.0);
        assert!(row.shift.percentiles.windows(2).all(|pair| pair[0].value <= pair[1].value));
    }
    for over in &report.over_all {
        let (tau, range) = (over.spread.unwrap(), over.disparity.unwrap());
        assert!(tau.low <= tau.value && tau.value <= tau.high && tau.low >= 0.0, "{:?}", over.measure);
        assert!(range.low <= range.value && range.value <= range.high, "{:?}", over.measure);
        assert!((0.0..=1.0).contains(&over.equal.unwrap()));
    }
    assert_eq!(report.tensors.len(), 12, "four matrices in each of three layers");
}

#[test]
fn eight_bits_hurt_less_than_two() {
    let at = |bits| {
        let quantizer = Rounding { bits: Bits::new(bits).unwrap(), rule: Rule::Optimal, ..config().quantizer };
        report(&Config { quantizer, ..config() })
    };
    let (two, eight) = (at(2), at(8));
    for (two, eight) in two.tensors.iter().zip(&eight.tensors) {
        assert!(eight.relative_mse < two.relative_mse / 100.0, "{}", two.name);
    }
    assert!(eight.bytes_quantized < eight.bytes_full && two.bytes_quantized < eight.bytes_quantized);
    let total = |report: &Report| report.rows.iter().map(|row| row.delta_bits_per_byte.value.abs()).sum::<f64>();
    assert!(total(&eight) < total(&two) / 10.0);
}

/// The same plan gives the same bits, however the texts are cut into jobs and in whatever order these are run.
#[test]
fn the_order_of_work_does_not_change_a_bit() {
    let model = model();
    let plan = plan(&model);
    let whole = pollster::block_on(alone(&model).run(&plan)).unwrap();
    let taps = ALL_TAPS;
    let jobs: Vec<Job> = (0..plan.texts().len())
        .rev()
        .flat_map(|text| [1, 0].map(|recipe| Job { recipe, texts: text..text + 1, taps }))
        .collect();
    let one_by_one = run_jobs(&model, &plan, &jobs);
    let bits = |figures: &[f64]| figures.iter().map(|figure| figure.to_bits()).collect::<Vec<_>>();
    for (recipe, text) in (0..2).flat_map(|recipe| (0..plan.texts().len()).map(move |text| (recipe, text))) {
        assert_eq!(whole.nats(recipe, text).to_bits(), one_by_one.nats(recipe, text).to_bits());
        assert_eq!(bits(whole.norms(recipe, text)), bits(one_by_one.norms(recipe, text)));
        assert_eq!(bits(whole.inputs(recipe, text)), bits(one_by_one.inputs(recipe, text)));
        assert_eq!(bits(whole.means(recipe, text)), bits(one_by_one.means(recipe, text)));
    }
}

/// What is seen on the way is what is there: norms and inputs have their shapes, are positive, differ between weights, and
/// looking changes no loss.
#[test]
fn taps_show_every_layer_and_channel_and_change_no_loss() {
    let model = model();
    let (spec, plan) = (&model.device.spec, plan(&model));
    let seen = pollster::block_on(alone(&model).run(&plan)).unwrap();
    let channels: usize = spec.linears().map(|linear| linear.layout.k).sum();
    for text in 0..plan.texts().len() {
        assert_eq!((seen.norms(0, text).len(), seen.inputs(0, text).len()), (spec.blocks.len(), channels));
        assert!(seen.norms(0, text).iter().chain(seen.inputs(0, text)).all(|sum| *sum > 0.0));
        assert_ne!(seen.norms(0, text), seen.norms(1, text));
        assert_ne!(seen.inputs(0, text), seen.inputs(1, text));
        assert_eq!(seen.means(0, text).len(), spec.blocks.len() * spec.width);
        assert_ne!(seen.means(0, text), seen.means(1, text));
    }
    let tokens: Vec<_> = plan.texts().iter().map(|text| &text.tokens).collect();
    let alone = pollster::block_on(run_texts(&model.device, model.device.full(), &tokens, &async || ())).unwrap();
    assert_eq!(seen.all_nats(0, 0..plan.texts().len()), alone);
}

/// The first linear layer reads the normed embeddings, which can be worked out by hand.
#[test]
fn inputs_of_the_first_layer_are_the_normed_embeddings() {
    let model = model();
    let (device, tokens) = (&model.device, [3u32, 14, 15]);
    let taps = Taps { inputs: true, ..Taps::LOSSES };
    let figures = pollster::block_on(see_texts(device, device.full(), &[tokens], taps, &async || ())).unwrap();
    let values = |name: &str| pollster::block_on(device.values(name)).unwrap();
    let spec = &device.spec;
    let norm = spec.blocks[0].sublayers[0].before.as_ref().unwrap();
    let (table, places, gain, bias) =
        (values(&spec.tokens), values("wpe.weight"), values(&norm.gain), values(norm.bias.as_ref().unwrap()));
    let width = spec.width;
    let mut expected = vec![0.0; width];
    for (place, &token) in tokens[..2].iter().enumerate() {
        let x: Vec<f64> = (0..width)
            .map(|c| f64::from(table[token as usize * width + c]) + f64::from(places[place * width + c]))
            .collect();
        let mean = x.iter().sum::<f64>() / width as f64;
        let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / width as f64;
        for c in 0..width {
            let scaled = (x[c] - mean) / libm::sqrt(variance + f64::from(norm.eps));
            expected[c] += (scaled * f64::from(gain[c]) + f64::from(bias[c])).abs();
        }
    }
    for (ours, expected) in figures[1..].iter().zip(&expected) {
        assert!((ours - expected).abs() < 1e-5 * (1.0 + expected), "{ours} against {expected}");
    }
}

/// Bytes counted from shapes are those that the packed tensors take.
#[test]
fn bytes_are_known_without_packing() {
    let model = model();
    for (bits, granularity) in [(2, Granularity::Tensor), (4, Granularity::Group32), (7, Granularity::Channel)] {
        let rounding = Rounding { bits: Bits::new(bits).unwrap(), rule: Rule::Absmax, granularity };
        let recipe = pollster::block_on(rounding::recipe(&rounding, &alone(&model))).unwrap();
        let packed = pollster::block_on(model.device.apply(&recipe)).unwrap();
        let mut held = 0;
        for tensor in model.device.spec.tensors() {
            use fairbits::arch::weights::Weight;
            held += match packed.get(&tensor.name).unwrap() {
                Weight::Full(buffer) | Weight::Halves(buffer) => buffer.to_f32().len(),
                Weight::Packed { codes, scales, .. } => codes.to_f32().len() + scales.to_f32().len(),
            };
        }
        assert_eq!(model.device.bytes(&recipe).unwrap(), 4 * held as u64);
    }
}

/// Progress goes up to its end in each step, first over the matrices, then over the passes.
#[test]
fn progress_counts_matrices_and_then_passes() {
    let (model, heard) = (model(), RefCell::new(Vec::new()));
    let lab = Alone { model: &model, site: site(), progress: &|at| heard.borrow_mut().push(at) };
    pollster::block_on(lab::run(&config().into(), &lab)).unwrap();
    let heard = heard.into_inner();
    let steps: Vec<Step> = heard.iter().map(|at| at.step).collect();
    assert!(steps.is_sorted_by_key(|step| *step == Step::Passes));
    for (step, total) in [(Step::Tensors, 12), (Step::Passes, 2 * UNITS * CODES.len())] {
        let of_step: Vec<_> = heard.iter().filter(|at| at.step == step).collect();
        assert!(!of_step.is_empty() && of_step.iter().all(|at| at.total == total), "{of_step:?}");
        assert!(of_step.is_sorted_by_key(|at| at.done));
    }
    assert_eq!(heard.last().unwrap().done, 2 * UNITS * CODES.len());
}

#[test]
fn a_configuration_says_which_analysis_it_is_of_and_what_it_needs() {
    let config = lab::Config::from(config());
    let json = serde_json::to_value(&config).unwrap();
    assert_eq!((&json["analysis"], &json["texts"]["units"]), (&"languages".into(), &UNITS.into()));
    assert_eq!(serde_json::from_value::<lab::Config>(json.clone()).unwrap(), config);
    assert!(matches!(config.needs(), Needs::Texts(sample) if sample.units == UNITS && sample.corpus == "test"));
    let mut stranger = json;
    stranger["colour"] = "red".into();
    assert!(serde_json::from_value::<lab::Config>(stranger).unwrap_err().to_string().contains("colour"));
}

#[test]
fn a_report_survives_json_bit_for_bit() {
    let report = report(&config());
    let report = lab::Report::from(report);
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<lab::Report>(&text).unwrap(), report);
}

#[test]
fn settings_that_cannot_be_measured_get_a_sentence() {
    let refused = |change: fn(&mut Config), expected: &str| {
        let mut config = config();
        change(&mut config);
        let fault = config.texts.sample().check(&corpus()).err().or_else(|| config.check().err()).unwrap();
        assert_eq!(fault.to_string(), expected);
    };
    refused(|config| config.texts.languages.clear(), "choose at least one language");
    refused(|config| config.texts.languages.push("zzz".into()), "the corpus test has no text in language `zzz`");
    refused(|config| config.texts.languages.push("aaa".into()), "language `aaa` is named twice");
    refused(|config| config.texts.units = 0, "the number of units is 0; it must be between 1 and 9");
    refused(|config| config.texts.units = 10, "the number of units is 10; it must be between 1 and 9");
    refused(
        |config| config.draws.resamples = 1,
        "Bootstrap resamples is “1”; it must be a whole number from 100 to 100000",
    );
}

/// A model that breaks under quantization is named as such, never averaged into a figure.
#[test]
fn a_loss_that_is_not_a_number_is_an_error() {
    let (model, config) = (model(), config());
    let reading = pollster::block_on(sample::read(config.texts.sample(), &alone(&model))).unwrap();
    let lost = Lost { full: 1.0, quantized: f64::NAN, shifts: vec![0.0], ..Lost::default() };
    let lost = vec![lost; reading.texts.len()];
    let quantized = Quantized { tensors: Vec::new(), bytes_full: 1, bytes_quantized: 1 };
    let error =
        languages::assemble(&config, (&origin::of(&alone(&model), Some(&reading)), None), &reading, quantized, &lost)
            .unwrap_err();
    assert!(matches!(error, AnalysisError::NotFinite { which: "quantized", unit: 1, .. }), "{error}");
}

/// Without a change to the weights nothing is lost: thresholds at eight bits differ from full precision, an empty recipe
/// does not, and is the same recipe however often it is asked for.
#[test]
fn nothing_quantized_is_nothing_lost() {
    let model = model();
    let texts = plan(&model).texts().to_vec();
    let all = 0..texts.len();
    let mut plan = Plan::new(texts);
    let first = plan.ask(&Recipe::default(), all.clone(), Taps::LOSSES);
    assert_eq!(plan.ask(&Recipe::default(), all.clone(), Taps::LOSSES), first);
    assert_eq!((plan.recipes().len(), plan.passes()), (1, all.len()), "a text is run once per set of weights");
    let seen = pollster::block_on(alone(&model).run(&plan)).unwrap();
    let tokens: Vec<_> = plan.texts().iter().map(|text| &text.tokens).collect();
    let alone = pollster::block_on(run_texts(&model.device, model.device.full(), &tokens, &async || ())).unwrap();
    assert_eq!(seen.all_nats(first, all), alone);
}

/// A tensor is packed once for all recipes that want it so, and anew when its values change.
#[test]
fn recipes_share_what_they_have_in_common() {
    use fairbits::arch::weights::Weight;
    let mut model = model();
    let rounding = Rounding { bits: Bits::ALL[2], rule: Rule::Absmax, granularity: Granularity::Tensor };
    let all = pollster::block_on(rounding::recipe(&rounding, &alone(&model))).unwrap();
    let name = all.tensors.keys().next().unwrap().clone();
    let one = Recipe { tensors: [(name.clone(), all.tensors[&name].clone())].into(), ..Recipe::default() };
    let codes =
        |model: &Opened<Cpu>, recipe: &Recipe| match pollster::block_on(model.device.apply(recipe)).unwrap().get(&name)
        {
            Ok(Weight::Packed { codes, .. }) => codes.clone(),
            _ => panic!("{name} is not packed"),
        };
    let (first, second) = (codes(&model, &all), codes(&model, &one));
    let before = first.to_f32();
    let ones = Cpu.upload_f32(&vec![1.0; before.len()]).unwrap();
    Cpu.dispatch(&Add { len: before.len() as u32 }, &[&first, &ones]).unwrap();
    let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    assert_ne!(bits(first.to_f32()), bits(before.clone()), "what is written to one");
    assert_eq!(bits(first.to_f32()), bits(second.to_f32()), "is written to the other");
    let shape = model.device.spec.tensors().into_iter().find(|tensor| tensor.name == name).unwrap().shape;
    let values: Vec<f32> = pollster::block_on(model.device.values(&name)).unwrap().iter().map(|x| -x).collect();
    model.device.insert(&name, &shape, &values).unwrap();
    let anew = bits(codes(&model, &one).to_f32());
    assert!(anew != bits(before) && anew != bits(first.to_f32()));
}
