//! What each clipping rule costs in D(λ), over one plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{
    AnalysisError,
    degradation::{Cost, Language, Losses},
    plan::{Plan, Taps},
    rounding::Rounding,
    runner::Lab,
    sample::Reading,
};
use crate::{
    arch::recipe::Recipe,
    math::{clipping::Rule, quantizer::Granularity, statistics::Interval},
};

/// D(λ) under a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleLoss {
    /// The rule.
    pub rule: Rule,
    /// D of each language, in the order of the config.
    pub degradation: Vec<Interval>,
    /// max D − min D over seen languages; none for fewer than two.
    pub disparity: Option<Interval>,
}

/// All rules, one threshold per tensor; the full-precision pass is shared.
pub(super) async fn measure(
    config: &Config,
    reading: &Reading,
    lab: &impl Lab,
) -> Result<Vec<RuleLoss>, AnalysisError> {
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), all.clone(), Taps::LOSSES);
    let mut asked = Vec::new();
    for rule in Rule::ALL {
        let rounding = Rounding { bits: config.bits, rule, granularity: Granularity::Tensor };
        asked.push(plan.ask(&rounding.recipe(lab).await?, all.clone(), Taps::LOSSES));
    }
    let seen = lab.run(&plan).await?;
    let nats = |recipe: usize| seen.all_nats(recipe, all.clone());
    let losses = Losses {
        reading,
        languages: &Language::all(&config.texts.languages, reading, lab.model().card.as_ref()),
        full: &nats(full),
        changed: &asked.into_iter().map(nats).collect::<Vec<_>>(),
    };
    let (costs, _) = losses.measure(&[], config.draws.resamples, config.draws.seed)?;
    let loss = |(rule, cost): (Rule, Cost)| RuleLoss { rule, degradation: cost.degradation, disparity: cost.disparity };
    Ok(Rule::ALL.into_iter().zip(costs).map(loss).collect())
}
