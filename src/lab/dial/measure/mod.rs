//! The outlier dial, do(κ): the same function with heavier and heavier tails, and what quantization then costs whom.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod verdicts;

use super::Config;
use crate::lab::{
    AnalysisError,
    degradation::{Change, Cost, Language, Losses},
    layer_activation::{layer_kurtosis, mean_norms, outlier_share, shares},
    origin::Origin,
    plan::{Plan, Seen, Taps},
    rounding::Rounding,
    runner::Lab,
    sample::{Reading, within},
};
use crate::{
    arch::{
        ArchError,
        dial::{Dial, Turned},
        flatten::flatten,
        recipe::Recipe,
    },
    math::{
        clipping::Rule,
        correlation::{Correlation, correlate},
        quantizer::Bits,
    },
};

pub use crate::arch::dial::Joint;
pub use verdicts::{Claim, Verdict};

/// Width of the protected layers in document 004's P2.
const PROTECTED: u8 = 8;

/// A place where the dial stood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// n of s = 2^n.
    pub exponent: usize,
    /// Whether the tails were flattened afterwards.
    pub flattened: bool,
    /// Excess kurtosis of each layer.
    pub kurtosis: Vec<f64>,
    /// The largest of them.
    pub max_kurtosis: f64,
    /// Full-precision losses against those of the model as it is; none for that model itself.
    pub proof: Option<Proof>,
}

/// How many bits of the full-precision losses are equal; a loss per text, 64 bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// Equal bits.
    pub equal: u64,
    /// Compared bits.
    pub of: u64,
}

/// One way of rounding at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Number of the point.
    pub point: usize,
    /// Bit-width.
    pub bits: Bits,
    /// Clipping rule.
    pub rule: Rule,
    /// What it costs.
    pub cost: Cost,
    /// R̂ over the turned layers against D, over languages; none where all layers are turned.
    pub usage: Option<Correlation>,
    /// Disparity against that of the same rounding at the point of least κ; none there.
    pub risen: Option<Change>,
    /// The same with 8 bits for outlier layers; at the point of largest κ, where some layers are outliers and some not.
    pub protected: Option<Protected>,
}

/// Outlier layers at 8 bits, all others as before (document 004, section 5.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Protected {
    /// The outlier layers.
    pub layers: Vec<usize>,
    /// What it costs.
    pub cost: Cost,
    /// Disparity against all layers at the lower width.
    pub change: Option<Change>,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DialReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the config.
    pub languages: Vec<Language>,
    /// R̂(λ) over the turned layers, of each language.
    pub turned_share: Vec<f64>,
    /// In the order of the config; the flattened one last.
    pub points: Vec<Point>,
    /// Point by point, width by width, rule by rule.
    pub outcomes: Vec<Outcome>,
    /// Claims C1, K1, P2 and P4 for each width and rule.
    pub verdicts: Vec<Verdict>,
}

/// Recipes of one way of rounding at one point, by their numbers in the plan.
struct Asked {
    point: usize,
    rounding: Rounding,
    recipe: usize,
    protected: Option<(Vec<usize>, usize)>,
}

/// Every point in full precision and under every rounding, over one plan.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let device = &lab.model().device;
    let layers = device.spec.blocks.len();
    within("the number of channels", config.channels, 1..=device.spec.width)?;
    let turned = config.turned(layers)?;
    let places =
        Turned { layers: &turned, joints: &config.joints, channels: config.channels, seed: config.channel_seed };
    let reading = config.texts.sample().read(lab).await?;
    let stand = |&exponent: &usize| {
        let dial = Dial::outliers(&device.spec, &places, exponent as i32)?;
        Ok::<_, ArchError>((exponent, false, dial))
    };
    let mut stands: Vec<(usize, bool, Dial)> = config.exponents().iter().map(stand).collect::<Result<_, _>>()?;
    if config.flatten {
        let furthest = stands.iter().max_by_key(|(exponent, ..)| *exponent).expect("there is a turn");
        stands.push((furthest.0, true, flatten(device, &furthest.2).await?));
    }

    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), all.clone(), Taps { norms: true, ..Taps::LOSSES });
    let (mut points, mut exact) = (Vec::new(), Vec::new());
    for (exponent, flattened, dial) in &stands {
        let kurtosis = layer_kurtosis(dial, lab).await?;
        let max_kurtosis = kurtosis.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        points.push(Point { exponent: *exponent, flattened: *flattened, kurtosis, max_kurtosis, proof: None });
        let recipe = Recipe { dial: dial.clone(), ..Recipe::default() };
        exact.push(plan.ask(&recipe, all.clone(), Taps::LOSSES));
    }
    let heaviest = extreme(&points, |a, b| a > b);
    let mut asked = Vec::new();
    for (point, (.., dial)) in stands.iter().enumerate() {
        let outliers: Vec<usize> = (0..layers).filter(|&l| points[point].kurtosis[l] > config.threshold).collect();
        for (bits, rule) in config.bits.iter().flat_map(|&bits| config.rules.iter().map(move |&rule| (bits, rule))) {
            let rounding = Rounding { bits, rule, granularity: config.granularity };
            let recipe = rounding.recipe_after(dial, lab).await?;
            let some = point == heaviest && !outliers.is_empty() && outliers.len() < layers;
            let protected = if some && bits.get() < PROTECTED {
                let wider = Rounding { bits: Bits::new(PROTECTED).expect("8 is a width"), ..rounding };
                let wide = wider.recipe_where(dial, |layer| outliers.contains(&layer), lab).await?;
                let mut mixed = recipe.clone();
                mixed.tensors.extend(wide.tensors);
                Some((outliers.clone(), plan.ask(&mixed, all.clone(), Taps::LOSSES)))
            } else {
                None
            };
            asked.push(Asked { point, rounding, recipe: plan.ask(&recipe, all.clone(), Taps::LOSSES), protected });
        }
    }
    let seen = lab.run(&plan).await?;

    for (point, &recipe) in points.iter_mut().zip(&exact).filter(|(_, recipe)| **recipe != full) {
        point.proof = Some(Proof::of(&seen.all_nats(full, all.clone()), &seen.all_nats(recipe, all.clone())));
    }
    let languages = Language::all(&config.texts.languages, &reading, lab.model().card.as_ref());
    let once = vec![1; reading.units];
    let share = |language| outlier_share(&shares(&mean_norms(&reading, &seen, full, language, &once)), &turned);
    let turned_share: Vec<f64> = (0..languages.len()).map(share).collect();
    let outcomes = outcomes(config, &reading, &languages, &points, &asked, (&seen, full), &turned_share)?;
    Ok(Report {
        config: config.clone(),
        origin: Origin::of(lab, Some(&reading)),
        verdicts: verdicts::all(config, &points, &outcomes),
        languages,
        turned_share,
        points,
        outcomes,
    })
}

