//! The report of representations keeps its laws.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use fairbits::{
    lab::{
        self, activation,
        representation::{Claim, Config, Question, Report, claimed_layer},
        verdict::Ruling,
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
};

use super::{CODES, UNITS, activation as usage, alone, model, named, report_of};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 200, seed: 1 },
        reference: "bbb".into(),
        directions: 8,
    }
}

fn run(config: Config) -> Report {
    report_of(config, &alone(&model()))
}

/// Cosine and CKA are at most 1, distances above 0, the first layers move less than the last; the reference is not aligned
/// with itself; losses are those of the other reports.
#[test]
fn figures_lie_where_they_must() {
    let report = run(config());
    let usage: activation::Report = report_of(usage::config(), &alone(&model()));
    for (number, row) in report.rows.iter().enumerate() {
        assert_eq!(row.degradation, usage.rows[number].degradation, "the same D as elsewhere, to the bit");
        assert_eq!((row.layers.len(), row.script.as_str()), (3, "Hani"));
        for cell in &row.layers {
            let (cosine, cka) = (cell.cosine.unwrap(), cell.cka.unwrap());
            assert!(cosine.value > 0.5 && cosine.value < 1.0 && cka.value > 0.5 && cka.value < 1.0 + 1e-12);
            assert!(cell.sliced.unwrap().value > 0.0 && cell.channels.unwrap().value > 0.0);
            assert!(cosine.low <= cosine.value && cosine.value <= cosine.high && cosine.low < cosine.high);
            assert_eq!(cell.aligned.is_none(), row.language.code == "bbb");
            for of in cell.aligned.iter().flatten() {
                assert!((0.0..=1.0).contains(&of.found.value) && (-2.0..=2.0).contains(&of.margin.value));
            }
        }
        let mean = row.layers.iter().map(|cell| cell.sliced.unwrap().value).sum::<f64>() / 3.0;
        assert!((row.moved.unwrap().value - mean).abs() < 1e-12);
    }
    let layers = report.rows.iter().map(|row| &row.layers);
    assert!(layers.into_iter().all(|of| of[0].sliced.unwrap().value < of[2].sliced.unwrap().value), "errors add up");
}

/// At eight bits hardly anything moves; at two, everything does.
#[test]
fn more_bits_move_states_less() {
    let at = |bits| {
        run(Config {
            quantizer: Rounding { bits: Bits::new(bits).unwrap(), rule: Rule::Optimal, ..config().quantizer },
            ..config()
        })
    };
    let (two, eight) = (at(2), at(8));
    for (two, eight) in two.rows.iter().zip(&eight.rows) {
        assert!(eight.moved.unwrap().value < two.moved.unwrap().value / 10.0);
        assert!(eight.layers[2].cosine.unwrap().value > 0.999 && eight.layers[2].cka.unwrap().value > 0.999);
    }
    for (two, eight) in two.rows[0].layers.iter().zip(&eight.rows[0].layers) {
        assert_eq!(two.entropy[0], eight.entropy[0], "full precision is the same");
    }
    let changed =
        |report: &Report| report.probes.iter().flat_map(|of| &of.layers).map(|of| of.lost.value.abs()).sum::<f64>();
    assert!(changed(&eight) < 0.2 * UNITS as f64);
}

/// With one script there is no question about it; a probe's accuracy is a share, and what it lost follows.
#[test]
fn probes_ask_what_can_be_asked() {
    let report = run(config());
    let questions: Vec<Question> = report.probes.iter().map(|of| of.question).collect();
    assert_eq!(questions, [Question::Language, Question::Article], "all test languages share a script");
    assert_eq!(report.probes.iter().map(|of| of.classes).collect::<Vec<_>>(), [CODES.len(), UNITS]);
    for (at, of) in report.probes.iter().enumerate() {
        for layer in &of.layers {
            assert!((layer.full.value - layer.anew.value - layer.lost.value).abs() < 1e-12);
            assert!([layer.full, layer.anew, layer.carried].iter().all(|of| (0.0..=1.0).contains(&of.value)));
        }
        let of_rows: f64 = report.rows[..4].iter().map(|row| row.lost[at].value).sum::<f64>() / 4.0;
        let of_layers: f64 = of.layers.iter().map(|layer| layer.lost.value).sum::<f64>() / 3.0;
        assert!((of_rows - of_layers).abs() < 1e-12, "means over languages and over layers change places");
    }
}

/// Verdicts follow from their figures; three layers are too few to have a middle.
#[test]
fn verdicts_follow_from_their_figures() {
    let report = run(config());
    let ruling = |claim: Claim| report.verdicts.iter().find(|of| of.claim == claim).unwrap().ruling;
    for (claim, of) in [(Claim::I2, report.spread.moved.unwrap()), (Claim::I3, report.spread.lost.unwrap())] {
        assert_eq!(ruling(claim), Ruling::above(&of, 0.0));
    }
    assert_eq!(ruling(Claim::I4), Ruling::Undecided);
    assert_eq!([12, 24, 6, 1].map(claimed_layer), [9, 18, 4, 0]);
    let claimed = claimed_layer(3);
    for (layer, of) in report.spread.claimed.iter().enumerate() {
        let expected = report.spread.entropy[claimed].value - report.spread.entropy[layer].value;
        assert!((of.value - expected).abs() < 1e-12);
    }
    let unseen = run(Config {
        texts: Texts { languages: vec!["xxx".into()], ..config().texts },
        reference: "xxx".into(),
        ..config()
    });
    assert!(unseen.verdicts.iter().all(|of| of.ruling == Ruling::Undecided) && unseen.spread.entropy.is_empty());
}

