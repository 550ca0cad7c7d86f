//! Screening: does the loaded model meet what document 004 says disparity needs (section 2.3), what does its decision rule advise
//! (7.2), and does what is measured agree (5.4)?

use super::{Advice, Condition, Config, Layer, Mix, Report, Row, verdicts};
use crate::lab::{
    AnalysisError, Measuring,
    degradation::{self, Language, degradation, known},
    draws::LEVEL,
    groups::Groups,
    layer_activation::{layer_kurtosis, mean_norms, outlier_share, shares},
    origin,
    plan::{Plan, Seen, Taps},
    rounding,
    runner::Lab,
    sample::{self, Reading},
};
use crate::{
    arch::{design::Design, dial::Dial, recipe::Recipe},
    math::{
        correlation::{Draws, correlate},
        metrics,
        statistics::{Resampled, bootstrap},
    },
    model::card::Resource,
};

/// Where no layer is an outlier, the heaviest one in so many stand in: as many as BLOOM has outliers, 3 of 24.
const STAND_IN: usize = 8;

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

impl Measuring for Config {}

/// Every text once in full precision with its norms, and once quantized.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let reading = sample::read(config.texts.sample(), lab).await?;
    let kurtosis = layer_kurtosis(&Dial::default(), lab).await?;
    let rounding = config.quantizer;
    let recipe = rounding::recipe(&rounding, lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), all.clone(), Taps { norms: true, ..Taps::LOSSES });
    let quantized = plan.ask(&recipe, all.clone(), Taps::LOSSES);
    let seen = lab.run(&plan).await?;
    let nats = [full, quantized].map(|recipe| seen.all_nats(recipe, all.clone()));

    let model = lab.model();
    let languages = degradation::languages(&config.texts.languages, &reading, model.card.as_ref());
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
        origin: origin::of(lab, Some(&reading)),
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
