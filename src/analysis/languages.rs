//! Which languages pay: D(λ) and Δ bits per byte for each language, with paired intervals.

use serde::{Deserialize, Serialize};

use super::{
    AnalysisError,
    passes::{Plan, Text},
};
use crate::{
    arch::{
        recipe::{Quantization, Recipe},
        weights::Device,
    },
    backend::Backend,
    math::{
        clipping::Rule,
        grouping::thresholds,
        metrics,
        moments::Summary,
        packing::relative_mse,
        quantizer::{Bits, Granularity},
        statistics::{Interval, bca},
    },
    model::{
        card::Card,
        corpus::{CorpusCard, Texts},
        tokenizer::Tokenizer,
    },
};

pub use crate::model::card::Resource;

/// Level of every interval.
pub const LEVEL: f64 = 0.95;
/// A BCa interval wants many resamples; beyond the upper bound nothing changes but the time.
const RESAMPLES: std::ops::RangeInclusive<usize> = 100..=100_000;

/// What to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Folder of the corpus: `udhr` or `help`.
    pub corpus: String,
    /// ISO 639-3 codes, in the order of the report's rows before sorting.
    pub languages: Vec<String>,
    /// How many units (articles, paragraphs) of each language, from the first.
    pub units: usize,
    /// Bit-width of the quantized blocks.
    pub bits: Bits,
    /// How the clipping threshold is chosen.
    pub rule: Rule,
    /// How many weights share a threshold.
    pub granularity: Granularity,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
}

/// One language of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// ISO 639-3.
    pub code: String,
    /// English name.
    pub name: String,
    /// Name in its own script.
    pub endonym: String,
    /// `ltr` or `rtl`.
    pub direction: String,
    /// Resource level.
    pub resource: Resource,
    /// Training bytes, where the card says.
    pub bytes_seen: Option<u64>,
    /// Units measured.
    pub units: usize,
    /// UTF-8 bytes measured.
    pub bytes: u64,
    /// Tokens scored.
    pub tokens: u64,
    /// Perplexity per token, full precision.
    pub perplexity_full: Interval,
    /// Perplexity per token, quantized.
    pub perplexity_quantized: Interval,
    /// D(λ) = (PPL_q − PPL_fp)/PPL_fp.
    pub degradation: Interval,
    /// Bits per UTF-8 byte, full precision.
    pub bits_per_byte_full: Interval,
    /// Bits per byte, quantized − full.
    pub delta_bits_per_byte: Interval,
}

/// What quantization did to one tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TensorRow {
    /// Name in the checkpoint.
    pub name: String,
    /// Layer it belongs to.
    pub layer: usize,
    /// Smallest and largest clipping threshold over its groups, in units of the tensor's σ.
    pub alpha_over_sigma: (f64, f64),
    /// Mean squared error over the variance.
    pub relative_mse: f64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Name of the model.
    pub model: String,
    /// SHA-256 of the checkpoint.
    pub model_sha256: String,
    /// `cpu` or `webgpu`.
    pub backend: String,
    /// Program version.
    pub version: String,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// max D − min D over seen languages; none for fewer than two.
    pub disparity: Option<Interval>,
    /// mean D(LR)/mean D(HR); none where a group is empty.
    pub ratio: Option<Interval>,
    /// mean D over high-resource languages.
    pub mean_high: Option<Interval>,
    /// mean D over low-resource languages.
    pub mean_low: Option<Interval>,
    /// Weights of the model in f32, in bytes.
    pub bytes_full: u64,
    /// Bytes with the blocks packed (scales included).
    pub bytes_quantized: u64,
    /// Each quantized tensor.
    pub tensors: Vec<TensorRow>,
}

/// The model and the text that a report speaks of.
pub struct Subject<'a> {
    /// Name of the model.
    pub model: &'a str,
    /// SHA-256 of its checkpoint.
    pub model_sha256: &'a str,
    /// Its card, where it has one.
    pub card: Option<&'a Card>,
    /// The corpus.
    pub corpus: &'a CorpusCard,
}

impl Config {
    /// Refuses what cannot be measured, with a sentence.
    pub fn check(&self, corpus: &CorpusCard) -> Result<(), AnalysisError> {
        if self.languages.is_empty() {
            return Err(AnalysisError::NoLanguages);
        }
        for (i, code) in self.languages.iter().enumerate() {
            if !corpus.languages.iter().any(|language| language.code == *code) {
                return Err(AnalysisError::UnknownLanguage { corpus: corpus.name.clone(), code: code.clone() });
            }
            if self.languages[..i].contains(code) {
                return Err(AnalysisError::Repeated(code.clone()));
            }
        }
        range("the number of units", self.units, 1..=corpus.units)?;
        range("the number of resamples", self.resamples, RESAMPLES)
    }
}

fn range(what: &'static str, given: usize, allowed: std::ops::RangeInclusive<usize>) -> Result<(), AnalysisError> {
    match allowed.contains(&given) {
        true => Ok(()),
        false => Err(AnalysisError::Range { what, given, least: *allowed.start(), most: *allowed.end() }),
    }
}

/// What the plan knows of the weights and the report repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantized {
    /// Each quantized tensor.
    pub tensors: Vec<TensorRow>,
    /// Bytes of all tensors in f32.
    pub bytes_full: u64,
    /// Bytes with the recipe applied.
    pub bytes_quantized: u64,
}

