//! What any report knows of fairness, in one form.

use super::{
    Report,
    degradation::{Cost, Language},
};
use crate::report::{Bits, Granularity, Interval, Resource, Rule, labels};

/// The loss of a language.
pub struct Loss {
    /// English name.
    pub name: String,
    /// How much of it the model saw.
    pub resource: Resource,
    /// D(λ).
    pub degradation: Interval,
}

impl Loss {
    pub(crate) fn of(language: &Language, degradation: Interval) -> Loss {
        Loss { name: language.name.clone(), resource: language.resource, degradation }
    }
}

/// What is known.
#[derive(Default)]
pub struct Facts {
    /// What was measured, as the beginning of a sentence.
    pub question: String,
    /// At which width, as its end.
    pub bits: String,
    /// What was chosen, or found best.
    pub strategy: String,
    /// Under that strategy.
    pub losses: Vec<Loss>,
    /// Under that strategy.
    pub disparity: Option<Interval>,
    /// Under that strategy.
    pub ratio: Option<Interval>,
    /// Of each layer, where the run looked at them.
    pub kurtosis: Option<Vec<f64>>,
    /// Above it a layer is an outlier.
    pub threshold: f64,
    /// Variance over languages of the share of activation in outlier layers.
    pub variance: Option<f64>,
    /// What helped, where the run tried something.
    pub tried: Option<String>,
}

impl Facts {
    /// Of any report.
    pub fn of(report: &Report) -> Facts {
        let facts = report.facts();
        Facts { threshold: if facts.threshold == 0.0 { super::thresholds::OUTLIER } else { facts.threshold }, ..facts }
    }

    /// Layers above the threshold.
    pub fn outliers(&self) -> Vec<usize> {
        let all = self.kurtosis.iter().flatten().enumerate();
        all.filter(|(_, kurtosis)| **kurtosis > self.threshold).map(|(layer, _)| layer).collect()
    }

    /// The layer of the largest κ, with it.
    pub fn heaviest(&self) -> Option<(usize, f64)> {
        self.kurtosis.iter().flatten().copied().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Of a run that rounds all blocks alike.
    pub(crate) fn alike(question: &str, bits: Bits, rule: Rule, granularity: Granularity) -> Facts {
        Facts {
            question: question.into(),
            bits: width(bits.get()),
            strategy: rounding(rule, granularity),
            ..Facts::default()
        }
    }

    pub(crate) fn with_cost(self, languages: &[Language], cost: &Cost) -> Facts {
        let losses = languages.iter().zip(&cost.degradation).map(|(language, of)| Loss::of(language, *of)).collect();
        Facts { losses, disparity: cost.disparity, ratio: cost.ratio, ..self }
    }
}

/// To choose the one of least disparity; an unknown one is the largest.
pub(crate) fn disparity(cost: &Cost) -> f64 {
    cost.disparity.map_or(f64::INFINITY, |of| of.value)
}

pub(crate) fn width(bits: u8) -> String {
    format!("at {bits} bits")
}

pub(crate) fn rounding(rule: Rule, granularity: Granularity) -> String {
    format!("all blocks alike, threshold by {}, one grid per {}", labels::rule(rule), labels::granularity(granularity))
}
