//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss, rounding, width},
    fits::{codes, count},
    headline::Headline,
    import::ImportError,
    judged::{Found, plain},
    p_values::Tests,
};
use crate::report::{format, table::Table};

crate::lab::verdicts::ruled!();

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        // Of each of four models, which are about as large as the page's.
        8.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        for (name, of) in [("mean D", self.mean), ("disparity", self.disparity)] {
            if let Some(of) = of {
                found.interval(format!("{name} by data"), of.effects.data);
                found.interval(format!("{name} by tokenizer"), of.effects.tokenizer);
                found.interval(format!("{name} by both"), of.effects.interaction);
            }
        }
        found.interval("r of tokens and D", self.fit.map(|fit| fit.pearson));
        found.largest(
            "tokenizer",
            self.rows.iter().map(|row| (&row.language.code[..], row.degradation.effects.tokenizer)),
        );
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::table(self))]
    }

    fn shuffles(&self) -> usize {
        self.config.permutations
    }

    fn tests(&self, made: &mut Tests) {
        made.correlation("gain in bytes per token and change of D", self.fit.as_ref());
    }

    fn fits(&self) -> Result<(), ImportError> {
        codes(&self.config.texts.languages, self.rows.iter().map(|row| &row.language.code))?;
        count("the models", self.models.len(), super::CELLS)
    }

    /// Of the four models the one whose text and tokenizer are balanced.
    fn facts(&self) -> Facts {
        let config = &self.config;
        let last = super::CELLS - 1;
        let loss = |row: &super::Row| Loss::of(&row.language, row.degradation.of[last]);
        let tried = self.disparity.map(|of| {
            format!(
                "balanced data changes disparity by {}, a balanced tokenizer by {}",
                format::interval(&of.effects.data),
                format::interval(&of.effects.tokenizer)
            )
        });
        Facts {
            question: "What data and tokenizer do".into(),
            bits: width(config.quantizer.bits.get()),
            strategy: format!(
                "{}; the losses are those of {}, whose data and tokenizer are balanced",
                rounding(config.quantizer.rule, config.quantizer.granularity),
                config.models[last]
            ),
            losses: self.rows.iter().map(loss).collect(),
            disparity: self.disparity.map(|of| of.of[last]),
            tried,
            ..Facts::default()
        }
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        plain(claim, &self.verdicts, super::chance(self))
    }
}
