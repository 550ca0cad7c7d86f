//! Looking into a matrix: what is shown is what the quantizer does to the weights.

use fairbits::lab::rounding::Rounding;
use fairbits::{
    lab::{
        AnalysisError, Config, languages,
        matrix::{self, Part, Report, Shown, Window},
    },
    math::{
        clipping::Rule,
        grouping::Grouping,
        quantizer::{Bits, Granularity, Quantizer, Uniform, value},
    },
};

use super::{alone, model, named, report_of};

pub fn config() -> matrix::Config {
    matrix::Config {
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Optimal, granularity: Granularity::Channel },
        layer: 1,
        part: Part::Up,
        shown: Shown::Furthest,
        window: None,
    }
}

fn looked(config: matrix::Config) -> Report {
    report_of(config, &alone(&model()))
}

/// Law: every cell of one weight is that weight, and what the scalar quantizer makes of it, under every rule and grid.
#[test]
fn cells_are_the_weights_and_their_rounding() {
    let model = model();
    let linear = model.device.spec.matrices().find(|(layer, part, _)| (*layer, *part) == (1, Part::Up)).unwrap().2;
    let values = pollster::block_on(model.device.values(&linear.weight)).unwrap();
    for granularity in Granularity::ALL {
        for rule in [Rule::Absmax, Rule::AciqGaussian] {
            let config = matrix::Config { quantizer: Rounding { granularity, rule, ..config().quantizer }, ..config() };
            let report: Report = report_of(config.clone(), &alone(&model));
            assert_eq!((report.cell, report.channels), ((1, 1), (linear.layout.k, linear.layout.n)));
            let alphas = Uniform { bits: config.quantizer.bits, granularity, rule }.find(&values, linear.layout);
            let grouping = Grouping::new(linear.layout, granularity);
            let mut clipped = 0;
            for k in 0..linear.layout.k {
                for n in 0..linear.layout.n {
                    let (x, at) = (values[linear.layout.place(k, n)], k * linear.layout.n + n);
                    let alpha = alphas[grouping.index(k, n)];
                    let rounded = value(x, alpha, config.quantizer.bits.levels());
                    assert_eq!(report.full[at] as f32, x);
                    assert_eq!(report.quantized[at] as f32, rounded);
                    assert_eq!(report.difference[at] as f32, rounded - x);
                    clipped += u64::from(x.abs() > alpha);
                }
            }
            assert_eq!(report.clipped, clipped);
            assert_eq!(report.codes.iter().sum::<u64>(), values.len() as u64);
            assert_eq!(report.codes[3], report.quantized.iter().filter(|value| **value == 0.0).count() as u64);
        }
    }
}

/// Law: the error is the one that the Languages report gives of the same tensor.
#[test]
fn the_error_is_that_of_the_languages_report() {
    let texts = languages::Config {
        quantizer: Rounding { rule: Rule::Optimal, granularity: Granularity::Channel, ..super::config().quantizer },
        ..super::config()
    };
    let of_languages = super::report(&texts);
    let report = looked(config());
    let row = of_languages.tensors.iter().find(|row| row.name == report.name).expect("the same tensor");
    assert!((report.error.total() / row.relative_mse - 1.0).abs() < 1e-5, "{:?} {}", report.error, row.relative_mse);
    let sigma = report.summary.sigma;
    assert_eq!((report.alpha.0 / sigma, report.alpha.1 / sigma), row.alpha_over_sigma);
}

/// Law: a window shows what the whole shows there.
#[test]
fn a_window_is_a_part_of_the_whole() {
    let whole = looked(config());
    let window = Window { inputs: (3, 9), outputs: (10, 31) };
    let part = looked(matrix::Config { window: Some(window), ..config() });
    assert_eq!((part.size, part.window), ((6, 21), window));
    for row in 0..6 {
        for column in 0..21 {
            let of_whole = (3 + row) * whole.channels.1 + 10 + column;
            assert_eq!(part.quantized[row * 21 + column], whole.quantized[of_whole]);
        }
    }
    let same = |report: &Report| (report.alpha, report.error, report.clipped, report.codes.clone());
    assert_eq!(same(&part), same(&whole), "figures are of the matrix, whatever is seen of it");
}

#[test]
fn what_is_not_there_is_refused_with_a_sentence() {
    let model = model();
    let refused = |config: matrix::Config| {
        let fault = pollster::block_on(fairbits::lab::run(&Config::from(config), &alone(&model))).unwrap_err();
        fault.to_string()
    };
    assert!(refused(matrix::Config { part: Part::Gate, ..config() }).contains("has no matrix of this kind"));
    assert!(refused(matrix::Config { layer: 60, ..config() }).starts_with("layer 60 has no matrix"));
    let window = Some(Window { inputs: (0, 2), outputs: (0, 100_000) });
    assert!(refused(matrix::Config { window, ..config() }).contains("reaches beyond the matrix, which has"));
    let empty = matrix::Config { window: Some(Window { inputs: (2, 2), outputs: (0, 1) }), ..config() };
    assert!(matches!(empty.check(), Err(AnalysisError::Range { .. })));
}

/// Every matrix of every architecture can be looked at.
#[test]
fn every_architecture_shows_its_matrices() {
    for name in ["gpt2-tiny", "bloom-tiny", "llama-tiny", "mamba-tiny", "mt5-tiny", "xlm-roberta-tiny"] {
        let model = named(name);
        for (layer, part, linear) in model.device.spec.matrices() {
            let report: Report = report_of(matrix::Config { layer, part, ..config() }, &alone(&model));
            assert_eq!(report.name, linear.weight, "{name}");
            assert!(report.size.0 <= matrix::MOST_CELLS && report.size.1 <= matrix::MOST_CELLS);
        }
    }
}
