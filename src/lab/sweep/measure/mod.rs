//! The bit sweep: what every width costs whom, under several clipping rules, and how fast the cost falls from bit to bit (seed
//! 004, section 5.1; document 003's rate–distortion view).

use super::{Config, Critical, Outcome, Report, verdicts};
use crate::lab::{
    AnalysisError, Measuring,
    degradation::{self, Losses, known},
    draws::LEVEL,
    layer_activation::layer_kurtosis,
    origin,
    plan::{Plan, Taps},
    rounding::Rounding,
    runner::{Lab, Progress, Step},
    sample,
};
use crate::{
    arch::{dial::Dial, recipe::Recipe},
    math::{clipping::Rule, moments::Moments, quantizer::Bits, statistics::Resampled},
};

mod trend;

/// One width under one rule, as weights: squared errors of each matrix, and what to do to it.
struct Rounded {
    rule: Rule,
    bits: Bits,
    errors: Vec<f64>,
    recipe: Recipe,
}

impl Measuring for Config {}

/// Every matrix is read once and rounded in every way; every text is then read in full precision and under each.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let device = &lab.model().device;
    let reading = sample::read(config.texts.sample(), lab).await?;
    let kurtosis = layer_kurtosis(&Dial::default(), lab).await?;
    let (rounded, powers) = round(config, lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), all.clone(), Taps::LOSSES);
    let asked: Vec<usize> =
        rounded.iter().map(|rounded| plan.ask(&rounded.recipe, all.clone(), Taps::LOSSES)).collect();
    let seen = lab.run(&plan).await?;

    let languages = degradation::languages(&config.texts.languages, &reading, lab.model().card.as_ref());
    let changed: Vec<Vec<f64>> = asked.iter().map(|&recipe| seen.all_nats(recipe, all.clone())).collect();
    let losses =
        Losses { reading: &reading, languages: &languages, full: &seen.all_nats(full, all.clone()), changed: &changed };
    let widths = config.bits.len();
    // The widest of the same rule closes its run of widths.
    let pairs: Vec<(usize, usize)> = (0..rounded.len()).map(|at| (at, at / widths * widths + widths - 1)).collect();
    let (costs, changes) = losses.measure(&pairs, config.draws.resamples, config.draws.seed)?;
    let series: Vec<trend::Series> =
        changed.iter().map(|nats| trend::series(&losses, nats, config.draws.resamples, config.draws.seed)).collect();
    let errors: Vec<&[f64]> = rounded.iter().map(|rounded| &rounded.errors[..]).collect();
    let errors = trend::error_series(&errors, &powers, config.draws.resamples, config.draws.seed);

    let mut outcomes = Vec::new();
    for (at, (rounded, cost)) in rounded.iter().zip(costs).enumerate() {
        let over_texts = |of: &[f64]| known(Resampled::of(of, reading.units).bca(LEVEL));
        outcomes.push(Outcome {
            rule: rounded.rule,
            bits: rounded.bits,
            cost,
            against_widest: changes[at].filter(|_| pairs[at].1 != at),
            chance: series[at].chance,
            mean: over_texts(&series[at].mean),
            nats: over_texts(&series[at].nats),
            error: Resampled::of(&errors[at], powers.len()).bca(LEVEL),
            bytes: device.bytes(&rounded.recipe)?,
        });
    }
    let slopes = trend::slopes(&outcomes, widths, (&series, reading.units), (&errors, powers.len()));
    let critical: Vec<Critical> = outcomes.chunks(widths).filter_map(Critical::of).collect();
    Ok(Report {
        config: config.clone(),
        origin: origin::of(lab, Some(&reading)),
        verdicts: verdicts::all(&kurtosis, outcomes.chunks(widths), &slopes, &critical),
        languages: languages.clone(),
        matrices: powers.len(),
        kurtosis,
        bytes_full: device.full().bytes(),
        outcomes,
        slopes,
        critical,
    })
}

/// Every matrix under every width and rule, rule by rule from the narrowest width; and Σ(w − mean)² of each matrix.
async fn round(config: &Config, lab: &impl Lab) -> Result<(Vec<Rounded>, Vec<f64>), AnalysisError> {
    let device = &lab.model().device;
    let mut widths = config.bits.clone();
    widths.sort_unstable();
    let rounded = |(rule, bits)| Rounded { rule, bits, errors: Vec::new(), recipe: Recipe::default() };
    let mut all: Vec<Rounded> =
        config.rules.iter().flat_map(|&rule| widths.iter().map(move |&bits| (rule, bits))).map(rounded).collect();
    let (matrices, mut powers, mut done) = (device.matrices(), Vec::new(), 0);
    let total = matrices.len() * all.len();
    for (name, _, layout) in matrices {
        let values = device.values(&name).await?;
        let moments = Moments::of(&values);
        // Equal weights have no spread; their square stands in for it, as in `relative_mse`.
        let spread = if moments.variance() > 0.0 { moments.variance() } else { moments.mean * moments.mean };
        let power = spread * values.len() as f64;
        for Rounded { rule, bits, errors, recipe } in &mut all {
            lab.tell(Progress { step: Step::Tensors, done, total });
            let rounding = Rounding { bits: *bits, rule: *rule, granularity: config.granularity };
            let how = rounding.of(&values, layout);
            errors.push(power * how.relative_mse(&values, layout));
            recipe.tensors.insert(name.clone(), how);
            done += 1;
            lab.pause().await;
        }
        powers.push(power);
    }
    Ok((all, powers))
}
