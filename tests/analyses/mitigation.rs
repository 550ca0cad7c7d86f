//! The table of methods keeps its laws: what is protected loses nothing, equal weights give equal figures, texts are run once.

use fairbits::lab::settings::{Resampling, Texts};
use fairbits::{
    lab::{
        self,
        mitigation::{Config, Method, Report, Row},
    },
    math::quantizer::Bits,
};

use super::{CODES, UNITS, alone, model};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        draws: Resampling { resamples: 200, seed: 1 },
        bits: Bits::new(3).unwrap(),
        threshold: 1e9,
        methods: Method::ALL.to_vec(),
        own: Vec::new(),
    }
}

fn run(config: Config) -> Result<Report, String> {
    let report = pollster::block_on(lab::run(&config.into(), &alone(&model()))).map_err(|error| error.to_string())?;
    Ok(<&Report>::try_from(&report).unwrap().clone())
}

fn row(report: &Report, method: Method) -> &Row {
    report.rows.iter().find(|row| row.method == method).unwrap()
}

#[test]
fn methods_that_come_to_the_same_weights_share_their_passes() {
    let report = run(config()).unwrap();
    assert_eq!(report.rows.iter().map(|row| row.method).collect::<Vec<_>>(), Method::ALL);
    let absmax = row(&report, Method::Absmax);
    for same in [Method::EightBits, Method::FullPrecision, Method::Own] {
        assert_eq!(row(&report, same).cost, absmax.cost, "without outlier layers and own widths {same:?} is absmax");
        assert_eq!(row(&report, same).change.unwrap().difference.value, 0.0);
    }
    // Full precision, absmax, ACIQ, optimum, channel, group, flattened: seven over all texts. A runs every text once more,
    // C those alone that it takes for another language.
    let (right, all) = report.confusion.as_ref().unwrap().right();
    assert_eq!(all as usize, UNITS * CODES.len());
    let expected = 8.0 + f64::from(all - right) / f64::from(all);
    assert!((report.passes - expected).abs() < 1e-12, "{} passes, not {expected}", report.passes);
}

#[test]
fn what_is_in_full_precision_loses_nothing() {
    let layers = run(config()).unwrap().kurtosis.len();
    let methods = vec![Method::Absmax, Method::FullPrecision, Method::Own];
    let report = run(Config { threshold: -10.0, own: vec![None; layers], methods, ..config() }).unwrap();
    for method in [Method::FullPrecision, Method::Own] {
        let row = row(&report, method);
        assert!(row.cost.degradation.iter().all(|d| (d.value, d.low, d.high) == (0.0, 0.0, 0.0)), "{row:?}");
        assert_eq!((row.cost.disparity.unwrap().value, row.bytes), (0.0, report.bytes_full));
        assert_eq!(row.score.unwrap().value, 0.0, "nothing is saved");
        let change = row.change.unwrap();
        assert_eq!(change.reduction.value, 1.0);
        assert_eq!(change.difference.value, -row_disparity(&report, Method::Absmax));
    }
}

fn row_disparity(report: &Report, method: Method) -> f64 {
    row(report, method).cost.disparity.unwrap().value
}

#[test]
fn eight_bits_for_some_layers_cost_their_memory_and_nothing_else_changes() {
    let kurtosis = run(config()).unwrap().kurtosis;
    let most = kurtosis.iter().copied().fold(f64::MIN, f64::max);
    let threshold = kurtosis.iter().copied().filter(|k| *k < most).fold(f64::MIN, f64::max);
    let report = run(Config { threshold, ..config() }).unwrap();
    assert_eq!(report.outliers.len(), 1);
    let own: Vec<Option<Bits>> =
        (0..kurtosis.len()).map(|layer| Bits::new(if report.outliers.contains(&layer) { 8 } else { 3 })).collect();
    let by_hand = run(Config { threshold, own, ..config() }).unwrap();
    assert_eq!(row(&by_hand, Method::Own).cost, row(&report, Method::EightBits).cost);
    let [absmax, eight, full] =
        [Method::Absmax, Method::EightBits, Method::FullPrecision].map(|method| row(&report, method).bytes);
    assert!(absmax < eight && eight < full && full < report.bytes_full);
}

/// The score is √((1 − bytes/f32 bytes)/(1 + disparity)), and its interval that of the disparity, turned round.
#[test]
fn the_score_follows_from_memory_and_disparity() {
    let report = run(config()).unwrap();
    for row in &report.rows {
        let (score, disparity) = (row.score.unwrap(), row.cost.disparity.unwrap());
        let expected = |d: f64| ((1.0 - row.bytes as f64 / report.bytes_full as f64) / (1.0 + d)).sqrt();
        for (own, of) in [(score.value, disparity.value), (score.low, disparity.high), (score.high, disparity.low)] {
            assert!((own - expected(of)).abs() < 1e-15);
        }
    }
}

#[test]
fn nothing_but_full_precision_can_be_asked_for() {
    let report = run(Config { methods: Vec::new(), ..config() }).unwrap();
    assert!(report.rows.is_empty() && report.confusion.is_none());
    assert_eq!(report.passes, 1.0);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let refusal = |config: Config| run(config).unwrap_err();
    assert!(refusal(Config { threshold: f64::INFINITY, ..config() }).contains("finite"));
    assert!(refusal(Config { texts: Texts { units: 1, ..config().texts }, ..config() }).contains("guessed from is 1"));
    assert!(refusal(Config { own: vec![None], ..config() }).contains("a width of their own is 1"));
}
