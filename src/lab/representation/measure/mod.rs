//! What quantization does to the hidden states themselves: how far each layer's states move, for each language; whether
//! translations of one text still lie beside each other; and what a linear probe can still read off (document 003).

mod alignment;
mod draw;
mod probes;
mod verdicts;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use probes::{Question, RIDGE};
pub use verdicts::{Claim, Verdict, claimed_layer};

use super::Config;
use crate::lab::{
    AnalysisError,
    degradation::Language,
    groups::Groups,
    hidden_states::{Look, Looks, Study, parts, spectrum_width},
    origin::Origin,
    overflow::refuse_texts,
    plan::Taps,
    runner::Lab,
};
use crate::{
    arch::recipe::Recipe,
    math::{jackknife, statistics::Interval},
    model::card::Resource,
};
use draw::Measured;

/// Directions at most: each is a sort of all tokens of a text, for every layer.
pub const MOST_DIRECTIONS: usize = 512;
/// Enough for two digits of the sliced distance.
pub const DIRECTIONS: usize = 32;

/// How translations of a text lie to each other: a language against the reference, each text as the mean of its states.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aligned {
    /// Share of the language's texts whose nearest text of the reference is their own translation.
    pub found: Interval,
    /// Share of the reference's texts whose nearest text of the language is their own translation.
    pub found_back: Interval,
    /// Cosine with the own translation less the mean cosine with the others, both ways.
    pub margin: Interval,
}

/// A layer of a language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepresentationCell")]
pub struct Cell {
    /// Mean cosine between the full-precision and the quantized state of a token; none where a state is not a number.
    pub cosine: Option<Interval>,
    /// Linear CKA of the two; none where states do not vary, or texts have fewer than four tokens.
    pub cka: Option<Interval>,
    /// Sliced W₂ between the two clouds of states, over the spread of the full-precision ones.
    pub sliced: Option<Interval>,
    /// Exact W₁ of each channel, mean over channels, over the same spread.
    pub channels: Option<Interval>,
    /// Entropy of the spectrum in bits, in full precision and quantized.
    pub entropy: [Interval; 2],
    /// In full precision and quantized; none for the reference itself.
    pub aligned: Option<[Aligned; 2]>,
}

/// A language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepresentationRow")]
pub struct Row {
    /// Which.
    #[serde(flatten)]
    pub language: Language,
    /// Its script, as the corpus has it.
    pub script: String,
    /// D(λ).
    pub degradation: Interval,
    /// Mean over layers of the relative sliced distance; none where it is not a number.
    pub moved: Option<Interval>,
    /// Of each question, in the order of the report's: accuracy lost by a probe trained anew, mean over layers.
    pub lost: Vec<Interval>,
    /// From the first layer.
    pub layers: Vec<Cell>,
}

/// What probes read off one layer, over all languages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Accuracy {
    /// Trained and asked in full precision.
    pub full: Interval,
    /// Trained and asked on quantized states.
    pub anew: Interval,
    /// Trained in full precision, asked on quantized states.
    pub carried: Interval,
    /// Full less anew, paired.
    pub lost: Interval,
}

/// A question to the states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepresentationProbe")]
pub struct Probed {
    /// Which.
    pub question: Question,
    /// Answers there are.
    pub classes: usize,
    /// Examples that each probe was trained on, at most.
    pub trained_on: usize,
    /// From the first layer.
    pub layers: Vec<Accuracy>,
}

/// Figures over languages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepresentationSpread")]
pub struct Spread {
    /// Mean over low-resource languages of how far states move, less that over high-resource ones.
    pub moved: Option<Interval>,
    /// The same of the accuracy lost, mean over questions.
    pub lost: Option<Interval>,
    /// Entropy of the spectrum in bits after each layer in full precision, mean over seen languages; empty for none.
    pub entropy: Vec<Interval>,
    /// Entropy after the claimed layer less that after each layer.
    pub claimed: Vec<Interval>,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepresentationReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Channels of a state, and dimensions in which spectra were taken.
    pub widths: (usize, usize),
    /// Parts of the texts of which one at a time was left out behind the intervals of entropies.
    pub parts: usize,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// Those that these languages and units can be asked.
    pub probes: Vec<Probed>,
    /// Over languages.
    pub spread: Spread,
    /// I2, I3 and I4.
    pub verdicts: Vec<Verdict>,
}

/// In full precision and quantized.
const FULL: usize = 0;
const QUANTIZED: usize = 1;
const BOTH: [usize; 2] = [FULL, QUANTIZED];

/// Every text twice, in full precision and quantized, with all hidden states of both.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let reading = config.texts.sample().read(lab).await?;
    let spec = &lab.model().device.spec;
    let rounding = config.quantizer;
    let full = Look { taps: Taps { means: true, ..Taps::LOSSES }, against: false, spectrum: true };
    let study = Study {
        texts: reading.texts.clone(),
        units: reading.units,
        recipes: vec![Recipe::default(), rounding.recipe(lab).await?],
        looks: Looks {
            of: vec![full, Look { against: true, ..full }],
            directions: config.directions,
            seed: config.draws.seed,
        },
    };
    let studied = lab.study(&study).await?;
    let nats = BOTH.map(|recipe| studied.nats(recipe));
    for (recipe, nats) in study.recipes.iter().zip(&nats) {
        refuse_texts(lab, recipe, &reading.texts, nats).await?;
    }

    let languages = Language::all(&config.texts.languages, &reading, lab.model().card.as_ref());
    let resources: Vec<Resource> = languages.iter().map(|language| language.resource).collect();
    let scripts: Vec<String> = (config.texts.languages.iter())
        .map(|code| reading.corpus.language(code).map(|of| of.script.clone()))
        .collect::<Result<_, _>>()?;
    let reference = config.texts.languages.iter().position(|code| *code == config.reference);
    let layers = spec.blocks.len();
    let probes = probes::ask(&studied, &scripts, reading.units, layers, lab).await;
    let measured = Measured {
        reading: &reading,
        likeness: alignment::likeness(&studied, reading.texts.len(), layers),
        nats: &nats,
        layers,
        alignments: alignment::all(&studied, languages.len(), reading.units, layers, reference.unwrap_or(0)),
        probes: &probes,
        groups: Groups::new(&resources),
        config,
    };
    lab.pause().await;
    let entropy = |recipe: usize, language: usize, layer: usize| in_bits(studied.entropies(recipe, language, layer));
    let mut rows = Vec::new();
    for (number, (language, script)) in languages.into_iter().zip(scripts).enumerate() {
        let entropies = |layer: usize| BOTH.map(|recipe| jackknife::of(&entropy(recipe, number, layer)));
        rows.push(measured.row(number, language, script, entropies));
        lab.pause().await;
    }
    let spectrum = |layer: usize| {
        let of_languages = measured.groups.counted.iter().map(|&language| entropy(FULL, language, layer));
        jackknife::mean(of_languages.collect::<Vec<_>>().iter())
    };
    let spectra: Vec<Vec<f64>> = (0..layers).map(spectrum).collect();
    let spread = measured.spread(&spectra);
    Ok(Report {
        config: config.clone(),
        origin: Origin::of(lab, Some(&reading)),
        widths: (spec.width, spectrum_width(spec)),
        parts: parts(reading.units),
        probes: measured.probed(),
        verdicts: verdicts::all(&spread, layers, spec.encoder_layers() > 0),
        rows,
        spread,
    })
}

fn in_bits(nats: &[f64]) -> Vec<f64> {
    nats.iter().map(|nats| nats / std::f64::consts::LN_2).collect()
}
