//! The bit sweep: what every width costs whom, under several clipping rules, and how fast the cost falls from bit to bit (seed
//! 004, section 5.1; document 003's rate–distortion view).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{
    AnalysisError,
    degradation::{Change, Cost, Language, Losses, known},
    draws::LEVEL,
    layer_activation::layer_kurtosis,
    origin::Origin,
    plan::{Plan, Taps},
    rounding::Rounding,
    runner::{Lab, Progress, Step},
};
use crate::{
    arch::{dial::Dial, recipe::Recipe},
    math::{
        clipping::Rule,
        moments::Moments,
        quantizer::Bits,
        statistics::{Interval, Resampled},
    },
};

mod critical;
mod trend;
mod verdicts;

pub use critical::Critical;
pub use trend::{LAW, Measure, Slope};
pub use verdicts::{Claim, Verdict};

/// One width under one rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepOutcome")]
pub struct Outcome {
    /// Clipping rule.
    pub rule: Rule,
    /// Bit-width.
    pub bits: Bits,
    /// D(λ), disparity and their kin.
    pub cost: Cost,
    /// Disparity against that of the widest width under the same rule, paired over texts; none there.
    pub against_widest: Option<Change>,
    /// How often languages that lose the same would lie as far apart by noise alone; see [`crate::math::apart`]. None where there
    /// is no disparity.
    pub chance: Option<f64>,
    /// Mean D over seen languages.
    pub mean: Option<Interval>,
    /// Mean of ln(1 + D) over seen languages: nats lost per token.
    pub nats: Option<Interval>,
    /// Squared error of all weights of the blocks over their squared deviation from their matrix's mean. The interval is over
    /// matrices: no text is involved.
    pub error: Interval,
    /// Memory of the weights, scales included.
    pub bytes: u64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the config.
    pub languages: Vec<Language>,
    /// Excess kurtosis of each layer.
    pub kurtosis: Vec<f64>,
    /// Weight matrices that were rounded.
    pub matrices: usize,
    /// Weights of the model in f32, in bytes.
    pub bytes_full: u64,
    /// Rule by rule in the order of the config, each from the narrowest width.
    pub outcomes: Vec<Outcome>,
    /// Of every measure under every rule.
    pub slopes: Vec<Slope>,
    /// B* under every rule; empty where there is no disparity.
    pub critical: Vec<Critical>,
    /// Claims P1, I1 and C3 under every rule.
    pub verdicts: Vec<Verdict>,
}

impl Report {
    /// Outcomes of a rule, from the narrowest width.
    pub fn of_rule(&self, rule: Rule) -> impl DoubleEndedIterator<Item = &Outcome> {
        self.outcomes.iter().filter(move |outcome| outcome.rule == rule)
    }
}

/// One width under one rule, as weights: squared errors of each matrix, and what to do to it.
struct Rounded {
    rule: Rule,
    bits: Bits,
    errors: Vec<f64>,
    recipe: Recipe,
}

/// Every matrix is read once and rounded in every way; every text is then read in full precision and under each.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let device = &lab.model().device;
    let reading = config.texts.sample().read(lab).await?;
    let kurtosis = layer_kurtosis(&Dial::default(), lab).await?;
    let (rounded, powers) = round(config, lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), all.clone(), Taps::LOSSES);
    let asked: Vec<usize> =
        rounded.iter().map(|rounded| plan.ask(&rounded.recipe, all.clone(), Taps::LOSSES)).collect();
    let seen = lab.run(&plan).await?;

    let languages = Language::all(&config.texts.languages, &reading, lab.model().card.as_ref());
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
        origin: Origin::of(lab, Some(&reading)),
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
