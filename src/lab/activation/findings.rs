//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report, claims};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss},
    fits::{codes, count},
    headline::{Headline, key},
    import::ImportError,
    judged::Found,
    p_values::Tests,
};
use crate::math::metrics;
use crate::report::table::Table;

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        2.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        if let Some(spread) = &self.spread {
            found.interval("disparity", spread.disparity);
            found.interval("√Var κ", spread.deviation);
            found.interval("range R", spread.range);
        }
        for (pair, correlation) in super::Pair::ALL.iter().zip(&self.correlations) {
            found.interval(format!("r {}", key(pair)), correlation.as_ref().map(|of| of.pearson));
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
        for (pair, found) in super::Pair::ALL.iter().zip(&self.correlations) {
            made.correlation(super::pair_title(*pair), found.as_ref());
        }
        for (layer, of) in self.layers.iter().enumerate() {
            let name = format!("share of layer {} and loss D", self.origin.layer(layer));
            made.correlation(&name, of.with_loss.as_ref());
        }
    }

    fn fits(&self) -> Result<(), ImportError> {
        codes(&self.config.texts.languages, self.rows.iter().map(|row| &row.language.code))?;
        for row in &self.rows {
            count("the norms of a language", row.norms.len(), self.layers.len())?;
            count("the shares of a language", row.shares.len(), self.layers.len())?;
        }
        count("the correlations", self.correlations.len(), super::Pair::ALL.len())
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let loss = |row: &super::Row| Loss::of(&row.language, row.degradation);
        let counted: Vec<f64> =
            self.rows.iter().filter(|row| row.language.counts()).map(|row| row.reliance.value).collect();
        Facts {
            losses: self.rows.iter().map(loss).collect(),
            disparity: self.spread.map(|spread| spread.disparity),
            kurtosis: Some(self.layers.iter().map(|layer| layer.kurtosis).collect()),
            threshold: config.threshold,
            variance: (counted.len() > 1).then(|| metrics::variance(&counted)),
            ..Facts::alike(
                "Who uses which layers",
                config.quantizer.bits,
                config.quantizer.rule,
                config.quantizer.granularity,
            )
        }
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        claims::of(claim, self)
    }
}
