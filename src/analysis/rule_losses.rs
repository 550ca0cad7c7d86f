//! What each clipping rule costs in D(λ): the Languages analysis, once per rule, over one plan.

use serde::{Deserialize, Serialize};

use super::{
    AnalysisError,
    clipping::Config,
    lab::Lab,
    languages::{self, Quantized, assemble},
    origin::Origin,
    plan::{Plan, Taps},
    rounding::Rounding,
    sample::Reading,
};
use crate::{
    arch::recipe::Recipe,
    math::{clipping::Rule, quantizer::Granularity, statistics::Interval},
};

/// D(λ) under a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
        let (recipe, tensors) = rounding.recipe(lab).await?;
        let device = &lab.model().device;
        let bytes_quantized = device.bytes(&recipe)?;
        let quantized = Quantized { tensors, bytes_full: device.full().bytes(), bytes_quantized };
        asked.push((rule, plan.ask(&recipe, all.clone(), Taps::LOSSES), quantized));
    }
    let seen = lab.run(&plan).await?;
    let (origin, card) = (Origin::of(lab), lab.model().card.as_ref());
    let loss = |(rule, recipe, quantized)| {
        let config = languages::Config {
            corpus: config.corpus.clone(),
            languages: config.languages.clone(),
            units: config.units,
            bits: config.bits,
            rule,
            granularity: Granularity::Tensor,
            resamples: config.resamples,
            seed: config.seed,
        };
        let nats = [full, recipe].map(|recipe| seen.all_nats(recipe, all.clone()));
        let report = assemble(&config, (&origin, card), reading, quantized, &nats)?;
        let degradation = report.rows.iter().map(|row| row.degradation).collect();
        Ok(RuleLoss { rule, degradation, disparity: report.disparity })
    };
    asked.into_iter().map(loss).collect()
}
