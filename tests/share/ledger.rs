//! The ledger of tests: every test of every report, once.

use std::collections::BTreeSet;

use fairbits::{analysis::Report, share::digest, ui::ledger::Ledger};

use super::reports;

#[test]
fn every_test_is_written_down_once_and_a_run_can_be_left_out() {
    let mut ledger = Ledger::default();
    for (run, report) in reports().iter().chain(reports()).enumerate() {
        ledger.take(run as u64, report, digest(report).as_deref());
    }
    let all = ledger.earlier(&BTreeSet::new());
    assert_eq!(ledger.table().rows.len(), all.len(), "each report is there twice, and counts once");
    let p_of_usage = reports().iter().find_map(|report| match report {
        Report::Activation(report) => report.correlations[1].map(|found| found.pearson_p),
        _ => None,
    });
    let usage = "activation, run 3: r of effective kurtosis κ_eff and loss D";
    assert_eq!(all.iter().find(|test| test.name == usage).map(|test| test.p), p_of_usage);
    let here = |report: &Report| match report {
        Report::Statistics(report) => report.tests.iter().filter(|test| test.here).count(),
        _ => 0,
    };
    let statistics = reports().iter().map(here).sum::<usize>();
    assert_eq!(all.iter().filter(|test| test.name.starts_with("statistics, ")).count(), statistics);
    assert!(!all.iter().any(|test| test.name.contains("before")), "what came with a family is not made again");
    let without = ledger.earlier(&[3].into());
    assert!(without.len() < all.len() && without.iter().all(|test| !test.name.starts_with("activation")));
}
