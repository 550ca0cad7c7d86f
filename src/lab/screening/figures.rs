//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Advice, Condition, Config, Verdict};
use crate::lab::{degradation::Language, origin::Origin};
use crate::{
    arch::design::Design,
    math::{correlation::Correlation, statistics::Interval},
    model::card::Card,
};

/// Document 004, section 7.1: from this variance of ā_outlier over languages on, disparity is expected.
pub const VARIANCE: f64 = 0.001;

/// A layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningLayer")]
pub struct Layer {
    /// Excess kurtosis of its matrices as if they were one.
    pub kurtosis: f64,
    /// Whether it counts in ā_outlier.
    pub outlier: bool,
}

/// A language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningRow")]
pub struct Row {
    /// Which.
    #[serde(flatten)]
    pub language: Language,
    /// ā_outlier(λ): the share of its activation in outlier layers.
    pub usage: Interval,
    /// D(λ).
    pub degradation: Interval,
}

/// What the model was trained on, where its card says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningMix")]
pub struct Mix {
    /// Languages that it saw.
    pub languages: usize,
    /// Share of the one that it saw most, by bytes.
    pub largest: f64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// The model's design.
    pub traits: Design,
    /// What it was trained on; none without a card.
    pub mix: Option<Mix>,
    /// From the first.
    pub layers: Vec<Layer>,
    /// Whether no layer lies above the bound, so that the heaviest eighth stand in for outlier layers.
    pub stand_in: bool,
    /// Largest κ of a layer.
    pub max_kurtosis: f64,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// Var of ā_outlier over seen languages; none for fewer than two.
    pub variance: Option<Interval>,
    /// max D − min D over seen languages; none for fewer than two.
    pub disparity: Option<Interval>,
    /// Disparity less what noise alone adds to a largest − smallest.
    pub disparity_corrected: Option<Interval>,
    /// ā_outlier against D over seen languages; none where one of them does not vary.
    pub correlation: Option<Correlation>,
    /// C1 to C3, in order.
    pub conditions: Vec<Condition>,
    /// What section 7.2 advises.
    pub advice: Advice,
    /// Claims C1 to C3, P4 and M1, as far as one model can decide them.
    pub verdicts: Vec<Verdict>,
}

impl Mix {
    /// Of a card; none where it names no language that was seen.
    pub fn of(card: &Card) -> Option<Mix> {
        let seen = || card.languages.values().map(|language| language.bytes_seen).filter(|bytes| *bytes > 0);
        let whole: u64 = seen().sum();
        Some(Mix { languages: seen().count(), largest: seen().max()? as f64 / whole as f64 })
    }
}
