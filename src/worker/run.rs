//! The coordinator's lab: the model and the site are its own, plans go to the pool.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet, VecDeque},
    rc::Rc,
};

use super::{
    coordinator::Coordinator, failure::Failure, messages::Ask, notes::Notes, pool::Pool, scheduler::first, tokens,
    yield_now::now,
};
use crate::{
    arch::{
        ArchError,
        load::{Opened, Watcher, describe},
        preview::Preview,
        recipe::{Quantization, Recipe},
        walk::BUDGET,
    },
    backend::cpu::Cpu,
    lab::preview::LOOKED_THROUGH,
    lab::{
        self, AnalysisError, Config, Report,
        hidden_states::{Studied, Study},
        plan::{Job, Plan, Seen},
        result_cache::{Key, Place},
        rounding::Rounding,
        runner::{Errand, Lab, Progress, Step},
        search::{Piece, Search},
    },
    model::source::{Http, Source, fetch::Fetch},
    protocol::{Event, How, Needs},
    share,
};

/// Progress is told no more often than this, and at every step's beginning and end.
const BETWEEN_PROGRESS_MS: f64 = 100.0;

/// One run.
pub(super) struct Session<'a> {
    pub(super) coordinator: &'a Coordinator,
    id: u64,
    pub(super) model: Rc<Opened<Cpu>>,
    /// Another one after a device was lost or ran out of memory.
    pub(super) pool: RefCell<Rc<Pool>>,
    /// What was computed on, in order.
    pub(super) backends: RefCell<Vec<String>>,
    site: Http<Fetch>,
    began: f64,
    told: Cell<f64>,
    /// The step under way and when it began.
    step: Cell<Option<(Step, f64)>>,
    /// What outlives the run.
    notes: RefCell<Option<Notes>>,
    /// Text of the model's config.
    pub(super) config: String,
}

pub(super) async fn run(coordinator: &Coordinator, id: u64, config: &Config) -> Result<(), Failure> {
    let began = now();
    let heard = async |progress| {
        let seconds = (now() - began) / 1000.0;
        coordinator.tell(&Event::Progress { id, progress, seconds, step_seconds: seconds });
        coordinator.yielder().pause().await;
    };
    if let Some(report) = lab::run_alone(config, &heard).await {
        finish(coordinator, id, began, report?);
        return Ok(());
    }
    let model = coordinator
        .replicas
        .model()
        .ok_or_else(|| Failure::told("no model is loaded yet", "Choose one, and run it again."))?;
    if coordinator.replicas.how() == How::Weights && matches!(config.needs(), Needs::Texts(_)) {
        return Err(Failure::Said(LOOKED_THROUGH.to_string()));
    }
    let (pool, site) = (coordinator.replicas.pool().await?, coordinator.site());
    let session = Session {
        coordinator,
        id,
        model,
        backends: RefCell::new(vec![pool.backend().to_string()]),
        pool: RefCell::new(pool),
        site,
        began,
        told: Cell::new(0.0),
        step: Cell::new(None),
        notes: RefCell::default(),
        config: coordinator.replicas.config(),
    };
    let report = lab::run(config, &session).await?;
    let pool = session.pool.borrow().clone();
    coordinator.replicas.tell_profile(&pool).await?;
    finish(coordinator, id, began, report);
    Ok(())
}

fn finish(coordinator: &Coordinator, id: u64, began: f64, report: Report) {
    let digest = share::digest(&report);
    let report = Box::new(report);
    coordinator.tell(&Event::Finished { id, report, digest, seconds: (now() - began) / 1000.0 });
}