/// Encoders, decoders beside them, parallel blocks and scans.
#[test]
fn it_runs_on_other_architectures() {
    for name in ["gpt_neox-tiny", "xlm-roberta-tiny", "mt5-tiny", "mamba-tiny"] {
        let model = named(name);
        let config = Config {
            texts: Texts { units: 4, ..config().texts },
            draws: Resampling { resamples: 100, ..config().draws },
            ..config()
        };
        let report: Report = report_of(config, &alone(&model));
        let layers = model.device.spec.blocks.len();
        assert!(report.rows.iter().all(|row| row.layers.len() == layers && row.moved.unwrap().value > 0.0), "{name}");
        let config = lab::redundancy::Config {
            texts: Texts { units: 4, ..super::redundancy::config().texts },
            draws: Resampling { resamples: 100, ..super::redundancy::config().draws },
            ..super::redundancy::config()
        };
        let report: lab::redundancy::Report = report_of(config, &alone(&model));
        assert!(report.rows.iter().all(|row| row.spectrum.len() == layers && row.loss_without.value > 0.0), "{name}");
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let refused =
        |config: Config| pollster::block_on(lab::run(&config.into(), &alone(&model()))).unwrap_err().to_string();
    assert!(refused(Config { reference: "zzz".into(), ..config() }).contains("the reference language `zzz`"));
    assert!(refused(Config { directions: 0, ..config() }).contains("Random directions of the sliced distance is “0”"));
}

/// Every measure has a map and lines, and the file is read back as it was.
#[test]
fn the_report_is_drawn_told_and_read_back() {
    use fairbits::lab::representation as told;
    use fairbits::report::chart::{Drawing, Ground};
    let found = run(config());
    for shade in told::Shade::ALL {
        assert_eq!(told::heat(&found, shade).draw(700.0, Ground::Page).marks.len(), CODES.len() * 3);
        assert_eq!(told::lines(&found, shade).draw(700.0, Ground::Page).marks.len(), 3);
    }
    for probe in &found.probes {
        assert_eq!(told::probes_chart(&found, probe).draw(700.0, Ground::Page).marks.len(), 3 * 3);
    }
    assert_eq!(told::entropy_chart(&found).unwrap().dots.len(), 3);
    assert!(told::sentence(&found).starts_with("At 3 bits states move by"));
    assert!(told::footnotes(&found).iter().any(|note| note.contains("which language (5 answers")));
    let report = lab::Report::from(found.clone());
    assert_eq!(lab::import(lab::json(&report).as_bytes()), Ok(report));
    let cut = Report { probes: Vec::new(), ..found };
    assert!(lab::import(lab::json(&cut.into()).as_bytes()).is_err());
}

#[derive(serde::Deserialize)]
struct Golden {
    units: usize,
    skipped: usize,
    languages: Vec<Spoken>,
}

#[derive(serde::Deserialize)]
struct Spoken {
    code: String,
    loss: f64,
    loss_without: f64,
    loss_baseline: f64,
    layers: Vec<Expected>,
}

#[derive(serde::Deserialize)]
struct Expected {
    cosine: f64,
    cka: f64,
    channels: f64,
    entropy: [f64; 2],
    found: [[f64; 3]; 2],
}

/// From the checkpoint to the figures against numpy in f64 (`fixtures/states_golden.py`); states here are f32.
#[test]
fn both_reports_agree_with_numpy() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/states.json");
    let golden: Golden = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let codes: Vec<String> = golden.languages.iter().map(|of| of.code.clone()).collect();
    let report =
        run(Config { texts: Texts { languages: codes.clone(), units: golden.units, ..config().texts }, ..config() });
    let close = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-5 * (1.0 + expected.abs()), "{found} against {expected}");
    };
    for (row, expected) in report.rows.iter().zip(&golden.languages) {
        for (cell, expected) in row.layers.iter().zip(&expected.layers) {
            close(cell.cosine.unwrap().value, expected.cosine);
            close(cell.cka.unwrap().value, expected.cka);
            close(cell.channels.unwrap().value, expected.channels);
            for (found, expected) in cell.entropy.iter().zip(expected.entropy) {
                close(found.value, expected);
            }
            for (found, [there, back, margin]) in cell.aligned.iter().flatten().zip(expected.found) {
                assert_eq!((found.found.value, found.found_back.value), (there, back));
                close(found.margin.value, margin);
            }
        }
    }
    let baseline = lab::redundancy::Baseline::Unigram;
    let asked = lab::redundancy::Config {
        texts: Texts { languages: codes, units: golden.units, ..super::redundancy::config().texts },
        baseline,
        ..super::redundancy::config()
    };
    let report: lab::redundancy::Report = report_of(asked, &alone(&model()));
    assert!(report.layers.iter().enumerate().all(|(layer, of)| of.left_out == (layer == golden.skipped)));
    for (row, expected) in report.rows.iter().zip(&golden.languages) {
        close(row.loss.value, expected.loss);
        close(row.loss_without.value, expected.loss_without);
        close(row.loss_baseline.value, expected.loss_baseline);
    }
}
