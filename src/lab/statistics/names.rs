//! What its tests are called, and which rows they take.

use super::{Config, Groups};
use crate::math::correlation::Draws;

impl Config {
    /// What the tests of a pair are called: of r, of ρ, and of r with columns held constant.
    pub fn names_of_pair(&self, (x, y): (usize, usize)) -> [String; 3] {
        let name = |column: usize| self.columns[column].name.as_str();
        let given: Vec<&str> = self.given.iter().map(|&at| name(at)).collect();
        let both = format!("{} and {}", name(x), name(y));
        [format!("r of {both}"), format!("ρ of {both}"), format!("r of {both} given {}", given.join(", "))]
    }

    /// What the test of the groups in a column is called; none without groups.
    pub fn name_of_contrast(&self, column: usize) -> Option<String> {
        let Groups { names: (first, second), .. } = self.groups.as_ref()?;
        Some(format!("{} of {first} and {second}", self.columns[column].name))
    }

    /// What its tests are called, those among them that cannot be made.
    pub fn names(&self) -> Vec<String> {
        let pairs = self.pairs_asked().into_iter().flat_map(|pair| self.names_of_pair(pair));
        pairs.chain((0..self.columns.len()).filter_map(|column| self.name_of_contrast(column))).collect()
    }

    /// How often is drawn for each.
    pub fn draws(&self) -> Draws {
        self.draws.with(self.permutations)
    }

    /// The rows in which all of these columns have a figure, and the figures, column by column.
    pub fn complete(&self, columns: &[usize]) -> (Vec<usize>, Vec<Vec<f64>>) {
        let rows = self.columns.first().map_or(0, |column| column.values.len());
        let whole = |row: &usize| columns.iter().all(|&column| self.columns[column].values[*row].is_some());
        let rows: Vec<usize> = (0..rows).filter(whole).collect();
        let of = |&column: &usize| rows.iter().filter_map(|&row| self.columns[column].values[row]).collect();
        let figures = columns.iter().map(of).collect();
        (rows, figures)
    }
}
