//! Why a language loses more than another: tokenization T, alignment A, redundancy R and degradation D of each language, the
//! path model T → A → R → D between them (document 000, theorem 4; document 001, theory 4), and the simulated model beside it.
//!
//! Nothing is changed on purpose here, so every path is a correlation in disguise; `family` is the experiment.

use super::{Config, Report, Row, verdicts};
use crate::lab::{
    AnalysisError, Measuring,
    degradation::{self, degradation},
    draws::LEVEL,
    layer_activation::{layer_kurtosis, mean_norms, outlier_share, shares},
    origin,
    plan::{Plan, Seen, Taps},
    rounding,
    runner::Lab,
    sample::{self, Reading},
};
use crate::{
    arch::{dial::Dial, recipe::Recipe},
    math::{correlation::correlate, statistics::bca},
};

mod paths;
mod tokens;

impl Measuring for Config {}

/// Every text once in full precision, with its norms and its mean states, and once quantized.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let reading = sample::read(config.texts.sample(), lab).await?;
    let fertility = tokens::fertility(config, &reading, lab).await?;
    let kurtosis = layer_kurtosis(&Dial::default(), lab).await?;
    let rounding = config.quantizer;
    let recipe = rounding::recipe(&rounding, lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), all.clone(), Taps { norms: true, means: true, ..Taps::LOSSES });
    let quantized = plan.ask(&recipe, all.clone(), Taps::LOSSES);
    let seen = lab.run(&plan).await?;
    let nats = [full, quantized].map(|recipe| seen.all_nats(recipe, all.clone()));

    let (outliers, by_median) = outliers(&kurtosis, config.threshold);
    let reference = config.texts.languages.iter().position(|code| *code == config.reference).expect("it was checked");
    let width = lab.model().device.spec.width;
    let languages = degradation::languages(&config.texts.languages, &reading, lab.model().card.as_ref());
    let mut rows = Vec::new();
    for (number, (language, fertility)) in languages.into_iter().zip(fertility).enumerate() {
        let margins = margins(&reading, &seen, full, (number, reference), width);
        let figures = bca(reading.units, 3, config.draws.resamples, LEVEL, config.draws.seed, |drawn, out| {
            let drawn_margins = margins.iter().zip(drawn).map(|(margin, times)| f64::from(*times) * margin);
            out[0] = drawn_margins.sum::<f64>() / drawn.iter().sum::<u32>() as f64;
            out[1] = outlier_share(&shares(&mean_norms(&reading, &seen, full, number, drawn)), &outliers);
            out[2] = degradation(&reading, number, [&nats[0], &nats[1]], drawn);
        });
        rows.push(Row {
            language,
            tokenization: config.quality.of(&fertility),
            fertility,
            alignment: (number != reference).then_some(figures[0]),
            redundancy: figures[1],
            degradation: figures[2],
        });
        lab.pause().await;
    }
    let counted: Vec<[f64; 4]> = rows.iter().filter(|row| row.counts()).map(figures_of).collect();
    let column = |at: usize| counted.iter().map(|row| row[at]).collect::<Vec<f64>>();
    let (alignment, tokenization) =
        (correlate(&column(1), &column(3), &config.draws()), correlate(&column(0), &column(3), &config.draws()));
    let paths = paths::fit(&counted, config.draws.resamples, config.draws.seed);
    Ok(Report {
        config: config.clone(),
        origin: origin::of(lab, Some(&reading)),
        outliers,
        by_median,
        verdicts: verdicts::all(paths.as_ref(), alignment.as_ref()),
        rows,
        paths,
        alignment,
        tokenization,
    })
}

/// T, A, R and D of a language that counts.
fn figures_of(row: &Row) -> [f64; 4] {
    let alignment = row.alignment.map_or(f64::NAN, |of| of.value);
    [row.tokenization, alignment, row.redundancy.value, row.degradation.value]
}

/// Layers above the threshold; where that is none or all, so that R̂ says nothing, those above the median κ.
fn outliers(kurtosis: &[f64], threshold: f64) -> (Vec<usize>, bool) {
    let above = |line: f64| (0..kurtosis.len()).filter(|&layer| kurtosis[layer] > line).collect::<Vec<usize>>();
    let own = above(threshold);
    if !own.is_empty() && own.len() < kurtosis.len() {
        return (own, false);
    }
    let mut sorted = kurtosis.to_vec();
    sorted.sort_by(f64::total_cmp);
    (above(sorted[(sorted.len() - 1) / 2]), true)
}

/// For each unit: the cosine of a language's mean state with that of the same unit in the reference language, less the mean cosine
/// with its other units; the mean over layers.
fn margins(reading: &Reading, seen: &Seen, full: usize, (own, other): (usize, usize), width: usize) -> Vec<f64> {
    let cosine = |a: &[f64], b: &[f64]| {
        let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let size = libm::sqrt(inner(a, a)) * libm::sqrt(inner(b, b));
        if size > 0.0 { inner(a, b) / size } else { 0.0 }
    };
    let margin = |(at, text): (usize, usize)| {
        let own = seen.means(full, text);
        let layers = own.len() / width;
        let mut sum = 0.0;
        for (unit, other) in reading.of_language(other).enumerate() {
            let other = seen.means(full, other);
            let same: f64 = own.chunks_exact(width).zip(other.chunks_exact(width)).map(|(a, b)| cosine(a, b)).sum();
            sum += if unit == at { same } else { -same / (reading.units - 1) as f64 };
        }
        sum / layers as f64
    };
    reading.of_language(own).enumerate().map(margin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_layers_but_not_all_are_outliers() {
        let kurtosis = [0.5, 3.0, 1.0, 2.0];
        assert_eq!(outliers(&kurtosis, 1.5), (vec![1, 3], false));
        assert_eq!(outliers(&kurtosis, 50.0), (vec![1, 3], true));
        assert_eq!(outliers(&kurtosis, -1.0), (vec![1, 3], true));
    }
}
