//! What helps: ways of rounding at one bit-width side by side, each with what it costs whom (document 002, strategies A to C).

use super::{Config, Confusion, Method, Report, Row};
use crate::lab::{
    AnalysisError, Measuring,
    degradation::{self, Cost, Losses},
    detection,
    effective_weights::{inputs, own_threshold},
    layer_activation::layer_kurtosis,
    origin,
    plan::{Plan, Seen, Taps},
    rounding::{self, Rounding},
    runner::{Lab, Progress, Step},
    sample::{self, Reading, within},
};
use crate::{
    arch::{
        dial::Dial,
        flatten::flatten,
        recipe::{Quantization, Recipe},
    },
    math::{
        clipping::Rule,
        moments::Moments,
        quantizer::{Bits, Granularity, Uniform},
    },
};

/// Width of outlier layers in strategy B.
const PROTECTED: u8 = 8;

/// The recipe under which each text is run: its number in the plan.
struct Asked {
    method: Method,
    of_text: Vec<usize>,
    bytes: u64,
}

impl Measuring for Config {}

/// Full precision first, with what each channel carries; then every method over one plan.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    let device = &lab.model().device;
    config.check()?;
    if !config.own.is_empty() {
        let layers = device.spec.blocks.len();
        within("the number of layers with a width of their own", config.own.len(), layers..=layers)?;
    }
    let reading = sample::read(config.texts.sample(), lab).await?;
    let all = 0..reading.texts.len();
    let per_language = config.wants(Method::Language) || config.wants(Method::Detected);
    let mut first = Plan::new(reading.texts.clone());
    let full = first.ask(&Recipe::default(), all.clone(), Taps { inputs: per_language, ..Taps::LOSSES });
    let first_seen = lab.run(&first).await?;

    let kurtosis = layer_kurtosis(&Dial::default(), lab).await?;
    let outliers: Vec<usize> = (0..kurtosis.len()).filter(|&layer| kurtosis[layer] > config.threshold).collect();
    let confusion = config.wants(Method::Detected).then(|| confusion(config, &reading, device.spec.vocabulary));
    let own = if per_language { own_recipes(config, &reading, (&first_seen, full), lab).await? } else { Vec::new() };
    let mut plan = Plan::new(reading.texts.clone());
    let mut asked = Vec::new();
    for method in Method::ALL.into_iter().filter(|method| config.wants(*method)) {
        let (of_text, bytes) = match method {
            Method::Language | Method::Detected => {
                let guesses = confusion.as_ref().filter(|_| method == Method::Detected).map(|(_, guesses)| guesses);
                let language = |text: usize| guesses.map_or(reading.texts[text].language, |guesses| guesses[text]);
                let ask = |text| plan.ask(&own[language(text)], text..text + 1, Taps::LOSSES);
                (all.clone().map(ask).collect(), device.bytes(&own[0])?)
            }
            _ => {
                let recipe = recipe(config, method, &outliers, lab).await?;
                let number = plan.ask(&recipe, all.clone(), Taps::LOSSES);
                (vec![number; all.len()], device.bytes(&recipe)?)
            }
        };
        asked.push(Asked { method, of_text, bytes });
    }
    let seen = lab.run(&plan).await?;
    let languages = degradation::languages(&config.texts.languages, &reading, lab.model().card.as_ref());
    let bytes_full = device.full().bytes();
    let losses = Losses {
        reading: &reading,
        languages: &languages,
        full: &first_seen.all_nats(full, all.clone()),
        changed: &asked
            .iter()
            .map(|asked| asked.of_text.iter().enumerate().map(|(text, &recipe)| seen.nats(recipe, text)).collect())
            .collect::<Vec<_>>(),
    };
    Ok(Report {
        config: config.clone(),
        origin: origin::of(lab, Some(&reading)),
        rows: rows(config, &losses, &asked, bytes_full)?,
        languages: languages.clone(),
        kurtosis,
        outliers,
        bytes_full,
        confusion: confusion.map(|(confusion, _)| confusion),
        passes: (first.passes() + plan.passes()) as f64 / reading.texts.len() as f64,
    })
}

