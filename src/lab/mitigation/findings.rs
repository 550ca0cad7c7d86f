//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report, claims};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, disparity, width},
    fits::{below, codes, costs, count},
    headline::{Headline, key},
    import::ImportError,
    judged::Found,
};
use crate::report::{format, table::Table};

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        1.0 + self.methods.len() as f64
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        for row in &self.rows {
            found.interval(format!("disparity {}", key(&row.method)), row.cost.disparity);
        }
        for row in &self.rows {
            found.interval(format!("low ÷ high {}", key(&row.method)), row.cost.ratio);
        }
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("methods", super::table(self))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        let languages = self.languages.len();
        codes(&self.config.texts.languages, self.languages.iter().map(|language| &language.code))?;
        self.rows.iter().try_for_each(|row| costs(&row.cost, &self.languages))?;
        self.outliers.iter().try_for_each(|&layer| below("an outlier layer", layer, self.kurtosis.len()))?;
        for row in self
            .confusion
            .iter()
            .flat_map(|confusion| [confusion.guesses.len()].into_iter().chain(confusion.guesses.iter().map(Vec::len)))
        {
            count("the guesses", row, languages)?;
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        let best = self.rows.iter().min_by(|a, b| disparity(&a.cost).total_cmp(&disparity(&b.cost)));
        let facts = Facts {
            question: "What helps".into(),
            bits: width(self.config.bits.get()),
            kurtosis: Some(self.kurtosis.clone()),
            threshold: self.config.threshold,
            ..Facts::default()
        };
        let Some(best) = best else { return Facts { strategy: "none was tried".into(), ..facts } };
        let (name, size) = (super::method(best.method), format::bytes(best.bytes));
        let tried = best.change.map(|change| {
            format!(
                "{name} changes disparity by {} against absmax, paired over texts",
                format::interval(&change.difference)
            )
        });
        let strategy = format!(
            "of {} the one of least disparity, {name}, {size}",
            format::counted(self.rows.len() as u64, "method")
        );
        Facts { strategy, tried, ..facts }.with_cost(&self.languages, &best.cost)
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        claims::of(claim, self)
    }
}
