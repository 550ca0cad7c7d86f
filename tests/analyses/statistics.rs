//! The bench of statistics against numpy and scipy (`fixtures/statistics_golden.py`), and its laws.

use fairbits::lab::settings::Resampling;
use fairbits::{
    lab::{
        self, Needs,
        statistics::{Claim, Column, Config, Earlier, Groups, Report},
        verdict::Ruling,
    },
    math::{effect, influence, multiplicity::adjust, power, regression, student},
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    w: Vec<f64>,
    group: Vec<bool>,
    pearson: f64,
    spearman: f64,
    partial_z: f64,
    partial_zw: f64,
    coefficients: Vec<f64>,
    left_out: Vec<f64>,
    d: f64,
    d_interval: (f64, f64),
    g: f64,
    p_means: f64,
    p_pearson: f64,
    bca_partial: Ends,
    bca_pearson: Ends,
    bca_d: Ends,
    p: Vec<f64>,
    holm: Vec<f64>,
    bh: Vec<f64>,
    beta: Vec<(f64, f64, f64, f64)>,
    nct: Vec<(f64, f64, f64, f64)>,
    power: Vec<(f64, usize, f64, f64)>,
    critical: Vec<(usize, f64, f64)>,
}

/// Mean ends over seeds of scipy's, and the largest standard deviation of one seed's.
#[derive(Deserialize)]
struct Ends {
    low: f64,
    high: f64,
    scatter: f64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../fixtures/statistics.json")).expect("the fixture is what its script writes")
}

fn near(what: &str, a: f64, b: f64, bound: f64) {
    assert!((a - b).abs() <= bound, "{what}: {a} against {b}");
}

fn columns(golden: &Golden) -> Vec<Column> {
    let column =
        |name: &str, values: &[f64]| Column { name: name.into(), values: values.iter().copied().map(Some).collect() };
    vec![column("x", &golden.x), column("y", &golden.y), column("z", &golden.z), column("w", &golden.w)]
}

fn config() -> Config {
    let golden = golden();
    Config {
        draws: Resampling { resamples: 2000, seed: 1 },
        family: "golden".into(),
        labels: Vec::new(),
        columns: columns(&golden),
        target: Some(1),
        given: vec![2],
        groups: Some(Groups {
            names: ("even".into(), "odd".into()),
            rows: golden.group.iter().map(|first| if *first { 1 } else { 2 }).collect(),
        }),
        earlier: vec![Earlier { name: "before".into(), p: 0.5 }],
        alpha: 0.05,
        rho: 0.7,
        pairs: 12,
        wanted: 0.8,
        permutations: 5000,
    }
}

fn run(config: Config) -> Result<Report, String> {
    let report = pollster::block_on(lab::run_alone(&config.into(), &async |_| ())).expect("it needs nothing");
    Ok(<&Report>::try_from(&report.map_err(|fault| fault.to_string())?).unwrap().clone())
}

/// One of the report's intervals.
type Figure = fn(&Report) -> fairbits::math::statistics::Interval;

#[test]
fn special_functions_are_scipys() {
    let golden = golden();
    for (a, b, x, known) in golden.beta {
        near("beta", student::incomplete_beta(a, b, x), known, 1e-12);
    }
    for (t, df, delta, known) in golden.nct {
        near("noncentral t", student::noncentral_cdf(t, df, delta), known, 1e-9);
    }
    for (n, alpha, known) in golden.critical {
        near("critical r", power::critical(n, alpha), known, 1e-12);
    }
}

/// The bar is 0.005; numeric integration of the exact density does far better.
#[test]
fn power_is_exact() {
    for (rho, n, alpha, known) in golden().power {
        near(&format!("power of {rho}, {n}, {alpha}"), power::power(rho, n, alpha), known, 1e-8);
    }
}

