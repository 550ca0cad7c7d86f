//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report, Verdict};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, rounding, width},
    fits::{below, codes, costs, count},
    headline::{Headline, key},
    import::ImportError,
    judged::{Found, own_verdicts},
    p_values::Tests,
};
use crate::report::{labels, table::Table};

crate::lab::verdicts::ruled!();

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _layers: usize) -> f64 {
        let points = self.exponents().len() + usize::from(self.flatten);
        // In full precision, at each rounding, and with more bits for the outlier layers.
        (points * (1 + 2 * self.bits.len() * self.rules.len())) as f64
    }
}

impl Findings for Report {
    /// From the furthest point back.
    fn headline(&self, found: &mut Headline) {
        for outcome in self.outcomes.iter().rev() {
            let (point, bits, rule) = (outcome.point, outcome.bits.get(), key(&outcome.rule));
            found.interval(format!("disparity {point} {bits} {rule}"), outcome.cost.disparity);
        }
        for (number, point) in self.points.iter().enumerate() {
            found.number(format!("max κ {number}"), point.max_kurtosis);
        }
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        let picks = super::Pick::all(self);
        let first = picks.first().map(|pick| ("languages at each point", super::degradation_table(self, *pick)));
        first.into_iter().chain([("points", super::points_table(self))]).collect()
    }

    fn shuffles(&self) -> usize {
        self.config.permutations
    }

    fn tests(&self, made: &mut Tests) {
        for outcome in &self.outcomes {
            let (bits, rule) = (outcome.bits.get(), labels::rule_key(outcome.rule));
            let name = format!("share of turned layers and D, point {}, {bits} bits, {rule}", outcome.point);
            made.correlation(&name, outcome.usage.as_ref());
        }
    }

    fn fits(&self) -> Result<(), ImportError> {
        codes(&self.config.texts.languages, self.languages.iter().map(|language| &language.code))?;
        count("the shares of the turned layers", self.turned_share.len(), self.languages.len())?;
        let layers = self.points.first().map_or(0, |point| point.kurtosis.len());
        self.points.iter().try_for_each(|point| count("the layers of a point", point.kurtosis.len(), layers))?;
        for outcome in &self.outcomes {
            below("the point of an outcome", outcome.point, self.points.len())?;
            costs(&outcome.cost, &self.languages)?;
            if let Some(protected) = &outcome.protected {
                costs(&protected.cost, &self.languages)?;
                protected.layers.iter().try_for_each(|&layer| below("a protected layer", layer, layers))?;
            }
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let widths: Vec<String> = config.bits.iter().map(|bits| bits.get().to_string()).collect();
        let facts = Facts {
            question: "What heavier tails do".into(),
            bits: format!("at {} bits", widths.join(", ")),
            kurtosis: self.points.first().map(|point| point.kurtosis.clone()),
            threshold: config.threshold,
            ..Facts::default()
        };
        let Some(outcome) = self.outcomes.first() else { return facts };
        let strategy = format!(
            "{}, at the dial's first place, s = 2^{}",
            rounding(outcome.rule, config.granularity),
            self.points[outcome.point].exponent
        );
        Facts { strategy, bits: width(outcome.bits.get()), ..facts }.with_cost(&self.languages, &outcome.cost)
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        let under = |own: &Verdict| format!("at {} bits, {}", own.bits.get(), labels::rule(own.rule));
        own_verdicts(claim, &self.verdicts, under, |own| super::chance(self, own))
    }
}