impl Lab for Session<'_> {
    type Backend = Cpu;
    type Site = Http<Fetch>;

    fn model(&self) -> &Opened<Cpu> {
        &self.model
    }

    fn site(&self) -> &Http<Fetch> {
        &self.site
    }

    fn rounded_ahead(&self, rounding: &Rounding, name: &str) -> Option<Quantization> {
        self.coordinator.replicas.rounded_ahead(&self.model, rounding, name)
    }

    fn searched(&self, key: Key, search: impl FnOnce() -> f64) -> f64 {
        match self.coordinator.memory() {
            Some(memory) => memory.borrow_mut().searched(key, search),
            None => search(),
        }
    }

    fn computed_on(&self) -> String {
        self.backends.borrow().join(", then ")
    }

    fn tell(&self, progress: Progress) {
        // A second plan counts its passes from zero again.
        let going_on = self.step.get().filter(|(step, _)| *step == progress.step && progress.done > 0);
        let step_began = going_on.map_or_else(now, |(_, began)| began);
        self.step.set(Some((progress.step, step_began)));
        if going_on.is_none() || progress.done == progress.total || now() - self.told.get() >= BETWEEN_PROGRESS_MS {
            self.told.set(now());
            let [seconds, step_seconds] = [self.began, step_began].map(|since| (now() - since) / 1000.0);
            self.coordinator.tell(&Event::Progress { id: self.id, progress, seconds, step_seconds });
        }
    }

    async fn pause(&self) {
        self.coordinator.yielder().pause().await;
    }

    async fn run_jobs(&self, plan: &Plan) -> Result<Seen, AnalysisError> {
        let spec = &self.model.device.spec;
        let backend = self.pool.borrow().backend().to_string();
        let place = Place::new(plan, &self.model.files(), &backend);
        let memory = self.coordinator.memory();
        let mut seen = memory.map_or_else(|| Seen::new(spec), |memory| memory.borrow().recall(plan, &place, spec));
        let (mut done, total) = (0, plan.passes() - seen.passes());
        self.tell(Progress { step: Step::Passes, done, total });
        let jobs = plan.jobs(spec, &seen, self.coordinator.replicas.packs(&self.model));
        let ask = |job: &Job| {
            let texts = plan.tokens(job).into_iter().map(<[u32]>::to_vec).collect();
            Ask::Job { recipe: job.recipe, texts, taps: job.taps }
        };
        let take = |job: &Job, figures: &[f64]| {
            let shares = plan.shares(spec, job, figures);
            seen.take(job, &shares);
            // After a loss another device may be at work.
            if let Some(memory) = memory
                && self.pool.borrow().backend() == backend
            {
                memory.borrow_mut().keep(&place, job, &shares);
            }
            done += job.texts.len();
            self.tell(Progress { step: Step::Passes, done, total });
        };
        // A member keeps what full precision made of its texts: whoever has read a text in full precision compares it too.
        let held = RefCell::new(BTreeMap::<usize, BTreeSet<usize>>::new());
        let pick = |member: usize, left: &VecDeque<Job>| {
            let mut held = held.borrow_mut();
            let own = held.entry(member).or_default();
            let is_held = |job: &Job| job.taps.divergence && job.texts.clone().all(|text| own.contains(&text));
            let place = left.iter().position(is_held).unwrap_or(0);
            if let Some(job) = left.get(place)
                && (job.taps.divergence || plan.recipes()[job.recipe] == Recipe::default())
            {
                own.extend(job.texts.clone());
            }
            place
        };
        self.on_every_replica(plan.recipes(), jobs, ask, take, pick).await?;
        Ok(seen)
    }

    async fn walk(
        &self,
        search: &Search,
        pieces: Vec<Piece>,
        heard: &mut impl FnMut(&Piece, &[f64]),
    ) -> Result<(), AnalysisError> {
        // The members share the memory that one alone would have.
        let budget = BUDGET / self.pool.borrow().size();
        let ask = |piece: &Piece| Ask::Walk {
            recipe: 0,
            kept: search.kept,
            family: search.family.clone(),
            branch: piece.branch,
            texts: search.tokens(piece).into_iter().map(<[u32]>::to_vec).collect(),
            budget,
        };
        self.on_every_replica(std::slice::from_ref(&search.recipe), pieces, ask, heard, first).await
    }

    async fn study<'a>(&'a self, study: &'a Study) -> Result<Studied<'a>, AnalysisError> {
        let mut studied = Studied::new(study, &self.model.device.spec);
        let (mut done, total) = (0, study.passes());
        self.tell(Progress { step: Step::Passes, done, total });
        let ask = |language: &usize| {
            let texts = study.tokens(*language).into_iter().map(<[u32]>::to_vec).collect();
            Ask::Study { looks: study.looks.clone(), texts }
        };
        let take = |language: &usize, figures: &[f64]| {
            studied.take(*language, figures);
            done += study.units * study.recipes.len();
            self.tell(Progress { step: Step::Passes, done, total });
        };
        self.on_every_replica(&study.recipes, study.languages(), ask, take, first).await?;
        Ok(studied)
    }

    async fn visit<E: Errand>(&self, folder: &str, errand: &E) -> Result<E::Gain, AnalysisError> {
        let (name, mut config) = (folder.rsplit('/').next().unwrap_or(folder), ConfigText::default());
        let source = self.site.folder(folder);
        let described = describe(Cpu, &source, &tokens::reader()).await?;
        let model = Rc::new(described.open(&source, name, &mut config).await?);
        let guest = Session {
            coordinator: self.coordinator,
            id: self.id,
            model,
            pool: RefCell::new(self.pool.borrow().clone()),
            backends: RefCell::new(self.backends.borrow().clone()),
            site: self.site.clone(),
            began: self.began,
            told: Cell::new(0.0),
            step: Cell::new(None),
            notes: RefCell::default(),
            config: config.0,
        };
        let gain = errand.run(&guest).await;
        // Where the guest's device was lost, this one goes on where the guest did.
        self.pool.swap(&guest.pool);
        self.backends.swap(&guest.backends);
        gain
    }

    fn show(&self, report: Report) {
        let seconds = (now() - self.began) / 1000.0;
        self.coordinator.tell(&Event::Partial { id: self.id, report: Box::new(report), seconds });
    }

    async fn recall(&self, name: &str) -> Vec<u8> {
        // The former file is closed before the next is opened: it may be the same one.
        self.notes.borrow_mut().take();
        let (notes, before) = Notes::open(self.coordinator.scope(), name).await.unzip();
        *self.notes.borrow_mut() = notes;
        before.unwrap_or_default()
    }

    fn note(&self, bytes: &[u8]) {
        if let Some(notes) = &*self.notes.borrow() {
            notes.add(bytes);
        }
    }

    fn forget(&self) {
        if let Some(notes) = &*self.notes.borrow() {
            notes.clear();
        }
    }
}

/// Keeps the text of a model's config.
#[derive(Default)]
struct ConfigText(String);

impl Watcher<Cpu> for ConfigText {
    fn begin(&mut self, config: &str, _: &Preview) -> Result<(), ArchError> {
        self.0 = config.to_string();
        Ok(())
    }
}
