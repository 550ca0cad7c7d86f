//! The outlier dial, do(κ): the same function with heavier and heavier tails, and what quantization then costs whom.

use super::{Config, Outcome, Point, Proof, Protected, Report, extreme, verdicts};
use crate::lab::{
    AnalysisError, Measuring,
    degradation::{self, Language, Losses},
    layer_activation::{layer_kurtosis, mean_norms, outlier_share, shares},
    origin,
    plan::{Plan, Seen, Taps},
    rounding::{self, Rounding},
    runner::Lab,
    sample::{self, Reading, within},
};
use crate::{
    arch::{
        ArchError,
        dial::{Dial, Turned},
        flatten::flatten,
        recipe::Recipe,
    },
    math::{correlation::correlate, quantizer::Bits},
};

/// Width of the protected layers in document 004's P2.
const PROTECTED: u8 = 8;

/// Recipes of one way of rounding at one point, by their numbers in the plan.
struct Asked {
    point: usize,
    rounding: Rounding,
    recipe: usize,
    protected: Option<(Vec<usize>, usize)>,
}

impl Measuring for Config {}

/// Every point in full precision and under every rounding, over one plan.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let device = &lab.model().device;
    let layers = device.spec.blocks.len();
    within("the number of channels", config.channels, 1..=device.spec.width)?;
    let turned = config.turned(layers)?;
    let places =
        Turned { layers: &turned, joints: &config.joints, channels: config.channels, seed: config.channel_seed };
    let reading = sample::read(config.texts.sample(), lab).await?;
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
            let recipe = rounding::recipe_after(&rounding, dial, lab).await?;
            let some = point == heaviest && !outliers.is_empty() && outliers.len() < layers;
            let protected = if some && bits.get() < PROTECTED {
                let wider = Rounding { bits: Bits::new(PROTECTED).expect("8 is a width"), ..rounding };
                let wide = rounding::recipe_where(&wider, dial, |layer| outliers.contains(&layer), lab).await?;
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
    let languages = degradation::languages(&config.texts.languages, &reading, lab.model().card.as_ref());
    let once = vec![1; reading.units];
    let share = |language| outlier_share(&shares(&mean_norms(&reading, &seen, full, language, &once)), &turned);
    let turned_share: Vec<f64> = (0..languages.len()).map(share).collect();
    let outcomes = outcomes(config, &reading, &languages, &points, &asked, (&seen, full), &turned_share)?;
    Ok(Report {
        config: config.clone(),
        origin: origin::of(lab, Some(&reading)),
        verdicts: verdicts::all(config, &points, &outcomes),
        languages,
        turned_share,
        points,
        outcomes,
    })
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
