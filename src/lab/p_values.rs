//! Every test that a report made: what a correction for many tests must count to be honest.

use super::Report;
use crate::math::correlation::Correlation;

/// A test.
#[derive(Debug, Clone, PartialEq)]
pub struct TestMade {
    /// What was tested.
    pub name: String,
    /// Its p.
    pub p: f64,
    /// Shuffles behind it.
    pub shuffles: usize,
}

/// All tests of a report, in its order. Analyses that give intervals without a p make none.
pub fn tests(report: &Report) -> Vec<TestMade> {
    let mut made = Tests { tests: Vec::new(), shuffles: report.shuffles() };
    report.tests(&mut made);
    made.tests
}

/// Tests as an analysis names them.
#[derive(Debug)]
pub struct Tests {
    tests: Vec<TestMade>,
    shuffles: usize,
}

impl Tests {
    /// One more.
    pub fn add(&mut self, name: String, p: f64) {
        self.tests.push(TestMade { name, p, shuffles: self.shuffles });
    }

    /// Both tests of a correlation, where there is one.
    pub fn correlation(&mut self, of: &str, found: Option<&Correlation>) {
        if let Some(found) = found {
            self.add(format!("r of {of}"), found.pearson_p);
            self.add(format!("ρ of {of}"), found.spearman_p);
        }
    }
}
