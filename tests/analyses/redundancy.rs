//! The report of redundancy keeps its laws and agrees with what the losses say one by one.

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use fairbits::{
    arch::recipe::Recipe,
    lab::{
        self, activation,
        redundancy::{Baseline, Claim, Config, Delta, Error, Measure, Report, bound},
        verdict::Ruling,
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
    },
};

use super::{CODES, UNITS, activation as usage, alone, model, plan, report_of, run_texts};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: UNITS },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 200, seed: 1 },
        threshold: 1e9,
        top: 1,
        baseline: Baseline::Uniform,
        permutations: 200,
    }
}

fn run(config: Config) -> Report {
    report_of(config, &alone(&model()))
}

fn at(measure: Measure) -> usize {
    Measure::ALL.iter().position(|own| *own == measure).unwrap()
}

/// Each R follows from the losses and norms of the same texts, each loss from a pass of its own.
#[test]
fn every_redundancy_follows_from_its_definition() {
    let (report, model) = (run(config()), model());
    let left_out: Vec<usize> = (0..3).filter(|&layer| report.layers[layer].left_out).collect();
    let largest = report.layers.iter().map(|layer| layer.kurtosis).fold(f64::MIN, f64::max);
    assert_eq!((left_out.len(), report.layers[left_out[0]].kurtosis, report.above), (1, largest, false));
    let recipe = Recipe { skipped: left_out.iter().copied().collect(), ..Recipe::default() };
    let weights = pollster::block_on(model.device.apply(&recipe)).unwrap();
    let plan = plan(&model);
    let tokens: Vec<_> = plan.texts().iter().map(|text| &text.tokens).collect();
    let nats = |weights| pollster::block_on(run_texts(&model.device, weights, &tokens, &async || ())).unwrap();
    let (full, without) = (nats(model.device.full()), nats(&weights));
    let usage: activation::Report = report_of(usage::config(), &alone(&model));
    for (language, row) in report.rows.iter().enumerate() {
        let texts = language * UNITS..(language + 1) * UNITS;
        let scored: usize = plan.texts()[texts.clone()].iter().map(|text| text.scored).sum();
        let bits = |nats: &[f64]| nats[texts.clone()].iter().sum::<f64>() / scored as f64 / std::f64::consts::LN_2;
        let (loss, short, uniform) = (bits(&full), bits(&without), libm::log2(101.0));
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
        close(row.loss.value, loss);
        close(row.loss_without.value, short);
        close(row.loss_baseline.value, uniform);
        let of = |measure| row.redundancy[at(measure)].unwrap().value;
        close(of(Measure::Information), uniform - 2.0 * loss);
        close(of(Measure::Ablation), (short - loss) / (uniform - loss));
        close(of(Measure::Proxy), left_out.iter().map(|&layer| usage.rows[language].shares[layer]).sum());
        let mean = row.spectrum.iter().map(|of| of.value).sum::<f64>() / 3.0;
        close(of(Measure::Spectrum), mean);
        let widest = libm::log2(model.device.spec.width as f64);
        assert!(row.spectrum.iter().all(|of| of.value > 0.0 && of.value < widest && of.low < of.high));
        assert_eq!(row.degradation, usage.rows[language].degradation, "the same D as elsewhere, to the bit");
        let shares = usage.rows[language].shares.iter();
        close(
            row.weight_error.value,
            shares.zip(&report.layers).map(|(share, layer)| share * layer.relative_mse).sum(),
        );
    }
}

/// Above the threshold all outlier layers are left out, and a unigram reader knows more than a uniform one of texts alike.
#[test]
fn the_threshold_decides_before_the_number_does() {
    let all = run(Config { threshold: -10.0, ..config() });
    assert!(all.above && all.layers.iter().all(|layer| layer.left_out));
    assert!(all.rows.iter().all(|row| (row.redundancy[at(Measure::Proxy)].unwrap().value - 1.0).abs() < 1e-12));
    let unigram = run(Config { baseline: Baseline::Unigram, ..config() });
    assert!(unigram.rows.iter().zip(&all.rows).all(|(a, b)| a.loss == b.loss));
    assert!(unigram.rows.iter().zip(&all.rows).any(|(a, b)| a.loss_baseline != b.loss_baseline));
}

