//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::Facts,
    fits::{codes, count},
    headline::Headline,
    import::ImportError,
};
use crate::report::table::Table;

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        // Of the texts up to the one that is looked at, only that.
        2.0 / self.unit.max(1) as f64
    }
}

impl Findings for Report {
    /// Nats of the text in each language before rounding, and those that it lost, in the order of the report.
    fn headline(&self, found: &mut Headline) {
        for row in &self.rows {
            found.number(format!("nats before {}", row.language.code), row.full);
            found.number(format!("nats {}", row.language.code), row.quantized - row.full);
        }
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::table(self))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        codes(&self.config.languages, self.rows.iter().map(|row| &row.language.code))?;
        for row in &self.rows {
            let asked = row.tokens.iter().filter(|token| token.nats.is_some()).count();
            count("the scored tokens of a language", asked, row.scored as usize)?;
            if !matches!(row.language.direction.as_str(), "ltr" | "rtl") {
                return Err(ImportError::Unfitting("a language is written neither from left nor from right".into()));
            }
        }
        Ok(())
    }

    /// One text is no sample: its losses are no estimate for a language.
    fn facts(&self) -> Facts {
        let config = &self.config;
        Facts::alike(
            &format!("What each token of {} {} pays", self.unit, config.unit),
            config.quantizer.bits,
            config.quantizer.rule,
            config.quantizer.granularity,
        )
    }
}
