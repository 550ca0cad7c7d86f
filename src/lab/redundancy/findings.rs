//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss},
    fits::{codes, count},
    headline::{Headline, key},
    import::ImportError,
    judged::{Found, own_verdicts},
    p_values::Tests,
};
use crate::report::table::Table;

crate::lab::verdicts::ruled!();

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        // Three passes, and spectra.
        4.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        for of in &self.relations {
            found.interval(format!("slope {} {}", key(&of.measure), key(&of.error)), of.slope);
        }
        for of in self.ratios.iter().filter(|of| of.error == super::Error::Loss) {
            found.interval(format!("difference {} {}", key(&of.measure), key(&of.reading)), of.difference);
        }
        found.largest("D", self.rows.iter().map(|row| (&row.language.code[..], row.degradation)));
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::languages_table(self)), ("layers", super::layers_table(self))]
    }

    fn shuffles(&self) -> usize {
        self.config.permutations
    }

    fn tests(&self, made: &mut Tests) {
        for of in &self.relations {
            let name = format!("1/R, {}, and {}", super::measure_name(of.measure), super::error_name(of.error));
            made.correlation(&name, of.correlation.as_ref());
        }
    }

    fn fits(&self) -> Result<(), ImportError> {
        let layers = self.layers.len();
        codes(&self.config.texts.languages, self.rows.iter().map(|row| &row.language.code))?;
        for row in &self.rows {
            count("the ways of measuring redundancy", row.redundancy.len(), super::Measure::ALL.len())?;
            count("the spectra of a language", row.spectrum.len(), layers)?;
        }
        let excess = self.relations.iter().flat_map(|of| &of.bounds);
        excess.clone().try_for_each(|bound| count("the languages at a bound", bound.excess.len(), self.rows.len()))
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let loss = |row: &super::Row| Loss::of(&row.language, row.degradation);
        let ratio = self.ratios.iter().find(|of| of.error == super::Error::Loss);
        Facts {
            losses: self.rows.iter().map(loss).collect(),
            ratio: ratio.map(|of| of.observed),
            kurtosis: Some(self.layers.iter().map(|layer| layer.kurtosis).collect()),
            threshold: config.threshold,
            ..Facts::alike(
                "How much a language could lose",
                config.quantizer.bits,
                config.quantizer.rule,
                config.quantizer.granularity,
            )
        }
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        own_verdicts(claim, &self.verdicts, |own| super::measure_name(own.measure).to_string(), |_| None)
    }
}
