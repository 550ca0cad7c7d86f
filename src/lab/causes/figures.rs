//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Verdict};
use crate::lab::{degradation::Language, origin::Origin};
use crate::math::{correlation::Correlation, statistics::Interval};

/// How well a tokenizer fits a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CausesQuality")]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Words per token: 1/fertility.
    WordsPerToken,
    /// Bytes per token.
    BytesPerToken,
    /// Share of words that are one token.
    SingleTokenWords,
}

impl Quality {
    /// Every way.
    pub const ALL: [Quality; 3] = [Quality::WordsPerToken, Quality::BytesPerToken, Quality::SingleTokenWords];

    /// T of a language.
    pub fn of(self, fertility: &Fertility) -> f64 {
        match self {
            Quality::WordsPerToken => 1.0 / fertility.tokens_per_word,
            Quality::BytesPerToken => 1.0 / fertility.tokens_per_byte,
            Quality::SingleTokenWords => fertility.single_token_words,
        }
    }
}

/// A language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CausesRow")]
pub struct Row {
    /// Which.
    #[serde(flatten)]
    pub language: Language,
    /// How its texts are cut.
    pub fertility: Fertility,
    /// T.
    pub tokenization: f64,
    /// A: the mean over layers of the cosine of its mean-pooled states with those of the same articles in the reference
    /// language, less the mean cosine with its other articles. None for the reference language.
    pub alignment: Option<Interval>,
    /// R̂.
    pub redundancy: Interval,
    /// D(λ).
    pub degradation: Interval,
}

impl Row {
    /// Whether it is in the path model.
    pub fn counts(&self) -> bool {
        self.language.counts() && self.alignment.is_some()
    }
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CausesReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Layers whose share of activation is R̂.
    pub outliers: Vec<usize>,
    /// Whether no layer, or every layer, lies above the threshold, so that those above the median κ were taken.
    pub by_median: bool,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// None for fewer than [`LEAST_LANGUAGES`] languages, or where a figure does not vary.
    pub paths: Option<Paths>,
    /// A against D.
    pub alignment: Option<Correlation>,
    /// T against D.
    pub tokenization: Option<Correlation>,
    /// What this says of the theory's claims.
    pub verdicts: Vec<Verdict>,
}

/// Three predictors and a constant want more rows than that.
pub const LEAST_LANGUAGES: usize = 6;

/// Standardised coefficients with BCa intervals over languages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CausesPaths")]
pub struct Paths {
    /// Languages.
    pub n: usize,
    /// T → A, the theory's β₁.
    pub t_a: Interval,
    /// A → R given T, the theory's β₂.
    pub a_r: Interval,
    /// R → D given A and T.
    pub r_d: Interval,
    /// T → R beside A, which the theory does not have.
    pub t_r: Interval,
    /// A → D beside R, which the theory does not have.
    pub a_d: Interval,
    /// T → D beside both: the direct effect, 0 in the theory.
    pub direct: Interval,
    /// T → D in all.
    pub total: Interval,
    /// Total − direct: what goes through A, R or both.
    pub indirect: Interval,
    /// T → A → R → D alone: the product of its three paths.
    pub serial: Interval,
    /// |indirect| − |direct|.
    pub dominance: Interval,
}

/// Fertility of a language under the model's tokenizer, over the texts measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CausesFertility")]
pub struct Fertility {
    /// Tokens per UTF-8 byte.
    pub tokens_per_byte: f64,
    /// Tokens per word; words are what stands between white space, so scripts without spaces have long ones.
    pub tokens_per_word: f64,
    /// Share of words that are one token, alone or with the space before them.
    pub single_token_words: f64,
    /// Words.
    pub words: usize,
}
