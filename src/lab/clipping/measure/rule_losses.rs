//! What each clipping rule costs in D(λ), over one plan.

use super::Config;
use crate::lab::{
    AnalysisError,
    clipping::rule_losses::RuleLoss,
    degradation::{self, Cost, Losses},
    plan::{Plan, Taps},
    rounding::{self, Rounding},
    runner::Lab,
    sample::Reading,
};
use crate::{
    arch::recipe::Recipe,
    math::{clipping::Rule, quantizer::Granularity},
};

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
        asked.push(plan.ask(&rounding::recipe(&rounding, lab).await?, all.clone(), Taps::LOSSES));
    }
    let seen = lab.run(&plan).await?;
    let nats = |recipe: usize| seen.all_nats(recipe, all.clone());
    let losses = Losses {
        reading,
        languages: &degradation::languages(&config.texts.languages, reading, lab.model().card.as_ref()),
        full: &nats(full),
        changed: &asked.into_iter().map(nats).collect::<Vec<_>>(),
    };
    let (costs, _) = losses.measure(&[], config.draws.resamples, config.draws.seed)?;
    let loss = |(rule, cost): (Rule, Cost)| RuleLoss { rule, degradation: cost.degradation, disparity: cost.disparity };
    Ok(Rule::ALL.into_iter().zip(costs).map(loss).collect())
}
