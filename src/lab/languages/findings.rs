//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss},
    fits::codes,
    headline::Headline,
    import::ImportError,
};
use crate::report::{Measure, table::Table};

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        2.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        let [kl, d] = [Measure::Text, Measure::Degradation].map(|measure| self.over(measure));
        found.interval("KL per text, low ÷ high", kl.ratio);
        found.interval("disparity", d.disparity);
        found.interval("low ÷ high", d.ratio);
        found.largest("KL per text", self.rows.iter().map(|row| (&row.code[..], row.kl_per_text)));
        found.largest("D", self.rows.iter().map(|row| (&row.code[..], row.degradation)));
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::table(self)), ("measures", super::measures_table(self))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        if self.over_all.iter().map(|over| over.measure).ne(Measure::ALL) {
            return Err(ImportError::Unfitting("it does not have every measure once".into()));
        }
        codes(&self.config.texts.languages, self.rows.iter().map(|row| &row.code))
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let loss =
            |row: &super::Row| Loss { name: row.name.clone(), resource: row.resource, degradation: row.degradation };
        Facts {
            losses: self.rows.iter().map(loss).collect(),
            disparity: self.over(Measure::Degradation).disparity,
            ratio: self.over(Measure::Degradation).ratio,
            ..Facts::alike(
                "Which languages pay",
                config.quantizer.bits,
                config.quantizer.rule,
                config.quantizer.granularity,
            )
        }
    }
}
