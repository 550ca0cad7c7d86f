//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{Analysis, Findings, facts::Facts, fits::count, headline::Headline, import::ImportError};
use crate::math::{grouping::Layout, mosaic::Mosaic};
use crate::report::table::Table;

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        0.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        found.number("α", self.alpha.1);
        found.number("error by clipping", self.error.clipping);
        found.number("error by rounding", self.error.rounding);
        found.number("clipped", self.clipped as f64);
        found.number("κ", self.summary.kurtosis);
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("codes", super::codes_table(self))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        let (rows, columns) = self.size;
        let layout = Layout { k: self.channels.0, n: self.channels.1, transposed: false };
        if !self.window.is_of(layout) || self.mosaic() != Mosaic::new(self.window, super::MOST_CELLS) {
            return Err(ImportError::Unfitting("its cells are not those of its window".into()));
        }
        for cells in [&self.full, &self.quantized, &self.difference] {
            count("the cells", cells.len(), rows * columns)?;
        }
        count("the codes", self.codes.len(), 2 * self.config.quantizer.bits.levels() as usize + 1)
    }

    /// One matrix says nothing of languages.
    fn facts(&self) -> Facts {
        let config = &self.config;
        Facts::alike(
            &format!("What rounding does to {}", self.name),
            config.quantizer.bits,
            config.quantizer.rule,
            config.quantizer.granularity,
        )
    }
}
