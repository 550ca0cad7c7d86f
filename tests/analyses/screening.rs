//! The screening keeps its laws and agrees with the analyses whose figures it takes.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use fairbits::{
    lab::{
        activation,
        screening::{
            Advice, Claim, Config, Needed, Report,
            models::{ModelEntry, across},
        },
        verdict::Ruling,
    },
    math::{
        clipping::Rule,
        correlation::pearson,
        quantizer::{Bits, Granularity},
    },
};

use super::{CODES, UNITS, alone, model, named, report_of};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 200, seed: 1 },
        light: 5.0,
        heavy: 50.0,
        variance: 0.001,
        safe: Bits::new(8).unwrap(),
        permutations: 200,
    }
}

fn run(config: Config) -> Report {
    report_of(config, &alone(&model()))
}

/// With bounds that make one layer an outlier: ā_outlier, D, disparity and r are the Activation report's, to the bit.
#[test]
fn figures_are_those_of_the_activation_report() {
    let kurtosis: Vec<f64> = run(config()).layers.iter().map(|layer| layer.kurtosis).collect();
    let mut sorted = kurtosis.clone();
    sorted.sort_by(f64::total_cmp);
    let light = 0.5 * (sorted[sorted.len() - 1] + sorted[sorted.len() - 2]);
    let report = run(Config { light, ..config() });
    assert!(!report.stand_in && report.layers.iter().filter(|layer| layer.outlier).count() == 1);
    let Config { texts, quantizer, draws, permutations, .. } = config();
    let usual = activation::Config { texts, quantizer, draws, threshold: light, permutations };
    let usual: activation::Report = report_of(usual, &alone(&model()));
    for (row, other) in report.rows.iter().zip(&usual.rows) {
        assert_eq!((row.usage, row.degradation), (other.reliance, other.degradation));
    }
    assert_eq!(report.disparity, usual.spread.map(|spread| spread.disparity));
    assert_eq!(report.correlation, usual.correlations[0]);
    let seen: Vec<f64> = report.rows[..4].iter().map(|row| row.usage.value).collect();
    let mean = seen.iter().sum::<f64>() / 4.0;
    let variance = seen.iter().map(|of| (of - mean) * (of - mean)).sum::<f64>() / 4.0;
    assert!((report.variance.unwrap().value - variance).abs() < 1e-15);
    assert_eq!(report.max_kurtosis, sorted[sorted.len() - 1]);
}

#[test]
fn conditions_branch_and_verdicts_follow_the_bounds() {
    let light = run(config());
    assert!(light.stand_in && light.max_kurtosis < 5.0);
    assert_eq!(light.conditions.iter().map(|of| of.which).collect::<Vec<_>>(), [Needed::C1, Needed::C2, Needed::C3]);
    assert_eq!((light.conditions[0].met, light.conditions[2].met), (Some(false), Some(true)));
    assert_eq!((light.advice, light.expected()), (Advice::Standard, Some(false)));
    assert_eq!(light.verdicts.iter().map(|of| of.claim).collect::<Vec<_>>(), Claim::ALL);
    let ruling = |report: &Report, claim: Claim| {
        let verdict = report.verdicts.iter().find(|verdict| verdict.claim == claim).unwrap();
        (verdict.ruling, verdict.because.clone())
    };
    // C3 is met: one model cannot say what would be without it.
    assert_eq!(ruling(&light, Claim::C3).0, Ruling::Undecided);
    assert!(ruling(&light, Claim::C3).1.contains("it is met"));
    assert!(ruling(&light, Claim::C1).1.contains("disparity, corrected for noise"));
    assert_eq!(ruling(&light, Claim::C1).0, ruling(&light, Claim::M1).0, "both ask for a disparity of 0 here");
    // The same model by bounds below its κ: heavy, and every condition met.
    let heavy = run(Config { light: -3.0, heavy: -2.0, variance: 0.0, ..config() });
    assert_eq!(heavy.advice, Advice::Protect);
    assert!(heavy.layers.iter().all(|layer| layer.outlier) && !heavy.stand_in);
    assert!(heavy.correlation.is_none(), "the share of all layers is 1 for all");
    assert!(ruling(&heavy, Claim::P4).1.starts_with("r needs at least three languages"));
    // As many bits as are safe: C3 fails.
    let wide = run(Config { quantizer: Rounding { bits: Bits::new(8).unwrap(), ..config().quantizer }, ..config() });
    assert_eq!((wide.conditions[2].met, wide.expected()), (Some(false), Some(false)));
    assert_ne!(ruling(&wide, Claim::C3).1, ruling(&light, Claim::C3).1);
}

#[test]
fn seen_languages_alone_decide() {
    let report = run(config());
    let of =
        |figure: fn(&fairbits::lab::screening::Row) -> f64| report.rows[..4].iter().map(figure).collect::<Vec<f64>>();
    let r = report.correlation.unwrap();
    assert_eq!(
        (r.n, Some(r.pearson.value)),
        (4, pearson(&of(|row| row.usage.value), &of(|row| row.degradation.value)))
    );
    let one =
        run(Config { texts: Texts { languages: vec!["aaa".into(), "xxx".into()], ..config().texts }, ..config() });
    assert!(one.variance.is_none() && one.disparity.is_none() && one.correlation.is_none());
    assert_eq!(one.conditions[1].met, None);
    assert_eq!(one.mix.unwrap().languages, 4, "of the card, whatever was measured");
}

/// Models of different families stand side by side; the newest of the same model stays.
#[test]
fn models_are_compared_by_what_they_were_asked() {
    let reports: Vec<Report> = ["gpt2-tiny", "bloom-tiny", "llama-tiny"]
        .iter()
        .map(|name| report_of(config(), &alone(&named(name))))
        .collect();
    let entries: Vec<ModelEntry> = reports.iter().map(|report| ModelEntry::of(report, false)).collect();
    let families: Vec<&str> = entries.iter().map(|entry| entry.traits.architecture.as_str()).collect();
    assert_eq!(families, ["gpt2", "bloom", "llama"]);
    let verdicts = across(&entries, 5.0, 50.0);
    assert!(verdicts[0].because.matches("max κ").count() == 3, "all three are light: {}", verdicts[0].because);
    assert_eq!(verdicts[1].ruling, Ruling::Undecided, "one class of tails has no order");
}

#[test]
fn bounds_without_room_are_refused() {
    let refused = |config: Config| config.check().unwrap_err().to_string();
    assert!(refused(Config { light: 50.0, ..config() }).contains("must be below that of heavy tails"));
    assert!(refused(Config { heavy: f64::INFINITY, ..config() }).contains("must be a finite number"));
    assert!(refused(Config { variance: f64::NAN, ..config() }).contains("Var of ā_outlier"));
    assert!(refused(Config { permutations: 1, ..config() }).contains("Shuffles behind each p is “1”"));
}
