//! What the rest of the lab asks of this analysis and its report.

use super::{Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, disparity, rounding, width},
    fits::{codes, costs, count},
    headline::{Headline, key},
    import::ImportError,
    judged::{Found, own_verdicts},
};
use crate::report::{format, labels, table::Table};

crate::lab::verdicts::ruled!();

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        1.0 + (self.bits.len() * self.rules.len()) as f64
    }
}

impl Findings for Report {
    /// Slopes first, then disparity and error from the narrowest width.
    fn headline(&self, found: &mut Headline) {
        for slope in self.slopes.iter().filter(|slope| slope.measure != super::Measure::Nats) {
            found.interval(format!("slope {} {}", key(&slope.measure), key(&slope.rule)), slope.slope);
        }
        for outcome in &self.outcomes {
            let (bits, rule) = (outcome.bits.get(), key(&outcome.rule));
            found.interval(format!("disparity {bits} {rule}"), outcome.cost.disparity);
        }
        for outcome in &self.outcomes {
            found.interval(format!("error {} {}", outcome.bits.get(), key(&outcome.rule)), outcome.error);
        }
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("widths", super::widths_table(self))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        let config = &self.config;
        codes(&config.texts.languages, self.languages.iter().map(|language| &language.code))?;
        let mut widths = config.bits.clone();
        widths.sort_unstable();
        let asked = config.rules.iter().flat_map(|&rule| widths.iter().map(move |&bits| (rule, bits)));
        if !self.outcomes.iter().map(|outcome| (outcome.rule, outcome.bits)).eq(asked) {
            return Err(ImportError::Unfitting("its widths and rules are not those that were asked for".into()));
        }
        self.outcomes.iter().try_for_each(|outcome| costs(&outcome.cost, &self.languages))?;
        count("the slopes", self.slopes.len(), config.rules.len() * super::Measure::ALL.len())
    }

    /// The narrowest width at which, and at every wider one, equal languages would show as much by chance; else the one of least
    /// disparity.
    fn facts(&self) -> Facts {
        let config = &self.config;
        let facts =
            Facts { question: "What each bit buys".into(), kurtosis: Some(self.kurtosis.clone()), ..Facts::default() };
        let equal = self.critical.iter().filter_map(|of| Some((of.equal?, of.rule))).min_by_key(|(bits, _)| *bits);
        let found = |(bits, rule)| self.outcomes.iter().find(|of| (of.bits, of.rule) == (bits, rule));
        let least = || self.outcomes.iter().min_by(|a, b| disparity(&a.cost).total_cmp(&disparity(&b.cost)));
        let (how, best) = match equal.and_then(found) {
            Some(best) => ("the narrowest from which on disparity may be chance", Some(best)),
            None => ("the one of least disparity", least()),
        };
        let Some(best) = best else { return Facts { strategy: "none was tried".into(), ..facts } };
        let strategy = format!(
            "of {} {how}; {}, {}",
            format::counted(self.outcomes.len() as u64, "rounding"),
            rounding(best.rule, config.granularity),
            format::bytes(best.bytes)
        );
        let tried = best.against_widest.map(|change| {
            format!("disparity less that of the widest width is {}", format::interval(&change.difference))
        });
        Facts { strategy, tried, bits: width(best.bits.get()), ..facts }.with_cost(&self.languages, &best.cost)
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        own_verdicts(claim, &self.verdicts, |own| labels::rule(own.rule).to_string(), |_| None)
    }
}
