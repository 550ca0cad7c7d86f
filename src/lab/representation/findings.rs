//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss},
    fits::{codes, count},
    headline::Headline,
    import::ImportError,
    judged::{Found, plain},
};
use crate::report::table::Table;

crate::lab::verdicts::ruled!();

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        // Two passes, and about as much again for what the states show.
        4.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        found.interval("moved low − high", self.spread.moved);
        found.interval("lost low − high", self.spread.lost);
        let lowest = self.spread.entropy.iter().map(|of| of.value).enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        if let Some((layer, _)) = lowest {
            found.number("layer of least entropy", layer as f64);
        }
        found.interval("3L/4 less first", self.spread.claimed.first().copied());
        found.interval("3L/4 less last", self.spread.claimed.last().copied());
        let moved = self.rows.iter().filter_map(|row| Some((&row.language.code[..], row.moved?)));
        found.largest("moved", moved);
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::languages_table(self))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        let layers = self.rows.first().map_or(0, |row| row.layers.len());
        codes(&self.config.texts.languages, self.rows.iter().map(|row| &row.language.code))?;
        for row in &self.rows {
            count("the layers of a language", row.layers.len(), layers)?;
            count("the probes of a language", row.lost.len(), self.probes.len())?;
        }
        self.probes.iter().try_for_each(|probe| count("the layers of a probe", probe.layers.len(), layers))?;
        for of in [&self.spread.entropy, &self.spread.claimed].into_iter().filter(|of| !of.is_empty()) {
            count("the entropies of layers", of.len(), layers)?;
        }
        count("the entropies over languages", self.spread.claimed.len(), self.spread.entropy.len())
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let loss = |row: &super::Row| Loss::of(&row.language, row.degradation);
        Facts {
            losses: self.rows.iter().map(loss).collect(),
            ..Facts::alike(
                "What happens to hidden states",
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