/// The point of largest or least κ.
pub(crate) fn extreme(points: &[Point], further: fn(f64, f64) -> bool) -> usize {
    let better =
        |best: usize, at: usize| if further(points[at].max_kurtosis, points[best].max_kurtosis) { at } else { best };
    (0..points.len()).fold(0, better)
}

fn outcomes(
    config: &Config,
    reading: &Reading,
    languages: &[Language],
    points: &[Point],
    asked: &[Asked],
    (seen, full): (&Seen, usize),
    turned_share: &[f64],
) -> Result<Vec<Outcome>, AnalysisError> {
    let all = 0..reading.texts.len();
    let nats = |recipe: usize| seen.all_nats(recipe, all.clone());
    let lightest = extreme(points, |a, b| a < b);
    // Sets of weights: every rounding, then the protected ones.
    let protected: Vec<(usize, usize)> = asked
        .iter()
        .enumerate()
        .filter_map(|(at, asked)| asked.protected.as_ref().map(|(_, recipe)| (at, *recipe)))
        .collect();
    let changed: Vec<Vec<f64>> =
        asked.iter().map(|asked| nats(asked.recipe)).chain(protected.iter().map(|(_, recipe)| nats(*recipe))).collect();
    let same_rounding_at_lightest = |of: &Asked| {
        asked.iter().position(|other| other.point == lightest && other.rounding == of.rounding).expect("asked for all")
    };
    let mut pairs: Vec<(usize, usize)> =
        asked.iter().enumerate().map(|(at, of)| (at, same_rounding_at_lightest(of))).collect();
    pairs.extend(protected.iter().enumerate().map(|(number, (at, _))| (asked.len() + number, *at)));
    let full = nats(full);
    let losses = Losses { reading, languages, full: &full, changed: &changed };
    let (costs, changes) = losses.measure(&pairs, config.draws.resamples, config.draws.seed)?;

    let draws = config.draws();
    let counted: Vec<usize> = (0..languages.len()).filter(|&i| languages[i].counts()).collect();
    let layers = points[0].kurtosis.len();
    let some_turned = (1..layers).contains(&config.turned(layers)?.len());
    let outcome = |(at, of): (usize, &Asked)| {
        let usage = some_turned.then(|| {
            let x: Vec<f64> = counted.iter().map(|&i| turned_share[i]).collect();
            let y: Vec<f64> = counted.iter().map(|&i| costs[at].degradation[i].value).collect();
            correlate(&x, &y, &draws)
        });
        let protected = protected.iter().position(|(owner, _)| *owner == at).map(|number| Protected {
            layers: of.protected.as_ref().map_or_else(Vec::new, |(layers, _)| layers.clone()),
            cost: costs[asked.len() + number].clone(),
            change: changes[asked.len() + number],
        });
        Outcome {
            point: of.point,
            bits: of.rounding.bits,
            rule: of.rounding.rule,
            cost: costs[at].clone(),
            usage: usage.flatten(),
            risen: changes[at].filter(|_| of.point != lightest),
            protected,
        }
    };
    Ok(asked.iter().enumerate().map(outcome).collect())
}

impl Proof {
    fn of(before: &[f64], after: &[f64]) -> Proof {
        let different: u32 = before.iter().zip(after).map(|(a, b)| (a.to_bits() ^ b.to_bits()).count_ones()).sum();
        let of = 64 * before.len() as u64;
        Proof { equal: of - u64::from(different), of }
    }

    /// Whether the two agree in every bit.
    pub fn holds(&self) -> bool {
        self.equal == self.of
    }
}