/// The bound is theorem 1's, a language above it is named, and the unseen one is in no figure over languages.
#[test]
fn bounds_and_lines_are_over_seen_languages() {
    let report = run(config());
    assert_eq!(bound(Bits::new(2).unwrap(), 1.0, 2.0), Some(3.0 / 16.0 / 3.0));
    assert_eq!(bound(Bits::new(2).unwrap(), -2.0, 2.0), None);
    assert_eq!(report.relations.len(), Measure::ALL.len() * Error::ALL.len());
    for of in &report.relations {
        assert_eq!(of.seen, 4);
        assert!(of.n <= 4 && of.bounds.len() == Delta::ALL.len());
        for (reading, held) in Delta::ALL.into_iter().zip(&of.bounds) {
            assert_eq!(held.delta, reading.of(report.config.quantizer.bits));
            assert!(!held.violated.contains(&"xxx".to_string()) && held.violated.len() + held.kept <= 4);
            for (row, excess) in report.rows.iter().zip(&held.excess) {
                let redundancy = row.redundancy[at(of.measure)].unwrap().value;
                let expected = bound(report.config.quantizer.bits, redundancy, held.delta)
                    .map(|bound| of.error.of(row).value - bound);
                assert_eq!(excess.map(|of| of.value), expected);
                let above = excess.is_some_and(|of| of.low > 0.0) && row.language.code != "xxx";
                assert_eq!(held.violated.contains(&row.language.code), above);
            }
        }
    }
}

/// The corollary's ratios are of means over the card's levels, and the verdicts follow from them.
#[test]
fn ratios_are_of_low_over_high_and_decide_the_corollary() {
    let report = run(config());
    assert_eq!(report.ratios.len(), Measure::ALL.len() * Error::ALL.len() * Delta::ALL.len());
    let row = |code: &str| report.rows.iter().find(|row| row.language.code == code).unwrap();
    let (high, low) = (row("aaa"), row("ddd"));
    for of in &report.ratios {
        let [r_high, r_low] = [high, low].map(|row| row.redundancy[at(of.measure)].unwrap().value);
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        close(of.observed.value, of.error.of(low).value / of.error.of(high).value);
        close(of.predicted.value, (r_high + of.delta) / (r_low + of.delta));
        close(of.difference.value, of.observed.value - of.predicted.value);
        close(of.gap.value, r_high - r_low);
    }
    assert_eq!(report.verdicts.len(), Claim::ALL.len() * Measure::ALL.len());
    for verdict in report.verdicts.iter().filter(|of| of.claim == Claim::T1c) {
        let own = report.ratios.iter().filter(|of| of.measure == verdict.measure && of.error == Error::Loss);
        let sure = own.clone().all(|of| of.gap.low > 0.0);
        let larger = own.clone().all(|of| of.difference.low > 0.0);
        assert_eq!(verdict.ruling == Ruling::Supported, sure && larger, "{}", verdict.because);
        assert!(sure || verdict.ruling == Ruling::Undecided, "{}", verdict.because);
    }
}

#[test]
fn what_cannot_be_left_out_is_refused() {
    let refused =
        |config: Config| pollster::block_on(lab::run(&config.into(), &alone(&model()))).unwrap_err().to_string();
    assert!(refused(Config { threshold: f64::NAN, ..config() }).contains("finite"));
    assert!(
        refused(Config { top: 0, ..config() })
            .contains("Layers to leave out where no layer is an outlier layer is “0”")
    );
}

/// Every pick has a chart with a dot per seen language whose R is above 0, and the file is read back as it was.
#[test]
fn the_report_is_drawn_told_and_read_back() {
    use fairbits::lab::redundancy as told;
    use fairbits::report::chart::{Drawing, Ground};
    let found = run(config());
    assert_eq!(told::languages_table(&found).apart, [false, false, false, false, true]);
    for pick in told::Pick::all() {
        let of = found.relations.iter().find(|of| of.measure == pick.measure && of.error == pick.error).unwrap();
        let chart = told::chart(&found, pick);
        assert_eq!(chart.as_ref().map_or(0, |chart| chart.dots.len()), of.n, "{}", pick.key());
        if let Some(chart) = chart {
            assert_eq!(chart.draw(700.0, Ground::Page).marks.len(), of.n);
        }
        assert!(told::pick_sentence(&found, pick).contains("against 1/R"));
        assert_eq!(told::chart_table(&found, pick).keys.len(), of.n);
    }
    assert_eq!(told::heat(&found).draw(700.0, Ground::Page).marks.len(), CODES.len() * 3);
    assert!(told::sentence(&found).contains("Without layer"));
    assert!(told::footnotes(&found).iter().any(|note| note.contains("no layer's κ lies above")));
    let report = lab::Report::from(found.clone());
    assert_eq!(lab::import(lab::json(&report).as_bytes()), Ok(report));
    let cut = Report { rows: found.rows[..2].to_vec(), ..found };
    assert!(lab::import(lab::json(&cut.into()).as_bytes()).is_err());
}
