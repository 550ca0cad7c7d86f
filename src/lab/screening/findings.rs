//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss},
    fits::{codes, count},
    headline::Headline,
    import::ImportError,
    judged::{Found, plain},
    p_values::Tests,
};
use crate::report::table::Table;

crate::lab::verdicts::ruled!();

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        2.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        found.number("max κ", self.max_kurtosis);
        found.interval("disparity", self.disparity);
        found.interval("Var ā", self.variance);
        found.interval("r", self.correlation.as_ref().map(|of| of.pearson));
        found.largest("D", self.rows.iter().map(|row| (&row.language.code[..], row.degradation)));
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::languages_table(self)), ("layers", super::layers_table(self))]
    }

    fn shuffles(&self) -> usize {
        self.config.permutations
    }

    fn tests(&self, made: &mut Tests) {
        made.correlation("activation of outlier layers and loss D", self.correlation.as_ref());
    }

    fn fits(&self) -> Result<(), ImportError> {
        codes(&self.config.texts.languages, self.rows.iter().map(|row| &row.language.code))?;
        if self.layers.is_empty() {
            return Err(ImportError::Unfitting("it has no layers".into()));
        }
        count("the conditions", self.conditions.len(), 3)
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let loss = |row: &super::Row| Loss::of(&row.language, row.degradation);
        Facts {
            losses: self.rows.iter().map(loss).collect(),
            disparity: self.disparity,
            kurtosis: Some(self.layers.iter().map(|layer| layer.kurtosis).collect()),
            threshold: config.light,
            variance: self.variance.map(|of| of.value),
            ..Facts::alike(
                "Whether to expect disparity",
                config.quantizer.bits,
                config.quantizer.rule,
                config.quantizer.granularity,
            )
        }
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        plain(claim, &self.verdicts, None)
    }
}
