//! What the analysis is asked.

use super::{Column, Earlier, Groups};
use crate::{
    lab::{
        AnalysisError, Needs,
        settings::{Around, Resampling, USUAL_PERMUTATIONS, number, own, permutations, settings, text, whole},
    },
    math::power::{LEAST_PAIRS, MOST_PAIRS},
};

settings! {
    /// What to compute. The default is the theory's own question of power: |r| = 0.7 over 12 languages.
    #[schemars(rename = "StatisticsConfig")]
    pub struct Config("statistics") with draws: Resampling {
        /// What the tests that are corrected together are called.
        family: String = "tests of this visit".into(), text("Its name");
        /// What each row is called; empty where rows are numbered.
        labels: Vec<String> = Vec::new(), own("Names of rows");
        /// The figures; none where only power is asked for.
        columns: Vec<Column> = Vec::new(), own("Columns");
        /// Each other column goes with this one; none for every pair of columns.
        target: Option<usize> = None, own("Each of them with");
        /// Columns that are held constant in the partial correlations.
        given: Vec<usize> = Vec::new(), own("Held constant, for partial correlations");
        /// Two groups of rows, which are compared in every column.
        groups: Option<Groups> = None, own("Two groups of rows");
        /// Tests of the family that were made before.
        earlier: Vec<Earlier> = Vec::new(), own("Earlier tests");
        /// Below this a p rejects.
        alpha: f64 = 0.05, number("α: a p of at most this rejects", 1e-9, 0.5);
        /// The true correlation that power is worked out for.
        rho: f64 = 0.7, number("True correlation", -0.999, 0.999);
        /// Over so many pairs.
        pairs: usize = 12, whole("Pairs", LEAST_PAIRS as u64, MOST_PAIRS as u64);
        /// Power that is wanted, for the number of pairs that it needs.
        wanted: f64 = 0.8, number("Power wanted", 0.01, 0.9999);
        /// Shuffles behind each p.
        permutations: usize = USUAL_PERMUTATIONS, permutations();
    }
}

impl Config {
    /// Nothing but itself.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Nothing
    }

    /// Nothing of it depends on the site.
    pub fn settle(&mut self, _: &Around) -> Result<(), AnalysisError> {
        Ok(())
    }

    /// Pairs of columns, in the order of the report. What is held constant is no part of any.
    pub fn pairs_asked(&self) -> Vec<(usize, usize)> {
        let free: Vec<usize> = (0..self.columns.len()).filter(|at| !self.given.contains(at)).collect();
        match self.target {
            Some(target) => free.into_iter().filter(|at| *at != target).map(|at| (at, target)).collect(),
            None => free.iter().enumerate().flat_map(|(at, &x)| free[at + 1..].iter().map(move |&y| (x, y))).collect(),
        }
    }
}
