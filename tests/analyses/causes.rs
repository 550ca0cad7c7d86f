//! The report of causes keeps its laws, and four models under one name differ in nothing.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::{
    sample,
    settings::{Resampling, Texts},
};
use fairbits::{
    arch::{load::open, recipe::Recipe},
    backend::cpu::Cpu,
    lab::{
        activation,
        causes::{Config, Quality, Report},
        family,
        plan::{Plan, Taps},
        runner::{Alone, Lab},
        verdict::Ruling,
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
        scm::Scm,
    },
    model::source::Folder,
};

use super::{CODES, UNITS, alone, model, report_of};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 200, seed: 1 },
        reference: "aaa".into(),
        quality: Quality::BytesPerToken,
        threshold: 1e9,
        scm: Scm::SEED,
        permutations: 200,
    }
}

#[test]
fn figures_are_those_of_the_activation_report() {
    let model = model();
    let report: Report = report_of(config(), &alone(&model));
    assert!(report.by_median && report.outliers.len() == 1, "the heaviest layer");
    // Between the two largest κ, the same layer is an outlier there.
    let usage: activation::Report = report_of(super::activation::config(), &alone(&model));
    let mut kurtosis: Vec<f64> = usage.layers.iter().map(|layer| layer.kurtosis).collect();
    kurtosis.sort_by(|a, b| b.total_cmp(a));
    let threshold = 0.5 * (kurtosis[0] + kurtosis[1]);
    let usage: activation::Report =
        report_of(activation::Config { threshold, ..super::activation::config() }, &alone(&model));
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

/// By the definition: of each layer the matrix of cosines, its diagonal's mean less that of all others.
#[test]
fn alignment_is_a_margin_of_cosines() {
    let model = model();
    let lab = alone(&model);
    let report: Report = report_of(config(), &lab);
    let reading = pollster::block_on(sample::read(config().texts.sample(), &lab)).unwrap();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), 0..reading.texts.len(), Taps { means: true, ..Taps::LOSSES });
    let seen = pollster::block_on(lab.run(&plan)).unwrap();
    let width = model.device.spec.width;
    let cosine = |a: &[f64], b: &[f64]| {
        let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        inner(a, b) / (inner(a, a) * inner(b, b)).sqrt()
    };
    for (number, row) in report.rows.iter().enumerate().skip(1) {
        let mut margin = 0.0;
        let layers = model.device.spec.blocks.len();
        for layer in 0..layers {
            let of = |text: usize| &seen.means(full, text)[layer * width..][..width];
            for u in 0..UNITS {
                for v in 0..UNITS {
                    let same = cosine(of(number * UNITS + u), of(v));
                    margin += if u == v { same } else { -same / (UNITS - 1) as f64 };
                }
            }
        }
        margin /= (layers * UNITS) as f64;
        let own = row.alignment.unwrap();
        assert!((own.value - margin).abs() < 1e-12, "{} against {margin}", own.value);
        assert!(own.low <= own.value && own.value <= own.high && own.low < own.high);
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let refusal = |config: Config| config.check().unwrap_err().to_string();
    assert!(refusal(Config { reference: "zzz".into(), ..config() }).contains("`zzz`"));
    assert!(
        refusal(Config { texts: Texts { units: 1, ..config().texts }, ..config() })
            .contains("the number of units is 1")
    );
    assert!(refusal(Config { threshold: f64::NAN, ..config() }).contains("finite"));
    assert!(refusal(Config { scm: Scm { gamma: 0.0, ..Scm::SEED }, ..config() }).contains("simulated model"));
}

fn of_models(models: [&str; 4]) -> family::Config {
    family::Config {
        texts: Texts {
            corpus: "udhr".into(),
            languages: ["eng", "kor", "fin", "ell"].map(String::from).to_vec(),
            units: 2,
        },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 100, seed: 1 },
        models: models.map(String::from),
        permutations: 100,
    }
}

fn with_site(config: family::Config) -> family::Report {
    let site = Folder::new(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("public"));
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("public/models/skew-skew");
    let model = pollster::block_on(open(Cpu, &Folder::new(folder), "skew-skew", &mut ())).unwrap();
    report_of(config, &Alone { model: &model, site, progress: &|_| () })
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
    let digests: Vec<&str> = report.models.iter().map(|model| model.files.model_sha256.as_str()).collect();
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

/// Charts, tables and words of both reports.
#[test]
fn reports_are_drawn_and_told() {
    use fairbits::lab::{causes as told, family as family_words};
    use fairbits::report::chart::{Drawing, Ground};
    let marks = |chart: &dyn Drawing| chart.draw(700.0, Ground::Page).marks.len();
    let report: Report = report_of(config(), &alone(&model()));
    assert!(told::sentence(&report).starts_with("There is no path model"));
    assert_eq!(marks(&told::scatter(&report, told::Pair::AlignmentLoss).unwrap()), 3);
    assert_eq!(marks(&told::intervene_chart(&report, &Scm::SEED)), 25 + 3);
    assert!(told::intervene_sentence(&report, &Scm::SEED).contains("falls with t"));
    assert_eq!(told::table(&report).keys.len(), CODES.len());
    assert!(told::footnotes(&report).iter().any(|note| note.contains("those above the median κ were taken")));
    let family = with_site(of_models(["skew-skew", "skew-bal", "skew-skew", "bal-bal"]));
    for factor in family_words::Factor::ALL {
        assert_eq!(marks(&family_words::effects_chart(&family, factor)), 4);
    }
    assert_eq!(marks(&family_words::fit_chart(&family).unwrap()), 4);
    assert_eq!(family_words::over_all_table(&family).keys.len(), 3);
    assert!(family_words::sentence(&family).contains("Disparity is "));
}
