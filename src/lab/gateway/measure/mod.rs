//! Gateway layers: every protection set of the sizes asked for, exactly, ranked by disparity (document 000, theorem 3).

mod found;
mod notes;
mod picks;
pub mod shards;
mod verdicts;

use futures::{StreamExt, channel::mpsc, future::try_join};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lab::{
    AnalysisError, Needs,
    degradation::{Cost, Language},
    draws::RESAMPLES,
    origin::Origin,
    plan::{Plan, Taps},
    rounding::Rounding,
    runner::{Lab, Progress, Step},
    sample::{Reading, Sample, within},
    search::{Piece, Search, Walked},
};
use crate::{
    arch::{recipe::Recipe, walk::Kept},
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
        sets::{Branch, Family, LayerSet, MOST_LAYERS},
        statistics::Interval,
    },
    model::card::Resource,
};
use found::Found;
use notes::Notes;
pub use notes::beginning as notes_begin;
pub use picks::{Pick, Picker};
pub use verdicts::{Claim, Verdict};

/// Sets of one search at most: all those of twelve layers, and some more.
pub const MOST_SETS: usize = 5_000;

/// What to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayConfig")]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Folder of the corpus.
    pub corpus: String,
    /// ISO 639-3 codes.
    pub languages: Vec<String>,
    /// How many units of each language, from the first.
    pub units: usize,
    /// Bit-width of what is not protected.
    pub bits: Bits,
    /// Its clipping rule.
    pub rule: Rule,
    /// How many weights share a threshold.
    pub granularity: Granularity,
    /// What of a protected layer stays in full precision.
    pub kept: Kept,
    /// Whether the token table, which is also the head, is rounded; else it is in full precision under every set.
    pub table: bool,
    /// Sizes of the sets that are ranked.
    pub budgets: Vec<usize>,
    /// Also no layer, one, two, all but one and all: for the sweeps and the interactions of layers.
    pub sweeps: bool,
    /// Also what other methods would have protected.
    pub others: bool,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
}

/// A protection set and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayRow")]
pub struct Row {
    /// The layers in full precision.
    pub set: LayerSet,
    /// Memory of the weights, scales included.
    pub bytes: u64,
    /// D(λ), disparity, ratio.
    pub cost: Cost,
    /// The Fair-Efficiency Score.
    pub score: Option<Interval>,
}

/// How far two layers are from adding up: D({i, j}) − D({i}) − D({j}) + D(∅), where D is disparity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interaction {
    /// i < j.
    pub layers: (usize, usize),
    /// Paired over texts.
    pub excess: Interval,
}

/// What is known of a layer before any set is tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayLayer")]
pub struct Layer {
    /// Excess kurtosis of its matrices as if they were one.
    pub kurtosis: f64,
    /// Σ over its matrices of MSE × outputs × Σ_c (mean |x_c|)²: the error that rounding puts into its outputs.
    pub output_error: f64,
    /// Variance over languages of E‖h_l‖ in units of its mean over languages.
    pub variance: f64,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GatewayReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// In the order of the config.
    pub languages: Vec<Language>,
    /// What is known of each layer.
    pub layers: Vec<Layer>,
    /// Weights of the model in f32, in bytes.
    pub bytes_full: u64,
    /// Sets asked for; fewer rows mean that the run has not come to its end.
    pub sets: usize,
    /// By size, then by disparity.
    pub rows: Vec<Row>,
    /// What others would have picked, for each budget; none before the end.
    pub picks: Vec<Pick>,
    /// Pairs of layers, where the sweeps were asked for.
    pub interactions: Vec<Interaction>,
    /// G1 to G3 for each budget that they speak of.
    pub verdicts: Vec<Verdict>,
}