/// Step one: thresholds for every weight matrix, and the texts as tokens. `texts` are in the order of the config.
pub async fn plan<B: Backend>(
    config: &Config,
    device: &Device<B>,
    tokenizer: &Tokenizer,
    texts: &[Texts],
    pause: &impl AsyncFn(),
) -> Result<(Plan, Quantized), AnalysisError> {
    let mut recipe = Recipe::default();
    let mut tensors = Vec::new();
    for (name, layer, layout) in device.matrices() {
        let values = device.values(&name).await?;
        let alphas = thresholds(&values, layout, config.granularity, config.rule, config.bits);
        let sigma = Summary::of(&values).sigma;
        let over_sigma = |alpha: f32| if sigma > 0.0 { f64::from(alpha) / sigma } else { 0.0 };
        tensors.push(TensorRow {
            name: name.clone(),
            layer,
            alpha_over_sigma: (
                over_sigma(alphas.iter().copied().fold(f32::INFINITY, f32::min)),
                over_sigma(alphas.iter().copied().fold(0.0, f32::max)),
            ),
            relative_mse: relative_mse(&values, layout, config.granularity, config.bits, &alphas),
        });
        recipe.tensors.insert(name, Quantization { bits: config.bits, granularity: config.granularity, alphas });
        pause().await;
    }
    let bytes_quantized = device.apply(&recipe).await?.bytes();
    let quantized = Quantized { tensors, bytes_full: device.full().bytes(), bytes_quantized };
    let texts = tokenize(config, tokenizer, texts)?;
    Ok((Plan::new(&device.spec, vec![Recipe::default(), recipe], texts), quantized))
}

fn tokenize(config: &Config, tokenizer: &Tokenizer, texts: &[Texts]) -> Result<Vec<Text>, AnalysisError> {
    let mut all = Vec::new();
    for (language, file) in texts.iter().enumerate() {
        for (unit, text) in file.units.iter().take(config.units).enumerate() {
            let mut tokens: Vec<u32> = tokenizer.text_start().into_iter().collect();
            tokens.extend(tokenizer.encode(text)?);
            if tokens.len() < 2 {
                return Err(AnalysisError::EmptyText { code: file.code.clone(), unit: unit + 1 });
            }
            all.push(Text { language, unit, tokens, bytes: text.len() as u64 });
        }
    }
    Ok(all)
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

/// Step three: the report, from the nats of every text under both recipes.
pub fn assemble(
    config: &Config,
    subject: &Subject<'_>,
    backend: &str,
    plan: &Plan,
    quantized: Quantized,
    nats: &[Vec<f64>],
) -> Result<Report, AnalysisError> {
    finite(config, plan, nats)?;
    let languages = config.languages.len();
    let mut units = vec![vec![Totals::default(); languages]; config.units];
    for (i, text) in plan.texts.iter().enumerate() {
        units[text.unit][text.language] =
            Totals { full: nats[0][i], quantized: nats[1][i], tokens: text.scored() as u64, bytes: text.bytes };
    }
    let resources: Vec<Resource> = config.languages.iter().map(|code| Resource::of(subject.card, code)).collect();
    let groups = Groups::new(&resources);
    let statistics = languages * PER_LANGUAGE + groups.figures();
    let mut totals = vec![Totals::default(); languages];
    let intervals = bca(config.units, statistics, config.resamples, LEVEL, config.seed, |drawn, out| {
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
    let rows = config.languages.iter().enumerate().map(|(i, code)| {
        let of = subject.corpus.languages.iter().find(|language| language.code == *code);
        let of = of.expect("the config was checked against this corpus");
        let texts = || plan.texts.iter().filter(|text| text.language == i);
        let figures = &per_language[i * PER_LANGUAGE..][..PER_LANGUAGE];
        Row {
            code: code.clone(),
            name: of.name.clone(),
            endonym: of.endonym.clone(),
            direction: of.direction.clone(),
            resource: resources[i],
            bytes_seen: subject.card.map(|card| card.bytes_seen(code)),
            units: config.units,
            bytes: texts().map(|text| text.bytes).sum(),
            tokens: texts().map(|text| text.scored() as u64).sum(),
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
        model: subject.model.to_string(),
        model_sha256: subject.model_sha256.to_string(),
        backend: backend.to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
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

fn finite(config: &Config, plan: &Plan, nats: &[Vec<f64>]) -> Result<(), AnalysisError> {
    for (which, nats) in ["full-precision", "quantized"].into_iter().zip(nats) {
        if let Some((text, &value)) = plan.texts.iter().zip(nats).find(|(_, nats)| !nats.is_finite()) {
            let (code, unit) = (config.languages[text.language].clone(), text.unit + 1);
            return Err(AnalysisError::NotFinite { which, code, unit, value });
        }
    }
    Ok(())
}

/// Which languages go into which figure over all languages.
struct Groups {
    /// Seen in training, or of unknown resource.
    counted: Vec<usize>,
    high: Vec<usize>,
    low: Vec<usize>,
}

impl Groups {
    fn new(resources: &[Resource]) -> Groups {
        let which = |keep: fn(Resource) -> bool| (0..resources.len()).filter(|&i| keep(resources[i])).collect();
        Groups {
            counted: which(|resource| resource != Resource::Unseen),
            high: which(|resource| resource == Resource::High),
            low: which(|resource| resource == Resource::Low),
        }
    }

    fn has_disparity(&self) -> bool {
        self.counted.len() > 1
    }

    fn has_high(&self) -> bool {
        !self.high.is_empty()
    }

    fn has_low(&self) -> bool {
        !self.low.is_empty()
    }

    fn has_ratio(&self) -> bool {
        self.has_high() && self.has_low()
    }

    fn figures(&self) -> usize {
        [self.has_disparity(), self.has_high(), self.has_low(), self.has_ratio()].into_iter().filter(|has| *has).count()
    }
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
