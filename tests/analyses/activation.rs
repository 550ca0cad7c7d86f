//! The report of usage keeps its laws and agrees with what the losses and norms say one by one.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use fairbits::report::Measure;
use fairbits::{
    lab::{
        self,
        activation::{Config, Pair, Report},
        languages,
    },
    math::{
        clipping::Rule,
        correlation::pearson,
        quantizer::{Bits, Granularity},
    },
};

use super::{CODES, UNITS, alone, model};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 200, seed: 1 },
        threshold: 0.0,
        permutations: 200,
    }
}

fn run(config: Config) -> Result<Report, String> {
    let report = pollster::block_on(lab::run(&config.into(), &alone(&model()))).map_err(|error| error.to_string())?;
    Ok(<&Report>::try_from(&report).unwrap().clone())
}

/// One layer above the threshold and one below, so that R̂ says something.
fn one_outlier() -> Config {
    let kurtosis: Vec<f64> = run(config()).unwrap().layers.iter().map(|layer| layer.kurtosis).collect();
    let (least, most) =
        (kurtosis.iter().copied().fold(f64::MAX, f64::min), kurtosis.iter().copied().fold(f64::MIN, f64::max));
    assert!(least < most);
    Config { threshold: 0.5 * (least + most), ..config() }
}

#[test]
fn usage_is_a_share_and_kurtosis_a_mean_by_it() {
    let report = run(one_outlier()).unwrap();
    let kurtosis: Vec<f64> = report.layers.iter().map(|layer| layer.kurtosis).collect();
    for row in &report.rows {
        assert!((row.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let whole: f64 = row.norms.iter().sum();
        for (share, norm) in row.shares.iter().zip(&row.norms) {
            assert!((share - norm / whole).abs() < 1e-15);
        }
        let mean: f64 = row.shares.iter().zip(&kurtosis).map(|(share, kurtosis)| share * kurtosis).sum();
        assert!((row.kurtosis.value - mean).abs() < 1e-12, "{} against {mean}", row.kurtosis.value);
        let own: f64 =
            row.shares.iter().zip(&report.layers).filter(|(_, layer)| layer.outlier).map(|(share, _)| share).sum();
        assert!((row.reliance.value - own).abs() < 1e-12 && own > 0.0 && own < 1.0);
        for interval in [row.kurtosis, row.reliance, row.degradation] {
            assert!(interval.low <= interval.value && interval.value <= interval.high);
            assert!(interval.low < interval.high, "texts differ, so there is a spread");
        }
    }
}

/// The same D(λ), to the bit, as the report that is about nothing else.
#[test]
fn losses_are_those_of_the_languages_report() {
    let config = one_outlier();
    let other = languages::Config {
        texts: Texts {
            corpus: config.texts.corpus.clone(),
            languages: config.texts.languages.clone(),
            units: config.texts.units,
        },
        quantizer: Rounding {
            bits: config.quantizer.bits,
            rule: config.quantizer.rule,
            granularity: config.quantizer.granularity,
        },
        draws: Resampling { resamples: config.draws.resamples, seed: config.draws.seed },
    };
    let other = pollster::block_on(lab::run(&other.into(), &alone(&model()))).unwrap();
    let languages = <&languages::Report>::try_from(&other).unwrap();
    let report = run(config).unwrap();
    for (row, other) in report.rows.iter().zip(&languages.rows) {
        assert_eq!(row.degradation.value, other.degradation.value);
    }
    let disparity = languages.over(Measure::Degradation).disparity.unwrap();
    assert_eq!(report.spread.unwrap().disparity.value, disparity.value);
}

#[test]
fn correlations_are_over_seen_languages_and_none_where_nothing_varies() {
    let report = run(one_outlier()).unwrap();
    for (pair, correlation) in Pair::ALL.into_iter().zip(&report.correlations) {
        let both: Vec<Option<(f64, f64)>> = pair.of(&report.rows);
        assert!(both[4].is_none(), "xxx was never seen");
        let (x, y): (Vec<f64>, Vec<f64>) = both.into_iter().flatten().unzip();
        let correlation = correlation.unwrap();
        assert_eq!((correlation.n, Some(correlation.pearson.value)), (4, pearson(&x, &y)), "{pair:?}");
        assert!((0.0..=1.0).contains(&correlation.pearson_p));
    }
    let spread = report.spread.unwrap();
    assert!((spread.constant.value * spread.deviation.value - spread.disparity.value).abs() < 1e-12);
    let none = run(Config { threshold: 1e9, ..config() }).unwrap();
    assert!(none.correlations[0].is_none() && none.correlations[3].is_none() && none.product.is_none());
    assert!(none.correlations[1].is_some(), "κ_eff needs no outlier layer");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let refusal = |config: Config| run(config).unwrap_err();
    assert!(refusal(Config { threshold: f64::NAN, ..config() }).contains("finite"));
    assert!(refusal(Config { permutations: 1, ..config() }).contains("Shuffles behind each p is “1”"));
}

/// Languages that the model never saw are in no figure over languages; a report of them alone can still be written and read.
#[test]
fn unseen_languages_alone_make_a_report_that_can_be_read() {
    let report = run(Config { texts: Texts { languages: vec!["xxx".into()], ..config().texts }, ..config() }).unwrap();
    assert!(report.spread.is_none() && report.layers.iter().all(|layer| layer.share_variance == 0.0));
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}
