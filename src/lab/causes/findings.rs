//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss},
    fits::{below, codes},
    headline::Headline,
    import::ImportError,
    judged::{Found, plain},
    p_values::Tests,
};
use crate::math::sets::MOST_LAYERS;
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
        if let Some(paths) = &self.paths {
            let all =
                [("direct", paths.direct), ("indirect", paths.indirect), ("T → A", paths.t_a), ("A → R", paths.a_r)];
            all.into_iter().for_each(|(name, of)| found.interval(name, of));
        }
        found.interval("ρ A D", self.alignment.map(|of| of.spearman));
        found.interval("r T D", self.tokenization.map(|of| of.pearson));
        found.largest("D", self.rows.iter().map(|row| (&row.language.code[..], row.degradation)));
        for row in &self.rows {
            found.interval(format!("A {}", row.language.code), row.alignment);
        }
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::table(self))]
    }

    fn shuffles(&self) -> usize {
        self.config.permutations
    }

    fn tests(&self, made: &mut Tests) {
        made.correlation("alignment A and loss D", self.alignment.as_ref());
        made.correlation("tokenization T and loss D", self.tokenization.as_ref());
    }

    fn fits(&self) -> Result<(), ImportError> {
        codes(&self.config.texts.languages, self.rows.iter().map(|row| &row.language.code))?;
        below("the number of outlier layers", self.outliers.len(), MOST_LAYERS + 1)
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let loss = |row: &super::Row| Loss::of(&row.language, row.degradation);
        Facts {
            losses: self.rows.iter().map(loss).collect(),
            threshold: config.threshold,
            ..Facts::alike(
                "What goes before a loss",
                config.quantizer.bits,
                config.quantizer.rule,
                config.quantizer.granularity,
            )
        }
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        plain(claim, &self.verdicts, super::chance(self))
    }
}