impl Config {
    /// Which texts.
    pub fn sample(&self) -> Sample<'_> {
        Sample { corpus: &self.corpus, languages: &self.languages, units: self.units }
    }

    /// Texts, under every set.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Texts(self.sample())
    }

    /// The sets of a model with so many layers.
    pub fn family(&self, layers: usize) -> Family {
        let swept = [0, 1, 2, layers.saturating_sub(1), layers].into_iter().filter(|_| self.sweeps);
        Family::new(layers, self.budgets.iter().copied().chain(swept))
    }

    /// Refuses what no model can be asked, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.sample().check_alone()?;
        within("the number of resamples", self.resamples, RESAMPLES)?;
        within("the number of budgets", self.budgets.len(), 1..=MOST_LAYERS + 1)?;
        self.budgets.iter().try_for_each(|&budget| within("a budget of protected layers", budget, 0..=MOST_LAYERS))
    }

    /// Refuses what a model of so many layers cannot be asked.
    fn check_for(&self, layers: usize) -> Result<(), AnalysisError> {
        self.check()?;
        within("the number of layers that sets can be searched over", layers, 1..=MOST_LAYERS)?;
        for &budget in &self.budgets {
            within("a budget of protected layers", budget, 0..=layers)?;
        }
        let sets = usize::try_from(self.family(layers).count(Branch::ROOT)).unwrap_or(usize::MAX);
        within("the number of protection sets", sets, 1..=MOST_SETS)
    }
}

impl Report {
    /// Whether every set is there.
    pub fn whole(&self) -> bool {
        self.rows.len() >= self.sets
    }

    /// Rows of one size, best first.
    pub fn of_size(&self, size: usize) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.set.len() == size)
    }

    /// Compression: f32 bytes over those of a row.
    pub fn compression(&self, row: &Row) -> f64 {
        self.bytes_full as f64 / row.bytes as f64
    }

    /// min D(S) subject to E(S) ≥ `least`.
    pub fn best_within(&self, least: f64) -> Option<&Row> {
        self.rows.iter().filter(|row| self.compression(row) >= least).min_by(|a, b| by_disparity(a, b))
    }

    /// Rows that no other beats in both disparity and bytes, from the smallest on.
    pub fn front(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| a.bytes.cmp(&b.bytes).then(by_disparity(a, b)));
        let mut least = f64::INFINITY;
        rows.retain(|row| {
            let of = disparity(row);
            let better = of < least;
            least = least.min(of);
            better
        });
        rows
    }

    /// The smallest row whose disparity lies within the interval of the best row's.
    pub fn cheapest(&self) -> Option<&Row> {
        let best = self.rows.iter().min_by(|a, b| by_disparity(a, b))?.cost.disparity?;
        let near = self.rows.iter().filter(|row| disparity(row) <= best.high);
        near.min_by(|a, b| a.bytes.cmp(&b.bytes).then(by_disparity(a, b)))
    }

    /// The row of a set.
    pub fn row(&self, set: LayerSet) -> Option<&Row> {
        self.rows.iter().find(|row| row.set == set)
    }
}

fn disparity(row: &Row) -> f64 {
    row.cost.disparity.map_or(f64::INFINITY, |of| of.value)
}

/// Better first; of equals the one whose layers come first.
fn by_disparity(a: &Row, b: &Row) -> std::cmp::Ordering {
    disparity(a).total_cmp(&disparity(b)).then(a.set.cmp(&b.set))
}

/// The theory's set {0, 3L/4, L − 1}; none where two of them are the same layer.
pub fn predicted(layers: usize) -> Option<LayerSet> {
    let set: LayerSet = [0, 3 * layers / 4, layers.checked_sub(1)?].into_iter().collect();
    (set.len() == 3).then_some(set)
}

/// The first and the last layer.
pub fn ends(layers: usize) -> LayerSet {
    [0, layers.saturating_sub(1)].into_iter().collect()
}

/// Every block rounded, and the token table where that is asked for.
async fn recipe(config: &Config, lab: &impl Lab) -> Result<Recipe, AnalysisError> {
    let Config { bits, rule, granularity, .. } = *config;
    let rounding = Rounding { bits, rule, granularity };
    let mut recipe = rounding.recipe(lab).await?;
    if config.table {
        let device = &lab.model().device;
        for name in device.spec.tables() {
            let how = rounding.of(&device.values(name).await?, device.layout(name)?);
            recipe.tensors.insert(name.clone(), how);
        }
    }
    Ok(recipe)
}

