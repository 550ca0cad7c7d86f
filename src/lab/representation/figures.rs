//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Verdict};
use crate::lab::{degradation::Language, origin::Origin};
use crate::math::statistics::Interval;

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

/// λ of the ridge, in units of the mean squared length of the centred states.
pub const RIDGE: f64 = 0.01;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Which language: trained on every other unit, asked on the rest, and the other way round.
    Language,
    /// Which script: the same split.
    Script,
    /// Which unit of the text: trained on every other language, asked on the rest, and the other way round.
    Article,
}

impl Question {
    /// Every question.
    pub const ALL: [Question; 3] = [Question::Language, Question::Script, Question::Article];
}
