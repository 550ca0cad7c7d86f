//! The dial's report keeps its laws: the function keeps its bits, figures follow from the losses, verdicts from the figures.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use fairbits::report::Measure;
use fairbits::{
    lab::{
        self,
        dial::{Config, Joint, Layers, Report, Stops},
        languages,
        verdict::Ruling,
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
};

use super::{CODES, UNITS, alone, model};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        draws: Resampling { resamples: 200, seed: 1 },
        furthest: 7,
        stops: Stops::Ends,
        channels: 1,
        layers: Layers::Listed,
        listed: vec![1],
        joints: Joint::ALL.to_vec(),
        channel_seed: 4,
        flatten: true,
        bits: vec![Bits::new(4).unwrap()],
        rules: vec![Rule::Absmax, Rule::Optimal],
        granularity: Granularity::Tensor,
        threshold: 5.0,
        permutations: 200,
    }
}

fn run(config: Config) -> Result<Report, String> {
    let report = pollster::block_on(lab::run(&config.into(), &alone(&model()))).map_err(|error| error.to_string())?;
    Ok(<&Report>::try_from(&report).unwrap().clone())
}

#[test]
fn tails_grow_and_the_function_keeps_its_bits() {
    let report = run(config()).unwrap();
    let kurtosis: Vec<f64> = report.points.iter().map(|point| point.max_kurtosis).collect();
    assert_eq!(report.points.len(), 3, "two turns and the flattened one");
    assert!(kurtosis[0] < kurtosis[1] && kurtosis[2] < kurtosis[1], "{kurtosis:?}");
    assert_eq!(report.points[0].proof, None, "the model as it is has nothing to be compared with");
    let compared = 64 * (UNITS * CODES.len()) as u64;
    for point in &report.points[1..] {
        let proof = point.proof.unwrap();
        assert!(proof.holds() && proof.of == compared, "{proof:?}");
        assert_eq!(point.kurtosis[0], report.points[0].kurtosis[0], "a layer that is not turned");
        if point.flattened {
            break;
        }
    }
    assert_eq!(report.outcomes.len(), 3 * 2);
}

/// At s = 1 the dial's D is that of the Languages analysis, and the furthest turn costs more than none.
#[test]
fn costs_are_those_of_the_languages_analysis() {
    let (dial, plain) = (run(config()).unwrap(), super::config());
    let plain = languages::Config {
        quantizer: Rounding { bits: Bits::new(4).unwrap(), rule: Rule::Absmax, ..plain.quantizer },
        ..plain
    };
    let plain = super::report(&plain);
    let at_rest = &dial.outcomes[0];
    assert_eq!((at_rest.point, at_rest.rule), (0, Rule::Absmax));
    for (ours, row) in at_rest.cost.degradation.iter().zip(&plain.rows) {
        assert_eq!(*ours, row.degradation);
    }
    assert_eq!(at_rest.cost.disparity, plain.over(Measure::Degradation).disparity);
    let size = |outcome: usize| dial.outcomes[outcome].cost.degradation.iter().map(|d| d.value.abs()).sum::<f64>();
    assert!(size(2) > 2.0 * size(0), "absmax at s = 128: {} against {}", size(2), size(0));
    let risen = dial.outcomes[2].risen.unwrap().difference.value;
    let (high, low) = (dial.outcomes[2].cost.disparity.unwrap().value, at_rest.cost.disparity.unwrap().value);
    assert!((risen - (high - low)).abs() < 1e-12);
    let protected = dial.outcomes[2].protected.as_ref().unwrap();
    assert_eq!(protected.layers, [1]);
    assert!(
        protected
            .cost
            .degradation
            .iter()
            .zip(&dial.outcomes[2].cost.degradation)
            .all(|(with, without)| with != without)
    );
}

/// Every claim is judged for every rounding; where all layers are turned, R̂ is 1 for all and decides nothing.
#[test]
fn verdicts_follow_from_figures() {
    let report = run(config()).unwrap();
    assert_eq!(report.verdicts.len(), 4 * 2);
    assert!(report.turned_share.iter().all(|share| (0.0..1.0).contains(share)));
    assert!(report.outcomes.iter().all(|outcome| outcome.usage.is_some_and(|usage| usage.n == 4)), "seen languages");
    let everywhere = run(Config { layers: Layers::All, ..config() }).unwrap();
    for verdict in everywhere.verdicts.iter().filter(|verdict| matches!(verdict.claim, lab::dial::Claim::K1)) {
        assert_eq!(verdict.ruling, Ruling::Undecided);
        assert!(verdict.because.contains("some layers turned"), "{}", verdict.because);
    }
}

#[test]
fn what_cannot_be_turned_gets_a_sentence() {
    let refused = |config| run(config).unwrap_err();
    assert_eq!(refused(Config { listed: vec![3], ..config() }), "layer 3 is not there; choose layers from 0 to 2");
    assert!(refused(Config { furthest: 21, ..config() }).contains("from 0 to 20"));
    assert!(refused(Config { rules: Vec::new(), ..config() }).contains("1 or more of absmax"));
}
