//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::Facts,
    fits::{below, count},
    headline::Headline,
    import::ImportError,
};
use crate::report::table::Table;

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        0.0
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        found.number("outlier layers", self.layers.iter().filter(|layer| layer.outlier).count() as f64);
        found.kurtosis(self.layers.iter().map(|layer| layer.spread.summary.kurtosis));
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("layers and matrices", super::table(self, self.config.threshold))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        for (number, layer) in self.layers.iter().enumerate() {
            count("the number of a layer", layer.layer, number)?;
        }
        self.tensors.iter().try_for_each(|tensor| below("the layer of a matrix", tensor.layer, self.layers.len()))
    }

    fn facts(&self) -> Facts {
        Facts {
            question: "How the weights are spread".into(),
            bits: "nothing quantized".into(),
            strategy: "none; the weights were only looked at".into(),
            kurtosis: Some(self.layers.iter().map(|layer| layer.spread.summary.kurtosis).collect()),
            threshold: self.config.threshold,
            ..Facts::default()
        }
    }
}
