//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss},
    fits::codes,
    headline::Headline,
    import::ImportError,
};
use crate::report::table::Table;

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        2.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        found.interval("disparity", self.disparity);
        found.interval("low ÷ high", self.ratio);
        found.interval("mean D high", self.mean_high);
        found.interval("mean D low", self.mean_low);
        found.largest("D", self.rows.iter().map(|row| (&row.code[..], row.degradation)));
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::table(self))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        codes(&self.config.texts.languages, self.rows.iter().map(|row| &row.code))
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let loss =
            |row: &super::Row| Loss { name: row.name.clone(), resource: row.resource, degradation: row.degradation };
        Facts {
            losses: self.rows.iter().map(loss).collect(),
            disparity: self.disparity,
            ratio: self.ratio,
            ..Facts::alike(
                "Which languages pay",
                config.quantizer.bits,
                config.quantizer.rule,
                config.quantizer.granularity,
            )
        }
    }
}
