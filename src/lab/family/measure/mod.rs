//! Four models that differ in two things only, the mix of languages in their training text and in their tokenizer's: what either
//! does to the loss of each language, and whether they do it together. Here something was changed on purpose, so a difference is
//! an effect and not a correlation.

use super::{CELLS, Config, Model, Report, Row, verdicts};
use crate::lab::{
    AnalysisError, Measuring,
    degradation::{self, Language},
    draws::LEVEL,
    origin::{Made, VERSION},
    plan::{Plan, Taps},
    rounding,
    runner::{Errand, Lab, Progress, Step},
    sample::{self, Reading},
};
use crate::{
    arch::recipe::Recipe,
    math::correlation::{Draws, correlate},
};

mod effects;

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
        let reading = sample::read(config.texts.sample(), lab).await?;
        let rounding = config.quantizer;
        let recipe = rounding::recipe(&rounding, lab).await?;
        let all = 0..reading.texts.len();
        let mut plan = Plan::new(reading.texts.clone());
        let asked = [&Recipe::default(), &recipe].map(|recipe| plan.ask(recipe, all.clone(), Taps::LOSSES));
        let seen = lab.run(&plan).await?;
        let nats = asked.map(|recipe| seen.all_nats(recipe, all.clone()));
        let languages = degradation::languages(&config.texts.languages, &reading, lab.model().card.as_ref());
        let own = lab.model();
        let model = Model { name: own.name.clone(), files: own.files() };
        Ok(Cell { model, languages, reading, nats })
    }
}

impl Measuring for Config {}

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
