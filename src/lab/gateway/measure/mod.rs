//! Gateway layers: every protection set of the sizes asked for, exactly, ranked by disparity (document 000, theorem 3).

use futures::{StreamExt, channel::mpsc, future::try_join};

use super::{Config, Report};
use crate::lab::{
    AnalysisError, Measuring, degradation, origin,
    plan::{Plan, Taps},
    rounding,
    runner::{Lab, Progress, Step},
    sample::{self, Reading},
    search::{Piece, Search, Walked},
};
use crate::{arch::recipe::Recipe, model::card::Resource};

use found::Found;
use notes::Notes;

mod found;
mod notes;
mod picks;
pub mod shards;
mod verdicts;

pub use notes::beginning as notes_begin;

/// Every block rounded, and the token table where that is asked for.
async fn recipe(config: &Config, lab: &impl Lab) -> Result<Recipe, AnalysisError> {
    let mut recipe = rounding::recipe(&config.quantizer, lab).await?;
    if config.rounded_table {
        let device = &lab.model().device;
        for name in device.spec.tables() {
            let how = config.quantizer.of(&device.values(name).await?, device.layout(name)?);
            recipe.tensors.insert(name.clone(), how);
        }
    }
    Ok(recipe)
}

/// The texts, and what is to be walked on them.
async fn search(config: &Config, lab: &impl Lab) -> Result<(Reading, Search), AnalysisError> {
    let layers = lab.model().device.spec.blocks.len();
    config.check_for(layers)?;
    let reading = sample::read(config.texts.sample(), lab).await?;
    let card = lab.model().card.as_ref();
    if config.texts.languages.iter().filter(|code| Resource::of(card, code) != Resource::Unseen).count() < 2 {
        return Err(AnalysisError::OneLanguage);
    }
    let (recipe, family) = (recipe(config, lab).await?, config.family(layers));
    let search = Search { texts: reading.texts.clone(), recipe, kept: config.protects, family };
    Ok((reading, search))
}

impl Measuring for Config {}

/// What an earlier run noted, then all the rest; see `conclude`.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    let (reading, search) = search(config, lab).await?;
    let notes = Notes::recall(config, &origin::of(lab, Some(&reading)), &search, lab).await;
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
    let languages = degradation::languages(&config.texts.languages, reading, lab.model().card.as_ref());
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
