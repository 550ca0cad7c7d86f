//! Every test that a report made: what a correction for many tests must count to be honest.

use crate::analysis::{Report, activation, causes, clipping, dial, family, language_clipping, redundancy, statistics};
use crate::math::correlation::Correlation;

/// A test.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What was tested.
    pub name: String,
    /// Its p.
    pub p: f64,
    /// Shuffles behind it.
    pub shuffles: usize,
}

/// All tests of a report, in its order. Analyses that give intervals without a p make none.
pub fn tests(report: &Report) -> Vec<Entry> {
    let mut made = Made { tests: Vec::new(), shuffles: shuffles(report) };
    match report {
        Report::Activation(report) => made.activation(report),
        Report::Clipping(report) => made.clipping(report),
        Report::Dial(report) => made.dial(report),
        Report::Statistics(report) => made.statistics(report),
        Report::Causes(report) => made.causes(report),
        Report::Family(report) => made.family(report),
        Report::Redundancy(report) => made.redundancy(report),
        Report::Screening(report) => {
            made.correlation("activation of outlier layers and loss D", report.correlation.as_ref())
        }
        Report::Languages(_)
        | Report::Weights(_)
        | Report::Mitigation(_)
        | Report::Gateway(_)
        | Report::Representation(_)
        | Report::Sweep(_)
        | Report::Matrix(_)
        | Report::Tokens(_) => {}
    }
    made.tests
}

/// How often each test of a report was shuffled.
fn shuffles(report: &Report) -> usize {
    match report {
        Report::Activation(report) => report.config.permutations,
        Report::Clipping(_) => language_clipping::PERMUTATIONS,
        Report::Dial(report) => report.config.permutations,
        Report::Statistics(report) => report.config.permutations,
        Report::Causes(report) => report.config.permutations,
        Report::Family(report) => report.config.permutations,
        Report::Redundancy(report) => report.config.permutations,
        Report::Screening(report) => report.config.permutations,
        Report::Languages(_)
        | Report::Weights(_)
        | Report::Mitigation(_)
        | Report::Gateway(_)
        | Report::Representation(_)
        | Report::Sweep(_)
        | Report::Matrix(_)
        | Report::Tokens(_) => 0,
    }
}

struct Made {
    tests: Vec<Entry>,
    shuffles: usize,
}

impl Made {
    fn add(&mut self, name: String, p: f64) {
        self.tests.push(Entry { name, p, shuffles: self.shuffles });
    }

    fn correlation(&mut self, of: &str, found: Option<&Correlation>) {
        if let Some(found) = found {
            self.add(format!("r of {of}"), found.pearson_p);
            self.add(format!("ρ of {of}"), found.spearman_p);
        }
    }

    fn activation(&mut self, report: &activation::Report) {
        for (pair, found) in activation::Pair::ALL.iter().zip(&report.correlations) {
            self.correlation(super::activation::pair_title(*pair), found.as_ref());
        }
        for (layer, of) in report.layers.iter().enumerate() {
            let name = format!("share of layer {} and loss D", report.origin.layer(layer));
            self.correlation(&name, of.with_loss.as_ref());
        }
    }

    fn clipping(&mut self, report: &clipping::Report) {
        self.correlation("wrong threshold and excess error", report.wrong_threshold.as_ref());
    }

    fn dial(&mut self, report: &dial::Report) {
        for outcome in &report.outcomes {
            let (bits, rule) = (outcome.bits.get(), super::words::rule_key(outcome.rule));
            let name = format!("share of turned layers and D, point {}, {bits} bits, {rule}", outcome.point);
            self.correlation(&name, outcome.usage.as_ref());
        }
    }

    fn redundancy(&mut self, report: &redundancy::Report) {
        for of in &report.relations {
            let name = format!(
                "1/R, {}, and {}",
                super::redundancy::measure_name(of.measure),
                super::redundancy::error_name(of.error)
            );
            self.correlation(&name, of.correlation.as_ref());
        }
    }

    fn causes(&mut self, report: &causes::Report) {
        self.correlation("alignment A and loss D", report.alignment.as_ref());
        self.correlation("tokenization T and loss D", report.tokenization.as_ref());
    }

    fn family(&mut self, report: &family::Report) {
        self.correlation("gain in bytes per token and change of D", report.fit.as_ref());
    }

    fn statistics(&mut self, report: &statistics::Report) {
        for test in report.tests.iter().filter(|test| test.here) {
            self.add(test.name.clone(), test.p);
        }
    }
}
