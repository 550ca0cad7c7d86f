//! The report of causes keeps its laws, and four models under one name differ in nothing.

use fairbits::{
    analysis::{
        activation,
        causes::{Config, Quality, Report},
        family,
        lab::{Alone, Progress},
        verdict::Ruling,
    },
    arch::load::open,
    backend::cpu::Cpu,
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
        scm::Scm,
    },
    model::source::Folder,
};

use super::{CODES, UNITS, lab, model, report_of};

pub fn config() -> Config {
    Config {
        corpus: "test".into(),
        languages: CODES.map(String::from).to_vec(),
        units: UNITS,
        reference: "aaa".into(),
        quality: Quality::BytesPerToken,
        bits: Bits::new(3).unwrap(),
        rule: Rule::Absmax,
        granularity: Granularity::Tensor,
        threshold: 1e9,
        scm: Scm::SEED,
        resamples: 200,
        permutations: 200,
        seed: 1,
    }
}

#[test]
fn figures_are_those_of_the_activation_report() {
    let model = model();
    let report: Report = report_of(config(), &lab(&model));
    assert!(report.by_median && report.outliers.len() == 1, "of two layers the heavier");
    // Between the two κ, the same layer is an outlier there.
    let usage: activation::Report = report_of(super::activation::config(), &lab(&model));
    let kurtosis: Vec<f64> = usage.layers.iter().map(|layer| layer.kurtosis).collect();
    let threshold = 0.5 * (kurtosis[0] + kurtosis[1]);
    let usage: activation::Report =
        report_of(activation::Config { threshold, ..super::activation::config() }, &lab(&model));
    for (row, other) in report.rows.iter().zip(&usage.rows) {
        assert_eq!((row.redundancy, row.degradation), (other.reliance, other.degradation), "{}", row.language.code);
        // One letter of three bytes is one token, and words do not end.
        assert!((row.fertility.tokens_per_byte - 1.0 / 3.0).abs() < 1e-12);
        assert!((row.tokenization - 3.0).abs() < 1e-12);
        assert_eq!(row.fertility.words, UNITS);
    }
    let aligned: Vec<bool> = report.rows.iter().map(|row| row.alignment.is_some()).collect();
    assert_eq!(aligned, [false, true, true, true, true]);
    assert!(report.paths.is_none() && report.verdicts[0].ruling == Ruling::Undecided, "four languages are too few");
    assert_eq!(report.alignment.unwrap().n, 3, "neither the reference nor the unseen language");
    assert!(report.tokenization.is_none(), "T does not vary");
}

/// A language that is the reference under another name has the margin of the reference with itself: none is larger.
#[test]
fn a_margin_is_a_difference_of_cosines() {
    let report: Report = report_of(config(), &lab(&model()));
    for row in report.rows.iter().filter_map(|row| row.alignment) {
        assert!(row.value.abs() <= 2.0 && row.low <= row.value && row.value <= row.high);
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let refusal = |config: Config| config.check().unwrap_err().to_string();
    assert!(refusal(Config { reference: "zzz".into(), ..config() }).contains("`zzz`"));
    assert!(refusal(Config { units: 1, ..config() }).contains("the number of units is 1"));
    assert!(refusal(Config { threshold: f64::NAN, ..config() }).contains("finite"));
    assert!(refusal(Config { scm: Scm { gamma: 0.0, ..Scm::SEED }, ..config() }).contains("simulated model"));
}

fn of_models(models: [&str; 4]) -> family::Config {
    family::Config {
        models: models.map(String::from),
        corpus: "udhr".into(),
        languages: ["eng", "kor", "fin", "ell"].map(String::from).to_vec(),
        units: 2,
        bits: Bits::new(3).unwrap(),
        rule: Rule::Absmax,
        granularity: Granularity::Tensor,
        resamples: 100,
        permutations: 100,
        seed: 1,
    }
}

fn with_site(config: family::Config) -> family::Report {
    let site = Folder::new(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("public"));
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("public/models/skew-skew");
    let model = pollster::block_on(open(Cpu, &Folder::new(folder), "skew-skew", &mut ())).unwrap();
    report_of(config, &Alone { model: &model, site, progress: |_: Progress| () })
}

#[test]
fn the_same_model_four_times_has_no_effects() {
    let report = with_site(of_models(["skew-skew"; 4]));
    for row in &report.rows {
        let [first, others @ ..] = row.degradation.of;
        assert!(others.iter().all(|other| *other == first));
        let effects = row.degradation.effects;
        for effect in [effects.data, effects.tokenizer, effects.interaction] {
            assert_eq!((effect.value, effect.low, effect.high), (0.0, 0.0, 0.0));
        }
    }
    assert!(report.fit.is_none() && report.verdicts[0].ruling == Ruling::Undecided);
}

#[test]
fn another_tokenizer_shows_in_tokens_and_losses() {
    let report = with_site(of_models(["skew-skew", "skew-bal", "skew-skew", "skew-bal"]));
    let digests: Vec<&str> = report.models.iter().map(|origin| origin.model_sha256.as_str()).collect();
    assert!(digests[0] == digests[2] && digests[1] == digests[3] && digests[0] != digests[1]);
    for row in &report.rows {
        let effects = row.degradation.effects;
        assert_eq!((effects.data.value, effects.interaction.value), (0.0, 0.0), "{}", row.language.code);
        assert!((effects.tokenizer.value - (row.degradation.of[1].value - row.degradation.of[0].value)).abs() < 1e-12);
        assert_ne!(row.bytes_per_token[0], row.bytes_per_token[1]);
    }
    let mean = report.mean.unwrap();
    let own = report.rows.iter().map(|row| row.degradation.effects.tokenizer.value).sum::<f64>() / 4.0;
    assert!((mean.effects.tokenizer.value - own).abs() < 1e-12);
    assert!(report.fit.is_some());
}