fn rows(config: &Config, losses: &Losses<'_>, asked: &[Asked], bytes_full: u64) -> Result<Vec<Row>, AnalysisError> {
    let baseline = asked.iter().position(|asked| asked.method == Method::Absmax);
    let pairs: Vec<(usize, usize)> =
        baseline.map_or_else(Vec::new, |baseline| (0..asked.len()).map(|at| (at, baseline)).collect());
    let (costs, changes) = losses.measure(&pairs, config.draws.resamples, config.draws.seed)?;
    let row = |(at, (asked, cost)): (usize, (&Asked, Cost))| Row {
        method: asked.method,
        bytes: asked.bytes,
        change: changes.get(at).copied().flatten().filter(|_| baseline != Some(at)),
        score: cost.score(asked.bytes, bytes_full),
        cost,
    };
    Ok(asked.iter().zip(costs).enumerate().map(row).collect())
}

/// The recipe of a method that treats all texts alike.
async fn recipe(config: &Config, method: Method, outliers: &[usize], lab: &impl Lab) -> Result<Recipe, AnalysisError> {
    let absmax = Rounding { bits: config.bits, rule: Rule::Absmax, granularity: Granularity::Tensor };
    let uniform = match method {
        Method::Aciq => Rounding { rule: Rule::AciqGaussian, ..absmax },
        Method::Optimal => Rounding { rule: Rule::Optimal, ..absmax },
        Method::Channel => Rounding { granularity: Granularity::Channel, ..absmax },
        Method::Group => Rounding { granularity: Granularity::Group64, ..absmax },
        _ => absmax,
    };
    let eight = Bits::new(PROTECTED);
    let width = |layer: usize| match method {
        Method::EightBits if outliers.contains(&layer) => eight.max(Some(config.bits)),
        Method::FullPrecision if outliers.contains(&layer) => None,
        Method::Own if !config.own.is_empty() => config.own[layer],
        _ => Some(config.bits),
    };
    let dial = match method {
        Method::Flattened => flatten(&lab.model().device, &Dial::default()).await?,
        _ => Dial::default(),
    };
    let mut recipe = Recipe { dial: dial.clone(), ..Recipe::default() };
    let layers = lab.model().device.spec.blocks.len();
    for bits in Bits::ALL.into_iter().filter(|bits| (0..layers).any(|layer| width(layer) == Some(*bits))) {
        let rounding = Rounding { bits, ..uniform };
        let of_width = rounding::recipe_where(&rounding, &dial, |layer| width(layer) == Some(bits), lab).await?;
        recipe.tensors.extend(of_width.tensors);
    }
    Ok(recipe)
}

/// Strategy A's weights of each language: Theorem 2's α*_ℓ/σ_ℓ, times σ of the matrix.
async fn own_recipes(
    config: &Config,
    reading: &Reading,
    (seen, full): (&Seen, usize),
    lab: &impl Lab,
) -> Result<Vec<Recipe>, AnalysisError> {
    let device = &lab.model().device;
    let magnitudes: Vec<Vec<f64>> =
        (0..config.texts.languages.len()).map(|language| inputs(reading, seen, full, language)).collect();
    let mut recipes = vec![Recipe::default(); config.texts.languages.len()];
    let total = device.spec.linears().count();
    for (done, (linear, channels)) in device.spec.inputs().enumerate() {
        lab.tell(Progress { step: Step::Tensors, done, total });
        let values = device.values(&linear.weight).await?;
        let sigma = Moments::of(&values).sigma();
        for (recipe, magnitudes) in recipes.iter_mut().zip(&magnitudes) {
            let alpha = own_threshold((&values, sigma), linear, &magnitudes[channels.clone()], config.bits, lab);
            let grid = Uniform { bits: config.bits, granularity: Granularity::Tensor, rule: Rule::Optimal };
            let how = Quantization { format: grid.into(), numbers: vec![alpha] };
            recipe.tensors.insert(linear.weight.clone(), how);
            lab.pause().await;
        }
    }
    Ok(recipes)
}

/// What each text is taken for, counted and one by one.
fn confusion(config: &Config, reading: &Reading, vocabulary: usize) -> (Confusion, Vec<usize>) {
    let languages = config.texts.languages.len();
    let guesses = detection::guess(&reading.texts, languages, reading.units, vocabulary);
    let mut counted = vec![vec![0; languages]; languages];
    for (text, &guess) in reading.texts.iter().zip(&guesses) {
        counted[text.language][guess] += 1;
    }
    (Confusion { guesses: counted }, guesses)
}
