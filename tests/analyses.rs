//! Analyses on a small model and a small corpus of this test's own: laws that every report keeps.

use std::{collections::BTreeMap, path::PathBuf, sync::LazyLock};

use fairbits::{
    analysis::{
        AnalysisError,
        languages::{self, Config, Quantized, Report, Subject},
        passes::{Plan, run_plan, run_texts},
    },
    arch::load::{Opened, open},
    backend::cpu::Cpu,
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
    model::{
        card::{Card, CardLanguage},
        corpus::{CorpusCard, CorpusLanguage, Texts},
        source::Folder,
        tokenizer::Tokenizer,
    },
};

const UNITS: usize = 9;
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
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gpt2-tiny");
    let mut model = pollster::block_on(open(Cpu, &Folder::new(&folder), "gpt2-tiny", &mut ())).unwrap();
    let config = std::fs::read(folder.join("config.json")).unwrap();
    let config = fairbits::model::config::Config::parse(&config).unwrap();
    model.tokenizer = Some(Tokenizer::parse(TOKENIZER.as_bytes(), &config, 101).unwrap());
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
    let language = |code: &&str| CorpusLanguage {
        code: code.to_string(),
        name: format!("Language {code}"),
        endonym: code.to_uppercase(),
        script: "Hani".into(),
        family: "Test".into(),
        direction: "ltr".into(),
        file: format!("{code}.json"),
        bytes: 0,
        sha256: String::new(),
    };
    CorpusCard {
        name: "test".into(),
        title: "Test".into(),
        description: "Letters".into(),
        unit: "line".into(),
        units: UNITS,
        source: "this test".into(),
        licence: "MIT".into(),
        languages: CODES.iter().map(language).collect(),
    }
}

fn card() -> Card {
    let seen = |bytes_seen| CardLanguage {
        bytes_seen,
        tokens_seen: 0,
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
        parameters: 0,
        languages,
        kurtosis: Vec::new(),
        files: BTreeMap::new(),
    }
}

fn config() -> Config {
    Config {
        corpus: "test".into(),
        languages: CODES.map(String::from).to_vec(),
        units: UNITS,
        bits: Bits::new(3).unwrap(),
        rule: Rule::Absmax,
        granularity: Granularity::Tensor,
        resamples: 200,
        seed: 1,
    }
}

fn plan(model: &Opened<Cpu>, config: &Config) -> (Plan, Quantized) {
    let tokenizer = model.tokenizer.as_ref().unwrap();
    pollster::block_on(languages::plan(config, &model.device, tokenizer, &texts(), &async || ())).unwrap()
}

fn report(config: &Config) -> Report {
    let model = model();
    let (plan, quantized) = plan(&model, config);
    let nats = pollster::block_on(run_plan(&model.device, &plan, |_, _| (), &async || ())).unwrap();
    let (card, corpus) = (card(), corpus());
    let subject = Subject { model: "gpt2-tiny", model_sha256: "0", card: Some(&card), corpus: &corpus };
    languages::assemble(config, &subject, "cpu", &plan, quantized, &nats).unwrap()
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
    assert_eq!(report.disparity.unwrap().value, most - least, "the unseen language stays out");
    assert_eq!(report.mean_high.unwrap().value, d(0));
    assert_eq!(report.mean_low.unwrap().value, d(3));
    assert_eq!(report.ratio.unwrap().value, d(3) / d(0));
    assert_eq!(report.tensors.len(), 12, "four matrices in each of three layers");
}

#[test]
fn eight_bits_hurt_less_than_two() {
    let at = |bits| report(&Config { bits: Bits::new(bits).unwrap(), rule: Rule::Optimal, ..config() });
    let (two, eight) = (at(2), at(8));
    for (two, eight) in two.tensors.iter().zip(&eight.tensors) {
        assert!(eight.relative_mse < two.relative_mse / 100.0, "{}", two.name);
    }
    assert!(eight.bytes_quantized < eight.bytes_full && two.bytes_quantized < eight.bytes_quantized);
    let total = |report: &Report| report.rows.iter().map(|row| row.delta_bits_per_byte.value.abs()).sum::<f64>();
    assert!(total(&eight) < total(&two) / 10.0);
}

/// The same config gives the same bits, however the texts are cut into jobs and in whatever order these are run.
#[test]
fn the_order_of_work_does_not_change_a_bit() {
    let (model, config) = (model(), config());
    let (mut plan, _) = plan(&model, &config);
    let whole = pollster::block_on(run_plan(&model.device, &plan, |_, _| (), &async || ())).unwrap();
    plan.jobs = (0..plan.texts.len())
        .rev()
        .flat_map(|text| [1, 0].map(|recipe| fairbits::analysis::passes::Job { recipe, texts: (text, text + 1) }))
        .collect();
    let one_by_one = pollster::block_on(run_plan(&model.device, &plan, |_, _| (), &async || ())).unwrap();
    for (whole, one) in whole.iter().flatten().zip(one_by_one.iter().flatten()) {
        assert_eq!(whole.to_bits(), one.to_bits());
    }
}

#[test]
fn a_report_survives_json_bit_for_bit() {
    let report = report(&config());
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}

#[test]
fn settings_that_cannot_be_measured_get_a_sentence() {
    let refused = |change: fn(&mut Config), expected: &str| {
        let mut config = config();
        change(&mut config);
        let sentence = config.check(&corpus()).unwrap_err().to_string();
        assert_eq!(sentence, expected);
    };
    refused(|config| config.languages.clear(), "choose at least one language");
    refused(|config| config.languages.push("zzz".into()), "the corpus test has no text in language `zzz`");
    refused(|config| config.languages.push("aaa".into()), "language `aaa` is named twice");
    refused(|config| config.units = 0, "the number of units is 0; it must be between 1 and 9");
    refused(|config| config.units = 10, "the number of units is 10; it must be between 1 and 9");
    refused(|config| config.resamples = 1, "the number of resamples is 1; it must be between 100 and 100000");
}

/// A model that breaks under quantization is named as such, never averaged into a figure.
#[test]
fn a_loss_that_is_not_a_number_is_an_error() {
    let (model, config) = (model(), config());
    let (plan, quantized) = plan(&model, &config);
    let nats = vec![vec![1.0; plan.texts.len()], vec![f64::NAN; plan.texts.len()]];
    let corpus = corpus();
    let subject = Subject { model: "m", model_sha256: "0", card: None, corpus: &corpus };
    let error = languages::assemble(&config, &subject, "cpu", &plan, quantized, &nats).unwrap_err();
    assert!(matches!(error, AnalysisError::NotFinite { which: "quantized", unit: 1, .. }), "{error}");
}

/// Without a recipe nothing changes: D is exactly zero.
#[test]
fn nothing_quantized_is_nothing_lost() {
    let model = model();
    let (mut plan, _) = plan(&model, &config());
    plan.recipes[1] = plan.recipes[0].clone();
    let nats = pollster::block_on(run_plan(&model.device, &plan, |_, _| (), &async || ())).unwrap();
    assert_eq!(nats[0], nats[1]);
    let tokens: Vec<_> = plan.texts.iter().map(|text| &text.tokens).collect();
    let alone = pollster::block_on(run_texts(&model.device, model.device.full(), &tokens, &async || ())).unwrap();
    assert_eq!(nats[0], alone);
}
