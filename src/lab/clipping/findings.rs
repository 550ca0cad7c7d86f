//! What the rest of the lab asks of this analysis and its report.

use serde::Deserialize;
use serde_json::Value;

use super::{Config, Report, claims, per_language, rule_losses};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, Loss, width},
    fits::{below, codes, count},
    headline::{Headline, key},
    import::ImportError,
    judged::Found,
    p_values::Tests,
};
use crate::math::clipping::Rule;
use crate::report::{
    Interval,
    labels::{self, rule_key},
    table::Table,
};

/// Characters of a stranger's name of a rule that a sentence has.
const SHOWN_OF_RULE: usize = 40;

/// Of two figures of one rule nobody could tell which holds.
fn each_once(of: &str, rules: &[Rule]) -> Result<(), ImportError> {
    match rules.iter().enumerate().find(|(at, rule)| rules[..*at].contains(rule)) {
        Some((_, rule)) => Err(ImportError::Unfitting(format!("{of} has the rule {} twice", rule_key(*rule)))),
        None => Ok(()),
    }
}

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, _: usize) -> f64 {
        let losses = if self.losses { 1.0 + labels::RULES.len() as f64 } else { 0.0 };
        if self.texts.languages.is_empty() { 0.0 } else { 1.0 + losses }
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        if let Some(fit) = &self.fit {
            found.interval("c", fit.c);
            found.interval("d", fit.d);
            found.number("rms", fit.rms);
            found.number("rms of the seed", fit.seed_rms);
        }
        found.interval("r wrong threshold", self.wrong_threshold.as_ref().map(|of| of.pearson));
        for loss in &self.losses {
            found.interval(format!("disparity {}", key(&loss.rule)), loss.disparity);
        }
        found.largest("κ", self.languages.iter().map(|of| (&of.code[..], of.kurtosis)));
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("languages", super::languages_table(self))]
    }

    fn shuffles(&self) -> usize {
        super::per_language::PERMUTATIONS
    }

    fn tests(&self, made: &mut Tests) {
        made.correlation("wrong threshold and excess error", self.wrong_threshold.as_ref());
    }

    /// Refuses a Clipping report with a rule that is not known here, by its name. It may be of a newer program, so it is told apart
    /// from what is no report at all.
    fn known(report: &Value) -> Result<(), ImportError> {
        fn list<'a>(of: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
            of[key].as_array().into_iter().flatten()
        }
        let choices = list(report, "tensors").flat_map(|tensor| list(tensor, "choices"));
        let mut rules = choices.chain(list(report, "losses")).map(|choice| &choice["rule"]);
        match rules.find(|rule| rule.is_string() && Rule::deserialize(*rule).is_err()).and_then(Value::as_str) {
            Some(name) => Err(ImportError::UnknownRule(name.chars().take(SHOWN_OF_RULE).collect())),
            None => Ok(()),
        }
    }

    /// A report from before a rule was added has fewer rules than there are now, the same for every matrix.
    fn fits(&self) -> Result<(), ImportError> {
        if self.places.is_empty() {
            return Err(ImportError::Unfitting("its curves have no places".into()));
        }
        let tensors = self.tensors.len();
        for tensor in &self.tensors {
            below("the layer of a matrix", tensor.layer, tensors)?;
            count("the places of a curve", tensor.curve.len(), self.places.len())?;
            let own: Vec<Rule> = tensor.choices.iter().map(|choice| choice.rule).collect();
            each_once("a matrix", &own)?;
            if !own.contains(&Rule::Optimal) {
                let what = format!("{} lacks the exact optimum, against which all rules are held", tensor.name);
                return Err(ImportError::Unfitting(what));
            }
            if let Some(other) = self.tensors[0].choices.iter().find(|choice| !own.contains(&choice.rule)) {
                let what =
                    format!("{} lacks the rule {}, which other matrices have", tensor.name, rule_key(other.rule));
                return Err(ImportError::Unfitting(what));
            }
            count("the rules of a matrix", own.len(), self.tensors[0].choices.len())?;
        }
        if let Some(fit) = &self.fit {
            count("the residuals", fit.residuals.len(), tensors)?;
        }
        codes(&self.config.texts.languages, self.languages.iter().map(|language| &language.code))?;
        for language in &self.languages {
            count("the matrices of a language", language.tensors.len(), tensors)?;
            count("the layers of a language", language.activation.len(), self.languages[0].activation.len())?;
        }
        each_once("the losses", &self.losses.iter().map(|loss| loss.rule).collect::<Vec<_>>())?;
        self.losses.iter().try_for_each(|loss| count("the losses", loss.degradation.len(), self.languages.len()))
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let disparity = |loss: &&rule_losses::RuleLoss| loss.disparity.map_or(f64::INFINITY, |of| of.value);
        let best = self.losses.iter().min_by(|a, b| disparity(a).total_cmp(&disparity(b)));
        let losses = best.map_or_else(Vec::new, |best| {
            let loss = |(language, &degradation): (&per_language::Language, &Interval)| Loss {
                name: language.name.clone(),
                resource: language.resource,
                degradation,
            };
            self.languages.iter().zip(&best.degradation).map(loss).collect()
        });
        Facts {
            question: "Where the grid should end".into(),
            bits: width(config.bits.get()),
            strategy: best.map_or("none; only the error of the weights was measured".into(), |best| {
                format!("of all clipping rules the one of least disparity, {}", labels::rule(best.rule))
            }),
            losses,
            disparity: best.and_then(|best| best.disparity),
            ..Facts::default()
        }
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        claims::of(claim, self)
    }
}