/// The texts, and what is to be walked on them.
async fn search(config: &Config, lab: &impl Lab) -> Result<(Reading, Search), AnalysisError> {
    let layers = lab.model().device.spec.blocks.len();
    config.check_for(layers)?;
    let reading = config.sample().read(lab).await?;
    let card = lab.model().card.as_ref();
    if config.languages.iter().filter(|code| Resource::of(card, code) != Resource::Unseen).count() < 2 {
        return Err(AnalysisError::OneLanguage);
    }
    let (recipe, family) = (recipe(config, lab).await?, config.family(layers));
    let search = Search { texts: reading.texts.clone(), recipe, kept: config.kept, family };
    Ok((reading, search))
}

/// What an earlier run noted, then all the rest; see `conclude`.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    let (reading, search) = search(config, lab).await?;
    let notes = Notes::recall(config, &Origin::of(lab, Some(&reading)), &search, lab).await;
    let report = conclude(config, &reading, &search, notes.walked, lab).await?;
    lab.forget();
    Ok(report)
}

/// Full precision first; then every set that was not walked yet, a branch of the tree at a time, with the report shown after
/// each; then what others would have picked.
async fn conclude(
    config: &Config,
    reading: &Reading,
    search: &Search,
    mut walked: Walked,
    lab: &impl Lab,
) -> Result<Report, AnalysisError> {
    let languages = Language::all(&config.languages, reading, lab.model().card.as_ref());
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let full = plan.ask(&Recipe::default(), all.clone(), Taps { norms: true, inputs: true, ..Taps::LOSSES });
    let seen = lab.run(&plan).await?;
    let known = picks::layers(reading, (&seen, full), &search.recipe, lab).await?;
    let nats = seen.all_nats(full, all);
    let mut found = Found::new(config, reading, &languages, &nats, known, (&search.recipe, lab))?;
    walk(search, &mut walked, &mut found, lab).await?;
    found.finish(search, lab).await?;
    Ok(found.report(lab))
}

/// Walks what is left of a search, branch after branch. What is worked out of a branch's losses is worked out beside the walk
/// of the next one, so that nobody waits for it.
async fn walk(
    search: &Search,
    walked: &mut Walked,
    found: &mut Found<'_>,
    lab: &impl Lab,
) -> Result<(), AnalysisError> {
    let (send, mut whole) = mpsc::unbounded();
    let walking = async move {
        let family = &search.family;
        let (ready, open): (Vec<_>, Vec<_>) =
            search.branches().into_iter().partition(|&branch| walked.beyond(family, branch).is_some());
        let pieces = open.iter().flat_map(|&branch| search.pieces(branch));
        let left: Vec<Piece> = pieces.filter(|piece| !walked.has(family, piece)).collect();
        let total = (ready.len() + open.len()) * search.texts.len();
        let mut done = total - left.len();
        let conclude = |walked: &Walked, branch| {
            // Nobody listens where the run has failed.
            walked.beyond(family, branch).into_iter().for_each(|sets| drop(send.unbounded_send(sets)));
        };
        ready.into_iter().for_each(|branch| conclude(walked, branch));
        lab.tell(Progress { step: Step::Sets, done, total });
        let mut heard = |piece: &Piece, nats: &[f64]| {
            walked.take(family, piece, nats);
            lab.note(&notes::record(piece, nats));
            done += 1;
            lab.tell(Progress { step: Step::Sets, done, total });
            conclude(walked, piece.branch);
        };
        lab.walk(search, left, &mut heard).await
    };
    let taking = async {
        while let Some(sets) = whole.next().await {
            for (set, nats) in sets {
                found.take(set, &nats)?;
                lab.pause().await;
            }
            lab.show(found.report(lab).into());
        }
        Ok(())
    };
    try_join(walking, taking).await.map(drop)
}
