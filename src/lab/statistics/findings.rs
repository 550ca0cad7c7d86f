//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::Facts,
    fits::{below, count},
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
        0.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        found.number("power", self.power.exact);
        found.number("critical r", self.power.critical);
        found.number("power by Fisher's z", self.power.fisher);
        found.number("tests", self.tests.len() as f64);
        for pair in &self.pairs {
            let (x, y) = pair.columns;
            found.interval(format!("r {x} {y}"), pair.found.map(|found| found.pearson));
            found.interval(format!("ρ {x} {y}"), pair.found.map(|found| found.spearman));
            found.interval(format!("partial r {x} {y}"), pair.partial.map(|partial| partial.r));
        }
        for contrast in &self.contrasts {
            found.interval(format!("d {}", contrast.column), contrast.effect.map(|effect| effect.d));
        }
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("tests", super::tests_table(self))]
    }

    fn shuffles(&self) -> usize {
        self.config.permutations
    }

    fn tests(&self, made: &mut Tests) {
        for test in self.tests.iter().filter(|test| test.here) {
            made.add(test.name.clone(), test.p);
        }
    }

    fn fits(&self) -> Result<(), ImportError> {
        let config = &self.config;
        let (columns, rows) = (config.columns.len(), config.columns.first().map_or(0, |column| column.values.len()));
        count("the columns", self.columns.len(), columns)?;
        let asked = config.pairs_asked();
        count("the pairs", self.pairs.len(), asked.len())?;
        for (pair, asked) in self.pairs.iter().zip(asked) {
            if pair.columns != asked {
                return Err(ImportError::Unfitting("its pairs of columns are not those that were asked for".into()));
            }
            pair.influence.iter().try_for_each(|of| below("a row", of.row, rows))?;
        }
        count("the contrasts", self.contrasts.len(), if config.groups.is_some() { columns } else { 0 })?;
        self.contrasts.iter().try_for_each(|contrast| below("a column", contrast.column, columns))?;
        below("the number of tests", self.tests.len(), 3 * self.pairs.len() + columns + config.earlier.len() + 1)?;
        below("the places of the curve", self.power.curve.len(), 1_000)
    }

    fn facts(&self) -> Facts {
        Facts {
            question: format!("What figures can say together: {}", self.config.family),
            bits: "nothing quantized here".into(),
            strategy: format!("none; {} made of figures", format::counted(self.tests.len() as u64, "test")),
            ..Facts::default()
        }
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        plain(claim, &self.verdicts, None)
    }
}
