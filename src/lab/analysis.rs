//! What every analysis gives to the rest of the lab: its settings are an [`Analysis`], its report has [`Findings`].

use serde_json::Value;

use super::{facts::Facts, headline::Headline, import::ImportError, judged::Found, p_values::Tests};
use crate::report::table::Table;

/// How the lab knows an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The step of the argument that it belongs to.
    pub group: &'static str,
    /// Its page is `#/<path>`; the start page's is empty.
    pub path: &'static str,
    /// In the navigation.
    pub title: &'static str,
    /// What it measures, after its title.
    pub measures: &'static str,
    /// Whether its report is about the one model that is loaded.
    pub of_one_model: bool,
}

/// What an analysis is asked.
pub trait Analysis {
    /// What it answers.
    type Report: Findings;

    /// Passes over the texts that it takes on a model of so many layers, roughly: so that whoever opens a link knows whether to
    /// wait.
    fn passes(&self, layers: usize) -> f64;
}

/// What an analysis found.
pub trait Findings {
    /// Figures by which a person knows the report again, the most telling first.
    fn headline(&self, found: &mut Headline);

    /// What each table that can be data for the bench of statistics holds, and the table.
    fn tables(&self) -> Vec<(&'static str, Table)>;

    /// Shuffles behind each of its tests.
    fn shuffles(&self) -> usize {
        0
    }

    /// Every test that it made. Analyses that give intervals without a p make none.
    fn tests(&self, _made: &mut Tests) {}

    /// Refuses parts that do not belong together: the report may be from a stranger's file.
    fn fits(&self) -> Result<(), ImportError>;

    /// Refuses by name what a newer program may have written and this one does not know, before the report is read.
    fn known(_report: &Value) -> Result<(), ImportError> {
        Ok(())
    }

    /// What it knows of fairness.
    fn facts(&self) -> Facts;

    /// What it says of a claim: each verdict with what tells it from others on the same claim.
    fn judge(&self, _claim: &str) -> Vec<(String, Found)> {
        Vec::new()
    }
}