#[test]
fn every_statistic_is_numpys() {
    let golden = golden();
    let Golden { x, y, z, w, .. } = &golden;
    let once = vec![1; x.len()];
    near("partial", regression::partial_correlation(x, y, &[z], &once), golden.partial_z, 1e-9);
    near("partial of two", regression::partial_correlation(x, y, &[z, w], &once), golden.partial_zw, 1e-9);
    let fit = regression::Basis::new(&[x, z, w], &once).coefficients(y);
    fit.iter().zip(&golden.coefficients).for_each(|(a, b)| near("coefficient", *a, *b, 1e-9));
    let without = influence::left_out(x, y);
    without.iter().zip(&golden.left_out).for_each(|(a, b)| near("left out", a.unwrap(), *b, 1e-9));
    for (at, adjusted) in adjust(&golden.p).iter().enumerate() {
        near("Holm", adjusted.holm, golden.holm[at], 1e-12);
        near("BH", adjusted.benjamini_hochberg, golden.bh[at], 1e-12);
        near("Bonferroni", adjusted.bonferroni, (golden.p[at] * golden.p.len() as f64).min(1.0), 1e-12);
    }
    let report = run(config()).unwrap();
    let pair = &report.pairs[0];
    let (found, partial) = (pair.found.unwrap(), pair.partial.unwrap());
    near("r", found.pearson.value, golden.pearson, 1e-9);
    near("ρ", found.spearman.value, golden.spearman, 1e-9);
    near("partial r", partial.r.value, golden.partial_z, 1e-9);
    // A permutation p is near that of t for figures that are nearly normal.
    near("p of r", found.pearson_p, golden.p_pearson, 0.02);
    let effect = report.contrasts[1].effect.unwrap();
    near("d", effect.d.value, golden.d, 1e-9);
    near("low end of d", effect.d.low, golden.d_interval.0, 1e-7);
    near("high end of d", effect.d.high, golden.d_interval.1, 1e-7);
    near("g", effect.g.value, golden.g, 1e-9);
    near("p of the means", effect.p, golden.p_means, 0.02);
    assert!((effect::hedges_factor(12.0) - 0.936_0).abs() < 1e-3, "as tables have it");
}

/// Over five seeds the mean of each end is within four standard errors of scipy's mean, both Monte Carlo.
#[test]
fn bca_ends_are_scipys_within_monte_carlo_error() {
    let golden = golden();
    let reports: Vec<Report> = (1..=5)
        .map(|seed| {
            run(Config { draws: Resampling { seed, ..config().draws }, permutations: 100, ..config() }).unwrap()
        })
        .collect();
    let mean = |of: &dyn Fn(&Report) -> f64| reports.iter().map(of).sum::<f64>() / 5.0;
    let bound = |ends: &Ends| 4.0 * ends.scatter * (1.0f64 / 5.0 + 1.0 / 20.0).sqrt();
    let cases: [(&str, &Ends, Figure); 3] = [
        ("r", &golden.bca_pearson, |report| report.pairs[0].found.unwrap().pearson),
        ("partial r", &golden.bca_partial, |report| report.pairs[0].partial.unwrap().r),
        ("d", &golden.bca_d, |report| report.contrasts[1].effect.unwrap().d_bootstrap),
    ];
    for (what, ends, of) in cases {
        near(&format!("low end of {what}"), mean(&|report| of(report).low), ends.low, bound(ends));
        near(&format!("high end of {what}"), mean(&|report| of(report).high), ends.high, bound(ends));
    }
}

#[test]
fn the_family_holds_every_test_once() {
    let report = run(config()).unwrap();
    let names: Vec<&str> = report.tests.iter().map(|test| test.name.as_str()).collect();
    // x with y and w with y, given z: r, ρ and partial r each; four contrasts; one from before.
    assert_eq!(names.len(), 2 * 3 + 4 + 1, "{names:?}");
    assert_eq!(names[0], "r of x and y");
    assert_eq!(names[2], "r of x and y given z");
    assert_eq!((names[10], report.tests[10].here), ("before", false));
    for test in &report.tests {
        assert!((test.adjusted.bonferroni - (11.0 * test.p).min(1.0)).abs() < 1e-15);
    }
    assert!(matches!(config().needs(), Needs::Nothing));
}

/// The names that settings tell are those of the tests that are made.
#[test]
fn tests_are_named_before_they_are_made() {
    let report = run(config()).unwrap();
    let made: Vec<&String> = report.tests.iter().filter(|test| test.here).map(|test| &test.name).collect();
    assert_eq!(made, config().names().iter().collect::<Vec<_>>());
}

#[test]
fn missing_figures_cost_their_rows_only() {
    let mut with_gaps = config();
    with_gaps.columns[3].values[4] = None;
    let (whole, gaps) = (run(config()).unwrap(), run(with_gaps).unwrap());
    assert_eq!(whole.pairs[0], gaps.pairs[0], "another column's gap");
    assert_eq!((whole.pairs[1].n, gaps.pairs[1].n), (24, 23));
    assert!(gaps.pairs[1].influence.iter().all(|at| at.row != 4));
    assert_eq!(gaps.columns[3].n, 23);
    let constant = Config {
        columns: vec![Column { name: "c".into(), values: vec![Some(1.0); 24] }, config().columns[1].clone()],
        target: None,
        given: Vec::new(),
        ..config()
    };
    let report = run(constant).unwrap();
    assert!(report.pairs[0].found.is_none() && report.pairs[0].influence.is_empty());
}

