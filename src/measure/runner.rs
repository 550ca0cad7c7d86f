//! Where an analysis is run: a model, a site's files, and a way to run a plan. Analyses know nothing else, so they are the
//! same in a browser's pool of workers and on the command line.

pub use crate::report::progress::{Progress, Step};

use super::{
    AnalysisError, Report,
    hidden_states::{self, Studied, Study},
    overflow,
    plan::{Plan, Seen},
    result_cache::Key,
    rounding::Rounding,
    search::{Piece, Search, walk_piece},
};
use crate::{
    arch::{
        load::{Opened, open},
        passes::see_texts,
        recipe::Quantization,
        walk::{BUDGET, Walk},
    },
    backend::Backend,
    model::source::Source,
};

/// What is to be done with another model than the lab's own.
#[allow(async_fn_in_trait)] // used through generics in one thread; no `Send` bound is wanted
pub trait Errand {
    /// What it brings back.
    type Gain;

    /// Does it.
    async fn run(&self, lab: &impl Lab) -> Result<Self::Gain, AnalysisError>;
}

/// A place to run analyses.
#[allow(async_fn_in_trait)] // used through generics in one thread; no `Send` bound is wanted
pub trait Lab {
    /// Where the model's weights can be read.
    type Backend: Backend;
    /// Where corpora are.
    type Site: Source;

    /// The model.
    fn model(&self) -> &Opened<Self::Backend>;

    /// The site.
    fn site(&self) -> &Self::Site;

    /// What plans are computed on, for the report.
    fn computed_on(&self) -> String {
        self.model().device.backend.name().to_string()
    }

    /// How a matrix is rounded, where that was worked out while the model streamed in.
    fn rounded_ahead(&self, _rounding: &Rounding, _name: &str) -> Option<Quantization> {
        None
    }

    /// What a search of weights finds; where an analysis before this one has made it, it is not made again.
    fn searched(&self, _key: Key, search: impl FnOnce() -> f64) -> f64 {
        search()
    }

    /// Hears how far the run is.
    fn tell(&self, progress: Progress);

    /// Awaited between pieces of work, so that a Cancel can be heard.
    async fn pause(&self);

    /// Runs every job of a plan, and tells how far it is in [`Step::Passes`]. The same bits wherever it is run.
    async fn run_jobs(&self, plan: &Plan) -> Result<Seen, AnalysisError>;

    /// The same, where every text has a loss. A model that breaks is named with the text and the layer where it began, never
    /// averaged into a figure.
    async fn run(&self, plan: &Plan) -> Result<Seen, AnalysisError>
    where
        Self: Sized,
    {
        let seen = self.run_jobs(plan).await?;
        overflow::refuse(self, plan, &seen).await?;
        Ok(seen)
    }

    /// Walks pieces of a search. `heard` hears each as soon as it is done, with the nats of its texts for each of its sets in
    /// the order of the tree. The same bits wherever it is walked.
    async fn walk(
        &self,
        search: &Search,
        pieces: Vec<Piece>,
        heard: &mut impl FnMut(&Piece, &[f64]),
    ) -> Result<(), AnalysisError>;

    /// Runs every language of a study, and tells how far it is in [`Step::Passes`]. The same bits wherever it is run.
    async fn study<'a>(&'a self, study: &'a Study) -> Result<Studied<'a>, AnalysisError>;

    /// Does an errand with another model, from a folder of the site.
    async fn visit<E: Errand>(&self, _folder: &str, _errand: &E) -> Result<E::Gain, AnalysisError> {
        Err(AnalysisError::OneModel)
    }

    /// Shows what a long run has found so far.
    fn show(&self, _report: Report) {}

    /// What was noted under a name by a run that did not come to its end. Notes to come go there too.
    async fn recall(&self, _name: &str) -> Vec<u8> {
        Vec::new()
    }

    /// Adds to what was recalled, so that it outlives a cancelled run and a closed page.
    fn note(&self, _bytes: &[u8]) {}

    /// Empties what was recalled: the run is at its end, or the notes are of no use.
    fn forget(&self) {}
}

/// A lab of one device: job after job.
pub struct Alone<'a, B: Backend, S> {
    /// The model.
    pub model: &'a Opened<B>,
    /// The site.
    pub site: S,
    /// Hears how far the run is. One type, whoever hears: every analysis is compiled once for a device and a site.
    pub progress: &'a dyn Fn(Progress),
}

impl<B: Backend + Clone, S: Source + Clone> Lab for Alone<'_, B, S> {
    type Backend = B;
    type Site = S;

    fn model(&self) -> &Opened<B> {
        self.model
    }

    fn site(&self) -> &S {
        &self.site
    }

    fn tell(&self, progress: Progress) {
        (self.progress)(progress);
    }

    async fn pause(&self) {}

    async fn run_jobs(&self, plan: &Plan) -> Result<Seen, AnalysisError> {
        let device = &self.model.device;
        let (mut seen, mut done) = (Seen::new(&device.spec), 0);
        for job in plan.jobs(&device.spec, &seen.clone(), !device.holds_all()) {
            self.tell(Progress { step: Step::Passes, done, total: plan.passes() });
            // What was packed for the job before is still there.
            let weights = device.apply(&plan.recipes()[job.recipe]).await?;
            let figures = see_texts(device, &weights, &plan.tokens(&job), job.taps, &async || ()).await?;
            seen.take(&job, &plan.shares(&device.spec, &job, &figures));
            done += job.texts.len();
        }
        self.tell(Progress { step: Step::Passes, done, total: plan.passes() });
        Ok(seen)
    }

    async fn walk(
        &self,
        search: &Search,
        pieces: Vec<Piece>,
        heard: &mut impl FnMut(&Piece, &[f64]),
    ) -> Result<(), AnalysisError> {
        let device = &self.model.device;
        let quantized = &device.apply_to_walk(&search.recipe).await?;
        let walk = Walk { device, quantized, kept: search.kept, family: &search.family, budget: BUDGET };
        for piece in &pieces {
            heard(piece, &walk_piece(&walk, piece.branch, &search.tokens(piece), &async || ()).await?);
        }
        Ok(())
    }

    async fn study<'a>(&'a self, study: &'a Study) -> Result<Studied<'a>, AnalysisError> {
        hidden_states::alone(self, study).await
    }

    async fn visit<E: Errand>(&self, folder: &str, errand: &E) -> Result<E::Gain, AnalysisError> {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let model = open(self.model.device.backend.clone(), &self.site.folder(folder), name, &mut ()).await?;
        errand.run(&Alone { model: &model, site: self.site.clone(), progress: self.progress }).await
    }
}
