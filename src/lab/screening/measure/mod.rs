//! Screening: does the loaded model meet what document 004 says disparity needs (section 2.3), what does its decision rule advise
//! (7.2), and does what is measured agree (5.4)?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{
    AnalysisError,
    degradation::{Language, degradation, known},
    draws::LEVEL,
    groups::Groups,
    layer_activation::{layer_kurtosis, mean_norms, outlier_share, shares},
    origin::Origin,
    plan::{Plan, Seen, Taps},
    runner::Lab,
    sample::Reading,
};
use crate::{
    arch::{design::Design, dial::Dial, recipe::Recipe},
    math::{
        correlation::{Correlation, Draws, correlate},
        metrics,
        statistics::{Interval, Resampled, bootstrap},
    },
    model::card::{Card, Resource},
};

mod conditions;
pub mod models;
mod verdicts;

pub use conditions::{Advice, Condition, Needed};
pub use verdicts::{Claim, Verdict};

/// Document 004, section 7.1: from this variance of ā_outlier over languages on, disparity is expected.
pub const VARIANCE: f64 = 0.001;
/// Where no layer is an outlier, the heaviest one in so many stand in: as many as BLOOM has outliers, 3 of 24.
const STAND_IN: usize = 8;

/// A layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningLayer")]
pub struct Layer {
    /// Excess kurtosis of its matrices as if they were one.
    pub kurtosis: f64,
    /// Whether it counts in ā_outlier.
    pub outlier: bool,
}

/// A language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningRow")]
pub struct Row {
    /// Which.
    #[serde(flatten)]
    pub language: Language,
    /// ā_outlier(λ): the share of its activation in outlier layers.
    pub usage: Interval,
    /// D(λ).
    pub degradation: Interval,
}

/// What the model was trained on, where its card says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningMix")]
pub struct Mix {
    /// Languages that it saw.
    pub languages: usize,
    /// Share of the one that it saw most, by bytes.
    pub largest: f64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// The model's design.
    pub traits: Design,
    /// What it was trained on; none without a card.
    pub mix: Option<Mix>,
    /// From the first.
    pub layers: Vec<Layer>,
    /// Whether no layer lies above the bound, so that the heaviest eighth stand in for outlier layers.
    pub stand_in: bool,
    /// Largest κ of a layer.
    pub max_kurtosis: f64,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// Var of ā_outlier over seen languages; none for fewer than two.
    pub variance: Option<Interval>,
    /// max D − min D over seen languages; none for fewer than two.
    pub disparity: Option<Interval>,
    /// Disparity less what noise alone adds to a largest − smallest.
    pub disparity_corrected: Option<Interval>,
    /// ā_outlier against D over seen languages; none where one of them does not vary.
    pub correlation: Option<Correlation>,
    /// C1 to C3, in order.
    pub conditions: Vec<Condition>,
    /// What section 7.2 advises.
    pub advice: Advice,
    /// Claims C1 to C3, P4 and M1, as far as one model can decide them.
    pub verdicts: Vec<Verdict>,
}

impl Mix {
    /// Of a card; none where it names no language that was seen.
    fn of(card: &Card) -> Option<Mix> {
        let seen = || card.languages.values().map(|language| language.bytes_seen).filter(|bytes| *bytes > 0);
        let whole: u64 = seen().sum();
        Some(Mix { languages: seen().count(), largest: seen().max()? as f64 / whole as f64 })
    }
}

/// Layers above the bound; where there are none, the heaviest eighth, at least one, and that they stand in.
fn outliers(kurtosis: &[f64], light: f64) -> (Vec<usize>, bool) {
    let above: Vec<usize> = (0..kurtosis.len()).filter(|&layer| kurtosis[layer] > light).collect();
    if !above.is_empty() {
        return (above, false);
    }
    let mut order: Vec<usize> = (0..kurtosis.len()).collect();
    order.sort_by(|&a, &b| kurtosis[b].total_cmp(&kurtosis[a]));
    order.truncate(kurtosis.len().div_ceil(STAND_IN));
    order.sort_unstable();
    (order, true)
}

/// What the passes showed, ready to be resampled.
struct Measured<'a> {
    reading: &'a Reading,
    seen: &'a Seen,
    full: usize,
    /// In full precision and quantized.
    nats: [&'a [f64]; 2],
    outliers: &'a [usize],
    groups: Groups,
}

/// Figures of a language: ā_outlier, D.
const PER_LANGUAGE: usize = 2;
/// Figures over all: Var of ā_outlier, disparity.
const OVER_ALL: usize = 2;

