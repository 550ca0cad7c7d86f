//! Which languages pay: D(λ) and Δ bits per byte for each language, with paired intervals.

use super::{Config, Report, Row};
use crate::lab::{
    AnalysisError, Measuring,
    draws::LEVEL,
    groups::Groups,
    origin::{self, Origin},
    plan::{Plan, Taps},
    rounding::{self, TensorRow},
    runner::Lab,
    sample::{self, Reading},
};
use crate::{
    arch::recipe::Recipe,
    math::{metrics, statistics::bca},
    model::card::{Card, Resource},
};

impl Measuring for Config {}

/// Every text in full precision and quantized, and the report of it.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let reading = sample::read(config.texts.sample(), lab).await?;
    let rounding = config.quantizer;
    let recipe = rounding::recipe(&rounding, lab).await?;
    let tensors = rounding::rows(&recipe, lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let recipes = [&Recipe::default(), &recipe].map(|recipe| plan.ask(recipe, all.clone(), Taps::LOSSES));
    let seen = lab.run(&plan).await?;
    let nats = recipes.map(|recipe| seen.all_nats(recipe, all.clone()));
    let device = &lab.model().device;
    let quantized = Quantized { tensors, bytes_full: device.full().bytes(), bytes_quantized: device.bytes(&recipe)? };
    assemble(config, (&origin::of(lab, Some(&reading)), lab.model().card.as_ref()), &reading, quantized, &nats)
}

/// What is known of the weights and the report repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantized {
    /// Each quantized tensor.
    pub tensors: Vec<TensorRow>,
    /// Bytes of all tensors in f32.
    pub bytes_full: u64,
    /// Bytes with the recipe applied.
    pub bytes_quantized: u64,
}

/// Sums over units of one language.
#[derive(Clone, Default)]
struct Totals {
    full: f64,
    quantized: f64,
    tokens: u64,
    bytes: u64,
}

/// Figures per language, in the order in which [`measure`] writes them.
const PER_LANGUAGE: usize = 5;

/// The report, from the nats of every text in full precision and quantized.
pub fn assemble(
    config: &Config,
    (origin, card): (&Origin, Option<&Card>),
    reading: &Reading,
    quantized: Quantized,
    nats: &[Vec<f64>; 2],
) -> Result<Report, AnalysisError> {
    for (which, nats) in ["full-precision", "quantized"].into_iter().zip(nats) {
        reading.finite(which, nats)?;
    }
    let languages = config.texts.languages.len();
    let mut units = vec![vec![Totals::default(); languages]; config.texts.units];
    for (i, text) in reading.texts.iter().enumerate() {
        units[text.unit][text.language] =
            Totals { full: nats[0][i], quantized: nats[1][i], tokens: text.scored as u64, bytes: text.bytes };
    }
    let resources: Vec<Resource> = config.texts.languages.iter().map(|code| Resource::of(card, code)).collect();
    let groups = Groups::new(&resources);
    let statistics = languages * PER_LANGUAGE + groups.figures();
    let mut totals = vec![Totals::default(); languages];
    let intervals =
        bca(config.texts.units, statistics, config.draws.resamples, LEVEL, config.draws.seed, |drawn, out| {
            totals.fill(Totals::default());
            for (unit, &times) in units.iter().zip(drawn).filter(|(_, times)| **times > 0) {
                for (total, one) in totals.iter_mut().zip(unit) {
                    total.full += f64::from(times) * one.full;
                    total.quantized += f64::from(times) * one.quantized;
                    total.tokens += u64::from(times) * one.tokens;
                    total.bytes += u64::from(times) * one.bytes;
                }
            }
            measure(&totals, &groups, out);
        });

    let (per_language, over_all) = intervals.split_at(languages * PER_LANGUAGE);
    let rows = config.texts.languages.iter().enumerate().map(|(i, code)| {
        let of = reading.corpus.languages.iter().find(|language| language.code == *code);
        let of = of.expect("the config was checked against this corpus");
        let texts = || reading.texts.iter().filter(|text| text.language == i);
        let figures = &per_language[i * PER_LANGUAGE..][..PER_LANGUAGE];
        Row {
            code: code.clone(),
            name: of.name.clone(),
            endonym: of.endonym.clone(),
            direction: of.direction.clone(),
            resource: resources[i],
            bytes_seen: card.map(|card| card.bytes_seen(code)),
            units: config.texts.units,
            bytes: texts().map(|text| text.bytes).sum(),
            tokens: texts().map(|text| text.scored as u64).sum(),
            perplexity_full: figures[0],
            perplexity_quantized: figures[1],
            degradation: figures[2],
            bits_per_byte_full: figures[3],
            delta_bits_per_byte: figures[4],
        }
    });
    let mut over_all = over_all.iter().copied();
    Ok(Report {
        config: config.clone(),
        origin: origin.clone(),
        rows: rows.collect(),
        disparity: groups.has_disparity().then(|| over_all.next()).flatten(),
        mean_high: groups.has_high().then(|| over_all.next()).flatten(),
        mean_low: groups.has_low().then(|| over_all.next()).flatten(),
        ratio: groups.has_ratio().then(|| over_all.next()).flatten(),
        bytes_full: quantized.bytes_full,
        bytes_quantized: quantized.bytes_quantized,
        tensors: quantized.tensors,
    })
}

/// Writes [`PER_LANGUAGE`] figures for each language, then those over all that exist: disparity, mean HR, mean LR, ratio.
fn measure(totals: &[Totals], groups: &Groups, out: &mut [f64]) {
    let mut degradations = Vec::with_capacity(totals.len());
    for (total, figures) in totals.iter().zip(out.chunks_exact_mut(PER_LANGUAGE)) {
        figures[0] = metrics::perplexity(total.full, total.tokens);
        figures[1] = metrics::perplexity(total.quantized, total.tokens);
        figures[2] = metrics::degradation(total.full, total.quantized, total.tokens);
        figures[3] = metrics::bits_per_byte(total.full, total.bytes);
        figures[4] = metrics::delta_bits_per_byte(total.full, total.quantized, total.bytes);
        degradations.push(figures[2]);
    }
    let of = |which: &[usize]| which.iter().map(|&i| degradations[i]).collect::<Vec<_>>();
    let (counted, high, low) = (of(&groups.counted), of(&groups.high), of(&groups.low));
    let over_all = [
        (groups.has_disparity(), metrics::disparity(&counted)),
        (groups.has_high(), metrics::mean(&high)),
        (groups.has_low(), metrics::mean(&low)),
        (groups.has_ratio(), metrics::ratio(&low, &high)),
    ];
    let figures = over_all.into_iter().filter(|(has, _)| *has).map(|(_, figure)| figure);
    for (place, figure) in out[totals.len() * PER_LANGUAGE..].iter_mut().zip(figures) {
        // A ratio to a mean of exactly zero has no value.
        *place = figure.unwrap_or(f64::NAN);
    }
}
