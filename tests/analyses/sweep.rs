//! The bit sweep keeps its laws: losses are those of the Languages analysis, errors those of the weights, B* and verdicts follow.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use fairbits::{
    lab::{
        languages,
        sweep::{Claim, Config, Measure, Report},
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
};

use super::{CODES, UNITS, alone, model, report_of};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        draws: Resampling { resamples: 200, seed: 1 }, // Not in order: the report is.
        bits: [8, 2, 4].map(|bits| Bits::new(bits).unwrap()).to_vec(),
        rules: vec![Rule::Absmax, Rule::Optimal],
        granularity: Granularity::Tensor,
    }
}

fn run(config: Config) -> Report {
    report_of(config, &alone(&model()))
}

/// The same D(λ) and disparity, to the bit of their intervals, as the report that is about one width alone; and an error that is
/// the mean of its matrices' by their power.
#[test]
fn every_width_is_the_languages_report_at_it() {
    let report = run(config());
    let of = |of: &fairbits::lab::sweep::Outcome| (of.rule, of.bits.get());
    assert_eq!(
        report.outcomes.iter().map(of).collect::<Vec<_>>(),
        [
            (Rule::Absmax, 2),
            (Rule::Absmax, 4),
            (Rule::Absmax, 8),
            (Rule::Optimal, 2),
            (Rule::Optimal, 4),
            (Rule::Optimal, 8)
        ]
    );
    for outcome in [&report.outcomes[1], &report.outcomes[3]] {
        let alone = languages::Config {
            quantizer: Rounding { bits: outcome.bits, rule: outcome.rule, ..super::config().quantizer },
            ..super::config()
        };
        let alone = super::report(&alone);
        for (ours, row) in outcome.cost.degradation.iter().zip(&alone.rows) {
            assert_eq!(*ours, row.degradation);
        }
        assert_eq!(
            (outcome.cost.disparity, outcome.bytes),
            (alone.over(fairbits::report::Measure::Degradation).disparity, alone.bytes_quantized)
        );
        let each: Vec<f64> = alone.tensors.iter().map(|tensor| tensor.relative_mse).collect();
        let (least, most) = (each.iter().copied().fold(f64::MAX, f64::min), each.iter().copied().fold(0.0, f64::max));
        assert!(least <= outcome.error.value && outcome.error.value <= most);
        assert!(outcome.error.low < outcome.error.value && outcome.error.value < outcome.error.high);
        // Over the four languages that were seen.
        let seen: Vec<f64> = outcome.cost.degradation[..4].iter().map(|d| d.value).collect();
        let (mean, nats) = (seen.iter().sum::<f64>() / 4.0, seen.iter().map(|d| libm::log1p(*d)).sum::<f64>() / 4.0);
        assert!((outcome.mean.unwrap().value - mean).abs() < 1e-15);
        assert!((outcome.nats.unwrap().value - nats).abs() < 1e-15);
        assert!(outcome.chance.is_some_and(|p| p > 0.0 && p <= 1.0));
    }
    assert_eq!(report.matrices, 12);
}

/// Wider is nearer to the weights, and the least error has the least error.
#[test]
fn errors_fall_with_the_width_and_slopes_say_how_fast() {
    let report = run(config());
    for rule in [Rule::Absmax, Rule::Optimal] {
        let errors: Vec<f64> = report.of_rule(rule).map(|outcome| outcome.error.value).collect();
        assert!(errors.windows(2).all(|pair| pair[0] > 4.0 * pair[1]), "{errors:?}");
        let slope = report.slopes.iter().find(|slope| (slope.rule, slope.measure) == (rule, Measure::Error)).unwrap();
        assert_eq!(slope.bits.len(), 3);
        let value = slope.slope.unwrap();
        assert!(value.low <= value.value && value.value <= value.high && value.low < value.high);
        assert!((-2.6..-1.6).contains(&value.value), "{value:?}");
    }
    for (absmax, optimal) in report.of_rule(Rule::Absmax).zip(report.of_rule(Rule::Optimal)) {
        assert!(optimal.error.value <= absmax.error.value);
    }
    // A mean loss that may be 0 has no logarithm: its width is in no slope.
    for slope in report.slopes.iter().filter(|slope| slope.measure != Measure::Error) {
        let kept = report.of_rule(slope.rule).filter(|outcome| match slope.measure {
            Measure::Nats => outcome.nats.is_some_and(|of| of.low > 0.0),
            _ => outcome.mean.is_some_and(|of| of.low > 0.0),
        });
        assert_eq!(kept.map(|outcome| outcome.bits).collect::<Vec<_>>(), slope.bits);
        assert_eq!(slope.slope.is_some(), slope.bits.len() > 1);
    }
}

#[test]
fn the_widest_is_what_others_are_compared_with_and_every_claim_is_judged() {
    let report = run(config());
    for rule in [Rule::Absmax, Rule::Optimal] {
        let outcomes: Vec<_> = report.of_rule(rule).collect();
        assert!(outcomes[2].against_widest.is_none());
        let (narrow, wide) = (outcomes[0].cost.disparity.unwrap().value, outcomes[2].cost.disparity.unwrap().value);
        assert!((outcomes[0].against_widest.unwrap().difference.value - (narrow - wide)).abs() < 1e-12);
    }
    assert_eq!((report.critical.len(), report.verdicts.len()), (2, 2 * Claim::ALL.len()));
    // κ of the tiny model is light: P1 asks for 2 to 4 bits, and 3 was not measured.
    let p1 = report.verdicts.iter().find(|verdict| verdict.claim == Claim::P1).unwrap();
    assert!(p1.because.contains("were not measured decide: 3"), "{}", p1.because);
    let alone =
        run(Config { texts: Texts { languages: vec!["aaa".into(), "xxx".into()], ..config().texts }, ..config() });
    assert!(
        alone.critical.is_empty() && alone.outcomes.iter().all(|of| of.cost.disparity.is_none() && of.chance.is_none())
    );
    assert!(alone.outcomes[0].mean.is_some(), "one seen language has a mean");
}

#[test]
fn what_is_asked_twice_or_not_at_all_is_refused() {
    let refused = |config: Config| config.check().unwrap_err().to_string();
    let two = Bits::new(2).unwrap();
    let wanted = "it must be 1 or more of 2, 3, 4, 5, 6, 7, 8, each once";
    assert_eq!(
        refused(Config { bits: vec![two, two], ..config() }),
        format!("Bits per weight, one or more is “[2,2]”; {wanted}")
    );
    assert!(refused(Config { rules: vec![Rule::Absmax; 2], ..config() }).ends_with("each once"));
    assert!(refused(Config { bits: Vec::new(), ..config() }).contains(wanted));
    assert!(refused(Config { rules: Vec::new(), ..config() }).contains("1 or more of absmax"));
}