/// Every text once in full precision with its norms, and once quantized.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let reading = config.texts.sample().read(lab).await?;
    let kurtosis = layer_kurtosis(&Dial::default(), lab).await?;
    let rounding = config.quantizer;
    let recipe = rounding.recipe(lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), all.clone(), Taps { norms: true, ..Taps::LOSSES });
    let quantized = plan.ask(&recipe, all.clone(), Taps::LOSSES);
    let seen = lab.run(&plan).await?;
    let nats = [full, quantized].map(|recipe| seen.all_nats(recipe, all.clone()));

    let model = lab.model();
    let languages = Language::all(&config.texts.languages, &reading, model.card.as_ref());
    let resources: Vec<Resource> = languages.iter().map(|language| language.resource).collect();
    let (outliers, stand_in) = outliers(&kurtosis, config.light);
    let measured = Measured {
        reading: &reading,
        seen: &seen,
        full,
        nats: [&nats[0], &nats[1]],
        outliers: &outliers,
        groups: Groups::new(&resources),
    };
    let statistics = languages.len() * PER_LANGUAGE + OVER_ALL;
    let figures = bootstrap(config.texts.units, statistics, config.draws.resamples, config.draws.seed, |drawn, out| {
        measured.all(drawn, out);
    });
    let (per_language, over_all) = figures.split_at(languages.len() * PER_LANGUAGE);
    let row = |(language, figures): (Language, &[Resampled])| Row {
        language,
        usage: figures[0].bca(LEVEL),
        degradation: figures[1].bca(LEVEL),
    };
    let rows: Vec<Row> = languages.into_iter().zip(per_language.chunks_exact(PER_LANGUAGE)).map(row).collect();
    let counted: Vec<&Row> = rows.iter().filter(|row| row.language.counts()).collect();
    let of = |figure: fn(&Row) -> f64| counted.iter().map(|row| figure(row)).collect::<Vec<f64>>();
    let draws = Draws {
        resamples: config.draws.resamples,
        permutations: config.permutations,
        level: LEVEL,
        seed: config.draws.seed,
    };
    let correlation = correlate(&of(|row| row.usage.value), &of(|row| row.degradation.value), &draws);
    let mut report = Report {
        config: config.clone(),
        origin: Origin::of(lab, Some(&reading)),
        traits: Design::of(&model.device.spec),
        mix: model.card.as_ref().and_then(Mix::of),
        max_kurtosis: kurtosis.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        layers: kurtosis
            .iter()
            .enumerate()
            .map(|(layer, &kurtosis)| Layer { kurtosis, outlier: outliers.contains(&layer) })
            .collect(),
        stand_in,
        variance: known(over_all[0].bca(LEVEL)),
        disparity: known(over_all[1].bca(LEVEL)),
        disparity_corrected: known(over_all[1].corrected(LEVEL)),
        correlation,
        rows,
        conditions: Vec::new(),
        advice: Advice::Standard,
        verdicts: Vec::new(),
    };
    report.conditions = Condition::all(&report);
    report.advice = Advice::of(report.max_kurtosis, config.light, config.heavy);
    report.verdicts = verdicts::all(&report);
    Ok(report)
}

impl Measured<'_> {
    /// [`PER_LANGUAGE`] figures of each language, its texts counted as drawn, then [`OVER_ALL`]; NaN where there are none.
    fn all(&self, drawn: &[u32], out: &mut [f64]) {
        let languages = (out.len() - OVER_ALL) / PER_LANGUAGE;
        let (per_language, over_all) = out.split_at_mut(languages * PER_LANGUAGE);
        for (language, figures) in per_language.chunks_exact_mut(PER_LANGUAGE).enumerate() {
            let shares = shares(&mean_norms(self.reading, self.seen, self.full, language, drawn));
            figures[0] = outlier_share(&shares, self.outliers);
            figures[1] = degradation(self.reading, language, self.nats, drawn);
        }
        let of = |figure: usize| {
            self.groups.counted.iter().map(|&at| per_language[at * PER_LANGUAGE + figure]).collect::<Vec<f64>>()
        };
        let usage = of(0);
        over_all[0] = if usage.len() > 1 { metrics::variance(&usage) } else { f64::NAN };
        over_all[1] = metrics::disparity(&of(1)).unwrap_or(f64::NAN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_stand_in_where_no_layer_is_an_outlier() {
        assert_eq!(outliers(&[1.0, 9.0, 5.0, 6.0], 5.0), (vec![1, 3], false));
        assert_eq!(outliers(&[1.0, 2.0, 0.5], 5.0), (vec![1], true));
        let many: Vec<f64> = (0..24).map(|layer| f64::from(layer % 7)).collect();
        assert_eq!(outliers(&many, 50.0), (vec![6, 13, 20], true), "3 of 24");
    }
}
