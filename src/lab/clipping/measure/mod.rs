//! Where the grid should end: MSE(α) in its two parts on the real weights, what every rule pays, the fit of f(κ, B), and
//! Theorem 2's α per language.

use super::{Choice, Config, Fit, Report, Tensor, log_kurtosis};
use crate::lab::{
    AnalysisError, Measuring,
    draws::LEVEL,
    error_parts::Error,
    origin,
    runner::{Lab, Progress, Step},
    sample,
};
use crate::math::{
    clipping::{Rule, alpha, kurtosis_factor},
    line::Line,
    moments::Moments,
    quantizer::Bits,
    statistics::bca,
};

mod per_language;
mod rule_losses;

/// Places of MSE(α): enough for a smooth line on a logarithmic axis.
pub const PLACES: usize = 64;
/// From a quarter of σ, where nearly all is clipped, …
const FIRST: f64 = 0.25;
/// … to beyond the largest weight, or to this many σ at least.
const LAST_AT_LEAST: f64 = 6.0;
/// Beyond the largest weight nothing is clipped; this much more shows that the line only rises.
const BEYOND_LARGEST: f64 = 1.2;

impl Measuring for Config {}

/// The curves and rules of every tensor, then the texts where languages were asked for.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let (tensors, moments) = choose(config.bits, lab).await?;
    let (tensors, places) = trace(config.bits, tensors, lab).await?;
    let fit = fit(config, &tensors);
    let reading = match config.texts.languages.is_empty() {
        true => None,
        false => Some(sample::read(config.texts.sample(), lab).await?),
    };
    let (languages, losses) = if let Some(reading) = &reading {
        let languages =
            per_language::measure(config, &tensors, &layer_kurtosis(&tensors, &moments), reading, lab).await?;
        let losses = if config.losses { rule_losses::measure(config, reading, lab).await? } else { Vec::new() };
        (languages, losses)
    } else {
        (Vec::new(), Vec::new())
    };
    let wrong_threshold = per_language::wrong_threshold(config, &languages);
    let (config, origin) = (config.clone(), origin::of(lab, reading.as_ref()));
    Ok(Report { config, origin, places, tensors, fit, wrong_threshold, languages, losses })
}

/// Every tensor with every rule's α, and its moments; curves follow when it is known how far they must reach.
async fn choose(bits: Bits, lab: &impl Lab) -> Result<(Vec<Tensor>, Vec<Moments>), AnalysisError> {
    let device = &lab.model().device;
    let (mut tensors, mut all, total) = (Vec::new(), Vec::new(), 2 * device.spec.linears().count());
    for (layer, part, linear) in device.spec.matrices() {
        lab.tell(Progress { step: Step::Tensors, done: tensors.len(), total });
        let values = device.values(&linear.weight).await?;
        let moments = Moments::of(&values);
        let sigma = moments.sigma();
        let choice = |rule| {
            let alpha = alpha(rule, &values, bits);
            let alpha_over_sigma = if sigma > 0.0 { f64::from(alpha) / sigma } else { 0.0 };
            Choice { rule, alpha_over_sigma, error: Error::of(&values, alpha, bits, sigma) }
        };
        tensors.push(Tensor {
            name: linear.weight.clone(),
            layer,
            part,
            n: moments.n,
            sigma,
            kurtosis: moments.kurtosis(),
            choices: Rule::ALL.map(choice).to_vec(),
            curve: Vec::new(),
        });
        all.push(moments);
        lab.pause().await;
    }
    Ok((tensors, all))
}

/// MSE(α) of every tensor at the same places of α/σ.
async fn trace(bits: Bits, mut tensors: Vec<Tensor>, lab: &impl Lab) -> Result<(Vec<Tensor>, Vec<f64>), AnalysisError> {
    let (places, count) = (places(&tensors), tensors.len());
    for (at, tensor) in tensors.iter_mut().enumerate() {
        lab.tell(Progress { step: Step::Tensors, done: count + at, total: 2 * count });
        let values = lab.model().device.values(&tensor.name).await?;
        let error = |place: &f64| Error::of(&values, (place * tensor.sigma) as f32, bits, tensor.sigma);
        tensor.curve = places.iter().map(error).collect();
        lab.pause().await;
    }
    lab.tell(Progress { step: Step::Tensors, done: 2 * count, total: 2 * count });
    Ok((tensors, places))
}

/// α/σ at equal ratios, from [`FIRST`] to beyond the largest weight of any tensor.
fn places(tensors: &[Tensor]) -> Vec<f64> {
    let largest = tensors.iter().map(|tensor| tensor.choice(Rule::Absmax).alpha_over_sigma).fold(0.0, f64::max);
    let ratio = (largest * BEYOND_LARGEST).max(LAST_AT_LEAST) / FIRST;
    let exponent = |at: usize| at as f64 / (PLACES - 1) as f64;
    (0..PLACES).map(|at| FIRST * libm::pow(ratio, exponent(at))).collect()
}

fn fit(config: &Config, tensors: &[Tensor]) -> Option<Fit> {
    let optimum = |tensor: &Tensor| tensor.choice(Rule::Optimal).alpha_over_sigma;
    let points: Vec<(f64, f64)> = tensors.iter().map(|t| (log_kurtosis(t.kurtosis), optimum(t))).collect();
    let line = Line::fit(&points, &vec![1; points.len()])?;
    let both = bca(points.len(), 2, config.draws.resamples, LEVEL, config.draws.seed, |drawn, out| {
        let line = Line::fit(&points, drawn);
        // A resample of one tensor alone has no slope; it is left out.
        (out[0], out[1]) = line.map_or((f64::NAN, f64::NAN), |line| (line.intercept, line.slope));
    });
    let seed = |tensor: &Tensor| optimum(tensor) - kurtosis_factor(tensor.kurtosis, config.bits);
    let squares = tensors.iter().map(|tensor| seed(tensor) * seed(tensor)).sum::<f64>();
    Some(Fit {
        c: both[0],
        d: both[1],
        residuals: points.iter().map(|(x, y)| y - line.at(*x)).collect(),
        rms: line.rms(&points),
        seed_rms: libm::sqrt(squares / tensors.len() as f64),
    })
}

/// Excess kurtosis of each layer, all its matrices as one: their moments merged.
fn layer_kurtosis(tensors: &[Tensor], moments: &[Moments]) -> Vec<f64> {
    let mut layers: Vec<Moments> = Vec::new();
    for (tensor, of_tensor) in tensors.iter().zip(moments) {
        layers.resize(layers.len().max(tensor.layer + 1), Moments::default());
        layers[tensor.layer] = layers[tensor.layer].merge(of_tensor);
    }
    layers.iter().map(Moments::kurtosis).collect()
}