#[test]
fn claims_have_their_verdicts() {
    let report = run(config()).unwrap();
    let of = |claim: Claim| report.verdicts.iter().find(|verdict| verdict.claim == claim).unwrap();
    // The exact power over 12 pairs is .778, not about .85; over 30 it is .995.
    assert_eq!(of(Claim::X1).ruling, Ruling::NotSupported);
    assert!(of(Claim::X1).because.contains("0.778 over 12") && of(Claim::X1).because.contains("0.995 over 30"));
    assert_eq!(of(Claim::X2).ruling, Ruling::Supported);
    let alone = run(Config {
        columns: Vec::new(),
        target: None,
        given: Vec::new(),
        groups: None,
        earlier: Vec::new(),
        ..config()
    })
    .unwrap();
    assert_eq!(alone.verdicts[1].ruling, Ruling::Undecided, "no test, nothing to compare");
    assert_eq!(alone.power, report.power);
}

#[test]
fn what_no_statistic_can_be_made_of_is_refused() {
    let refusal = |change: fn(&mut Config)| {
        let mut config = config();
        change(&mut config);
        run(config).unwrap_err()
    };
    assert!(refusal(|c| c.columns[1].name = "x".into()).contains("two columns are called “x”"));
    assert!(refusal(|c| c.columns[1].values.truncate(23)).contains("“y” has 23 rows"));
    assert!(refusal(|c| c.columns[0].values[2] = Some(1e200)).contains("row 3 of “x”"));
    assert!(refusal(|c| c.given = vec![1]).contains("used for two things"));
    assert!(refusal(|c| c.target = Some(9)).contains("column number 9"));
    assert!(refusal(|c| c.groups.as_mut().unwrap().rows[0] = 3).contains("group 3"));
    assert!(refusal(|c| c.alpha = 0.0).contains("α: a p of at most this rejects is “0.0”"));
    assert!(refusal(|c| c.rho = 0.0).contains("true correlation"));
    assert!(refusal(|c| c.earlier[0].p = 1.5).contains("earlier test is 1.5"));
    assert!(refusal(|c| c.family = "\n".into()).contains("name of the family"));
    assert!(
        refusal(|c| c.draws.resamples = 1).contains("Bootstrap resamples is “1”; it must be a whole number from 100")
    );
    assert!(
        refusal(|c| {
            let values = vec![Some(1.0); 5000];
            c.columns = (0..40).map(|at| Column { name: at.to_string(), values: values.clone() }).collect();
            (c.target, c.given, c.groups, c.draws.resamples) = (None, Vec::new(), None, 100_000);
        })
        .contains("would take very long")
    );
}

/// Charts, tables and words of a report, and its tables as data for the next.
#[test]
fn a_report_is_drawn_told_and_read_again() {
    use fairbits::lab::statistics as told;
    use fairbits::report::{
        chart::{Drawing, Ground},
        csv,
    };
    let report = run(config()).unwrap();
    let pair = &report.pairs[0];
    let marks = |chart: &dyn Drawing| chart.draw(700.0, Ground::Page).marks.len();
    assert_eq!(marks(&told::coefficients_chart(&report).unwrap()), 2);
    assert_eq!(marks(&told::scatter(&report, pair).unwrap()), 24);
    assert_eq!(marks(&told::influence_chart(&report, pair).unwrap()), 1 + 20);
    assert_eq!(marks(&told::power_chart(&report)), report.power.curve.len() + 2);
    let sentence = told::sentence(&report);
    assert!(sentence.starts_with("Of 11 tests in the family “golden”, 1 of them made earlier, "), "{sentence}");
    assert!(told::pair_sentence(&report, pair).contains("With z held constant it is "));
    assert!(told::power_sentence(&report).contains("with probability 0.778 (exact"));
    for table in [told::pairs_table(&report), told::tests_table(&report), told::contrasts_table(&report)] {
        if table.keys.len() >= csv::FEWEST_ROWS {
            let data = csv::read(table.csv().as_bytes()).unwrap();
            assert_eq!(data.rows.len(), table.keys.len());
        }
    }
    let read = csv::read(told::tests_table(&report).csv().as_bytes()).unwrap();
    let p: Vec<f64> = read.numbers().find(|(name, _)| *name == "p").unwrap().1.iter().flatten().copied().collect();
    assert_eq!(p, report.tests.iter().map(|test| test.p).collect::<Vec<_>>(), "to the last bit");
}
