//! How much each language uses each layer, and whether that goes with its loss (documents 002 and 004).

use super::{Config, Layer, Pair, Report, Row, Spread};
use crate::lab::{
    AnalysisError, Measuring,
    degradation::{self, degradation},
    draws::LEVEL,
    groups::Groups,
    layer_activation::{effective_kurtosis, layer_kurtosis, mean_norms, outlier_share, shares},
    origin,
    plan::{Plan, Seen, Taps},
    rounding,
    runner::Lab,
    sample::{self, Reading},
};
use crate::{
    arch::{dial::Dial, recipe::Recipe},
    math::{
        correlation::{Correlation, correlate},
        metrics,
        statistics::bca,
    },
    model::card::Resource,
};

/// What the passes showed, ready to be resampled.
struct Measured<'a> {
    reading: &'a Reading,
    seen: &'a Seen,
    full: usize,
    /// In full precision and quantized.
    nats: [&'a [f64]; 2],
    kurtosis: &'a [f64],
    outliers: &'a [usize],
    groups: Groups,
}

/// Figures of a language, in the order in which [`Measured::all`] writes them: κ_eff, R̂, D.
const PER_LANGUAGE: usize = 3;
/// Figures of a [`Spread`].
const OVER_ALL: usize = 4;

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

    let languages = degradation::languages(&config.texts.languages, &reading, lab.model().card.as_ref());
    let resources: Vec<Resource> = languages.iter().map(|language| language.resource).collect();
    let outliers: Vec<usize> = (0..kurtosis.len()).filter(|&layer| kurtosis[layer] > config.threshold).collect();
    let measured = Measured {
        reading: &reading,
        seen: &seen,
        full,
        nats: [&nats[0], &nats[1]],
        kurtosis: &kurtosis,
        outliers: &outliers,
        groups: Groups::new(&resources),
    };
    let statistics = languages.len() * PER_LANGUAGE + OVER_ALL;
    let intervals =
        bca(config.texts.units, statistics, config.draws.resamples, LEVEL, config.draws.seed, |drawn, out| {
            measured.all(drawn, out);
        });
    let (per_language, over_all) = intervals.split_at(languages.len() * PER_LANGUAGE);
    let once = vec![1; reading.units];
    let rows: Vec<Row> = languages
        .into_iter()
        .enumerate()
        .zip(per_language.chunks_exact(PER_LANGUAGE))
        .map(|((number, language), figures)| {
            let norms = mean_norms(&reading, &seen, full, number, &once);
            let (kurtosis, reliance, degradation) = (figures[0], figures[1], figures[2]);
            Row { language, shares: shares(&norms), norms, kurtosis, reliance, degradation }
        })
        .collect();
    let draws = config.draws();
    let correlation = |pairs: Vec<Option<(f64, f64)>>| {
        let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().flatten().unzip();
        correlate(&x, &y, &draws)
    };
    let correlations: Vec<Option<Correlation>> = Pair::ALL.iter().map(|pair| correlation(pair.of(&rows))).collect();
    let counted: Vec<&Row> = rows.iter().filter(|row| row.language.counts()).collect();
    let layer = |layer: usize| {
        let over = |of: fn(&Row) -> &[f64]| counted.iter().map(|row| of(row)[layer]).collect::<Vec<f64>>();
        let (norms, shares) = (over(|row| &row.norms), over(|row| &row.shares));
        let losses: Vec<f64> = counted.iter().map(|row| row.degradation.value).collect();
        Layer {
            kurtosis: kurtosis[layer],
            outlier: outliers.contains(&layer),
            norm_variance: metrics::variance(&norms),
            share_variance: metrics::variance(&shares),
            with_loss: correlate(&shares, &losses, &draws),
        }
    };
    let spread = (counted.len() > 1 && over_all.iter().all(|figure| figure.value.is_finite())).then(|| Spread {
        disparity: over_all[0],
        deviation: over_all[1],
        constant: over_all[2],
        range: over_all[3],
    });
    let product = correlations[0].zip(spread).map(|(usage, spread)| {
        usage.pearson.value.abs() * spread.range.value * metrics::disparity(&kurtosis).unwrap_or(0.0)
    });
    Ok(Report {
        config: config.clone(),
        origin: origin::of(lab, Some(&reading)),
        layers: (0..kurtosis.len()).map(layer).collect(),
        correlations,
        spread,
        product,
        rows,
    })
}

impl Measured<'_> {
    /// [`PER_LANGUAGE`] figures of each language, its texts counted as drawn, then those of [`Spread`].
    fn all(&self, drawn: &[u32], out: &mut [f64]) {
        let languages = (out.len() - OVER_ALL) / PER_LANGUAGE;
        let (per_language, over_all) = out.split_at_mut(languages * PER_LANGUAGE);
        for (language, figures) in per_language.chunks_exact_mut(PER_LANGUAGE).enumerate() {
            let shares = shares(&mean_norms(self.reading, self.seen, self.full, language, drawn));
            figures[0] = effective_kurtosis(&shares, self.kurtosis);
            figures[1] = outlier_share(&shares, self.outliers);
            figures[2] = degradation(self.reading, language, self.nats, drawn);
        }
        let of = |figure: usize| {
            self.groups.counted.iter().map(|&at| per_language[at * PER_LANGUAGE + figure]).collect::<Vec<f64>>()
        };
        let disparity = metrics::disparity(&of(2)).unwrap_or(f64::NAN);
        let deviation = libm::sqrt(metrics::variance(&of(0)));
        let range = metrics::disparity(&of(1)).unwrap_or(f64::NAN);
        over_all.copy_from_slice(&[disparity, deviation, disparity / deviation, range]);
    }
}
