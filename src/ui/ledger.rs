//! Every test made since the page was opened, run by run, so that a correction can count them all.

use std::collections::BTreeSet;

use crate::protocol::{Kind, Report};
use crate::report::ledger::{Entry, tests};
use crate::report::statistics::{Earlier, MOST_LETTERS};
use crate::report::table::{Cell, Column, Table};

/// The tests of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Its number.
    pub run: u64,
    /// Which analysis.
    pub kind: Kind,
    /// Digest of its report, where it has one.
    digest: Option<String>,
    /// Its tests.
    pub tests: Vec<Entry>,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger(Vec<Made>);

impl Ledger {
    /// Takes in a run that came to its end. The same report again is the same tests, not more of them.
    pub fn take(&mut self, run: u64, report: &Report, digest: Option<&str>) {
        let tests = tests(report);
        let known = |made: &Made| digest.is_some() && made.digest.as_deref() == digest;
        if !tests.is_empty() && !self.0.iter().any(known) {
            self.0.push(Made { run, kind: report.kind(), digest: digest.map(String::from), tests });
        }
    }

    /// Run by run.
    pub fn runs(&self) -> &[Made] {
        &self.0
    }

    /// The tests of all runs but those left out, as a family counts them.
    pub fn earlier(&self, left_out: &BTreeSet<u64>) -> Vec<Earlier> {
        let counted = self.0.iter().filter(|made| !left_out.contains(&made.run));
        let earlier = |made: &Made, test: &Entry| Earlier {
            name: format!("{}, run {}: {}", made.kind.name(), made.run, test.name).chars().take(MOST_LETTERS).collect(),
            p: test.p,
        };
        counted.flat_map(|made| made.tests.iter().map(move |test| earlier(made, test))).collect()
    }

    /// Every test.
    pub fn table(&self) -> Table {
        let all = || self.0.iter().flat_map(|made| made.tests.iter().map(move |test| (made, test)));
        Table {
            columns: vec![
                Column::plain("test", "Test", "What was tested"),
                Column::plain("analysis", "Analysis", "Which page made it"),
                Column::plain("run", "Run", "In which run since the page was opened"),
                Column::plain("p", "p", "Taken alone"),
            ],
            of: "number",
            keys: (1..=all().count()).map(|number| number.to_string()).collect(),
            apart: Vec::new(),
            rows: all()
                .map(|(made, test)| {
                    let (name, kind) = (test.name.clone(), made.kind.name().to_string());
                    vec![Cell::Text(name), Cell::Text(kind), Cell::Count(made.run), Cell::Number(test.p)]
                })
                .collect(),
        }
    }
}
