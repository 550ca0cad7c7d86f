//! Every test made since the page was opened, run by run, so that a correction can count them all.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::lab::p_values::{TestMade, tests};
use crate::lab::statistics::{self, Earlier, MOST_LETTERS};
use crate::protocol::{Config, Kind, Origin, Report};
use crate::report::{chance::Chance, rows::Rows, table::Table};

/// The tests of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Its number.
    pub run: u64,
    /// Which analysis.
    pub kind: Kind,
    /// Of what was tested: runs on the same figures have the same.
    figures: u64,
    /// Its tests.
    pub tests: Vec<TestMade>,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TestsMade(Vec<Made>);

impl TestsMade {
    /// Takes in a run that came to its end. A test of the same figures that is made again is not one more.
    pub fn take(&mut self, run: u64, report: &Report) {
        let (kind, figures) = (report.kind(), figures(&report.config(), report.origin().model()));
        let mut tests = tests(report);
        let before = || self.0.iter().filter(|made| made.figures == figures).flat_map(|made| &made.tests);
        tests.retain(|test| !before().any(|other| other.name == test.name));
        if !tests.is_empty() {
            self.0.push(Made { run, kind, figures, tests });
        }
    }

    /// Run by run.
    pub fn runs(&self) -> &[Made] {
        &self.0
    }

    /// The tests of all runs but those left out, as a family of these settings counts them: what will be made again is not
    /// counted twice.
    pub fn earlier(&self, left_out: &BTreeSet<u64>, settings: Option<&statistics::Config>) -> Vec<Earlier> {
        let again = settings.map(|settings| (figures(&settings.clone().into(), None), settings.names()));
        let again = |made: &Made, test: &TestMade| {
            again.as_ref().is_some_and(|(figures, names)| made.figures == *figures && names.contains(&test.name))
        };
        let counted = self.0.iter().filter(|made| !left_out.contains(&made.run));
        let earlier = |made: &Made, test: &TestMade| Earlier {
            name: format!("{}, run {}: {}", made.kind.name(), made.run, test.name).chars().take(MOST_LETTERS).collect(),
            p: test.p,
        };
        let all = counted.flat_map(|made| made.tests.iter().map(move |test| (made, test)));
        all.filter(|(made, test)| !again(made, test)).map(|(made, test)| earlier(made, test)).collect()
    }

    /// Every test.
    pub fn table(&self) -> Table {
        let all = self.0.iter().flat_map(|made| made.tests.iter().map(move |test| (made, test)));
        Rows::of("number", (1..).zip(all), |(number, _): &(usize, _)| *number)
            .column("test", "Test", "What was tested", |(_, (_, test))| test.name.clone())
            .column("analysis", "Analysis", "Which page made it", |(_, (made, _))| made.kind.name())
            .column("run", "Run", "In which run since the page was opened", |(_, (made, _))| made.run)
            .column("p", "p", "Taken alone", |(_, (_, test))| Chance::new(test.p, test.shuffles))
            .table()
    }
}

/// Of what a run tests: its settings, and the model, texts and device that its figures are from. Of the bench its data and draws
/// alone, as neither the family nor which of its pairs are asked for changes a test.
fn figures(config: &Config, origin: Option<&Origin>) -> u64 {
    let told = match config {
        Config::Statistics(config) => {
            let of = (&config.columns, &config.groups, &config.draws, config.permutations);
            serde_json::to_string(&of)
        }
        other => serde_json::to_string(other),
    };
    let mut hasher = DefaultHasher::new();
    (config.kind().name(), told.unwrap_or_default(), serde_json::to_string(&origin).unwrap_or_default())
        .hash(&mut hasher);
    hasher.finish()
}
