//! The ledger of tests: every test of every report, once.

use std::collections::BTreeSet;

use fairbits::{lab::Report, lab::tables::tables, report::csv};
use ui::tests_made::TestsMade;

use super::reports;

/// Whatever a report shows in rows can be put on the bench.
#[test]
fn tables_of_reports_are_data() {
    for report in reports() {
        for (name, table) in tables(report) {
            let read = csv::read(table.csv().as_bytes());
            match table.keys.len() < csv::FEWEST_ROWS {
                true => assert!(matches!(read, Err(csv::CsvError::Few { .. })), "{:?}, {name}", report.kind()),
                false => {
                    let data = read.unwrap_or_else(|fault| panic!("{:?}, {name}: {fault}", report.kind()));
                    assert_eq!((data.rows.len(), data.columns.len()), (table.keys.len(), table.columns.len() + 1));
                    assert!(data.numbers().count() > 0, "{:?}, {name}", report.kind());
                }
            }
        }
    }
}

#[test]
fn every_test_is_written_down_once_and_a_run_can_be_left_out() {
    let mut ledger = TestsMade::default();
    for (run, report) in reports().iter().chain(reports()).enumerate() {
        ledger.take(run as u64, report);
    }
    let all = ledger.earlier(&BTreeSet::new(), None);
    assert_eq!(ledger.table().keys.len(), all.len(), "each report is there twice, and counts once");
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
    let without = ledger.earlier(&[3].into(), None);
    assert!(without.len() < all.len() && without.iter().all(|test| !test.name.starts_with("activation")));
    // The bench's own tests, made again on the same figures, are not counted twice; on others they are.
    let own = super::small::statistics();
    let again = ledger.earlier(&BTreeSet::new(), Some(&own));
    assert_eq!(again.len(), all.len() - statistics);
    let mut other = own;
    other.draws.seed = 2;
    assert_eq!(ledger.earlier(&BTreeSet::new(), Some(&other)).len(), all.len());
}
