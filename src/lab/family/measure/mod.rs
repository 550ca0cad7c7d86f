//! Four models that differ in two things only, the mix of languages in their training text and in their tokenizer's: what either
//! does to the loss of each language, and whether they do it together. Here something was changed on purpose, so a difference is
//! an effect and not a correlation.

mod effects;
mod verdicts;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{
    AnalysisError,
    degradation::Language,
    draws::LEVEL,
    origin::{Files, Made, VERSION},
    plan::{Plan, Taps},
    runner::{Errand, Lab, Progress, Step},
    sample::Reading,
};
use crate::{
    arch::recipe::Recipe,
    math::{
        correlation::{Correlation, Draws, correlate},
        statistics::Interval,
    },
};

pub use effects::{Effects, Measured};
pub use verdicts::{Claim, Verdict};

/// Models: skewed data and tokenizer; skewed data, balanced tokenizer; balanced data, skewed tokenizer; both balanced.
pub const CELLS: usize = 4;
/// A language under the four models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyRow")]
pub struct Row {
    /// Which. Its level is that of the first model.
    #[serde(flatten)]
    pub language: Language,
    /// Whether all four models have seen it.
    pub counts: bool,
    /// Bytes per token of each model's tokenizer on these texts: more is a better fit.
    pub bytes_per_token: [f64; CELLS],
    /// D(λ) of each model, and what changes it.
    pub degradation: Measured,
    /// Δ bits per byte of each model, which does not depend on the tokenizer, and what changes it.
    pub bits_per_byte: Measured,
}

/// A model by its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyModel")]
pub struct Model {
    /// Its name in the site.
    pub name: String,
    /// Its files.
    #[serde(flatten)]
    pub files: Files,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FamilyReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// How it was computed.
    #[serde(flatten)]
    pub origin: Made,
    /// The four models, with the digests of their files.
    pub models: Vec<Model>,
    /// In the order of the config.
    pub rows: Vec<Row>,
    /// Means over the languages that all four have seen; none where there is none.
    pub mean: Option<Measured>,
    /// The same of Δ bits per byte.
    pub mean_bits_per_byte: Option<Measured>,
    /// max D − min D over these languages; none for fewer than two.
    pub disparity: Option<Measured>,
    /// Over these languages: what the balanced tokenizer adds to the bytes per token, and its effect on D.
    pub fit: Option<Correlation>,
    /// What this says of the theory's claims.
    pub verdicts: Vec<Verdict>,
}

/// What one model shows.
pub(crate) struct Cell {
    pub model: Model,
    pub languages: Vec<Language>,
    pub reading: Reading,
    /// Nats of each text in full precision and quantized.
    pub nats: [Vec<f64>; 2],
}

struct Measure<'a>(&'a Config);

impl Errand for Measure<'_> {
    type Gain = Cell;

    async fn run(&self, lab: &impl Lab) -> Result<Cell, AnalysisError> {
        let config = self.0;
        let reading = config.texts.sample().read(lab).await?;
        let rounding = config.quantizer;
        let recipe = rounding.recipe(lab).await?;
        let all = 0..reading.texts.len();
        let mut plan = Plan::new(reading.texts.clone());
        let asked = [&Recipe::default(), &recipe].map(|recipe| plan.ask(recipe, all.clone(), Taps::LOSSES));
        let seen = lab.run(&plan).await?;
        let nats = asked.map(|recipe| seen.all_nats(recipe, all.clone()));
        let languages = Language::all(&config.texts.languages, &reading, lab.model().card.as_ref());
        let own = lab.model();
        let model = Model { name: own.name.clone(), files: own.files() };
        Ok(Cell { model, languages, reading, nats })
    }
}

/// Each model in turn, every text once in full precision and once quantized.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let mut cells = Vec::new();
    for cell in 0..CELLS {
        lab.tell(Progress { step: Step::Models, done: cell, total: CELLS });
        cells.push(lab.visit(&config.folder(cell), &Measure(config)).await?);
    }
    lab.tell(Progress { step: Step::Models, done: CELLS, total: CELLS });
    let all = effects::measure(config, &cells);
    let counts: Vec<bool> =
        (0..config.texts.languages.len()).map(|at| cells.iter().all(|cell| cell.languages[at].counts())).collect();
    let row = |(at, language): (usize, &Language)| Row {
        language: language.clone(),
        counts: counts[at],
        bytes_per_token: std::array::from_fn(|cell| effects::bytes_per_token(&cells[cell], at)),
        degradation: all.degradation[at],
        bits_per_byte: all.bits_per_byte[at],
    };
    let rows: Vec<Row> = cells[0].languages.iter().enumerate().map(row).collect();
    let counted: Vec<&Row> = rows.iter().filter(|row| row.counts).collect();
    let gain = |row: &&Row| {
        let [a, b, c, d] = row.bytes_per_token;
        0.5 * (b - a + d - c)
    };
    let draws = Draws {
        resamples: config.draws.resamples,
        permutations: config.permutations,
        level: LEVEL,
        seed: config.draws.seed,
    };
    let gains: Vec<f64> = counted.iter().map(gain).collect();
    let losses: Vec<f64> = counted.iter().map(|row| row.degradation.effects.tokenizer.value).collect();
    let fit = correlate(&gains, &losses, &draws);
    let origin = Made {
        corpus_sha256: Some(cells[0].reading.sha256.clone()),
        backend: lab.computed_on(),
        version: VERSION.into(),
    };
    Ok(Report {
        config: config.clone(),
        origin,
        verdicts: verdicts::all(fit.as_ref(), all.mean.as_ref()),
        models: cells.into_iter().map(|cell| cell.model).collect(),
        rows,
        mean: all.mean,
        mean_bits_per_byte: all.mean_bits_per_byte,
        disparity: all.disparity,
        fit,
    })
}

/// Whether an effect is told from 0.
pub fn told_from_zero(effect: &Interval) -> bool {
    effect.low > 0.0 || effect.high < 0.0
}
