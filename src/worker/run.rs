//! The lead's lab: the model and the site are its own, plans go to the pool.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
};

use super::{
    breath::now,
    lead::{Failure, Lead},
    member::Ask,
    pool::{Pool, PoolError},
};
use crate::{
    analysis::{
        self, AnalysisError, Config,
        lab::{Lab, Progress, Step},
        plan::{Job, Plan, Seen},
    },
    arch::load::Opened,
    backend::cpu::Cpu,
    model::source::{Http, fetch::Fetch},
    protocol::Event,
};

/// Progress is told no more often than this, and at every step's beginning and end.
const BETWEEN_PROGRESS_MS: f64 = 100.0;

impl From<PoolError> for AnalysisError {
    fn from(error: PoolError) -> AnalysisError {
        match error {
            PoolError::Failed(sentence) | PoolError::Lost(sentence) => AnalysisError::Worker(sentence),
            PoolError::Cancelled => AnalysisError::Cancelled,
        }
    }
}

/// One run.
struct Session<'a> {
    lead: &'a Lead,
    id: u64,
    model: Rc<Opened<Cpu>>,
    /// Another one after a device was lost or ran out of memory.
    pool: RefCell<Rc<Pool>>,
    /// What was computed on, in order.
    backends: RefCell<Vec<String>>,
    site: Http<Fetch>,
    began: f64,
    told: Cell<f64>,
    /// The step under way and when it began.
    step: Cell<Option<(Step, f64)>>,
}

pub(super) async fn run(lead: &Lead, id: u64, config: &Config) -> Result<(), Failure> {
    let began = now();
    let model = lead.model().ok_or_else(|| Failure::Said("no model is loaded yet".to_string()))?;
    let (pool, site) = (lead.pool().await?, lead.site());
    let session = Session {
        lead,
        id,
        model,
        backends: RefCell::new(vec![pool.backend().to_string()]),
        pool: RefCell::new(pool),
        site,
        began,
        told: Cell::new(0.0),
        step: Cell::new(None),
    };
    let report = Box::new(analysis::run(config, &session).await?);
    let pool = session.pool.borrow().clone();
    lead.tell_profile(&pool).await?;
    lead.tell(&Event::Finished { id, report, seconds: (now() - began) / 1000.0 });
    Ok(())
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
            self.lead.tell(&Event::Progress { id: self.id, progress, seconds, step_seconds });
        }
    }

    async fn pause(&self) {
        self.lead.breath().pause().await;
    }

    /// A member takes the next job as soon as it has done its last. Where the device is lost or has no memory left, what is
    /// left of the jobs goes on on another.
    async fn run(&self, plan: &Plan) -> Result<Seen, AnalysisError> {
        let spec = &self.model.device.spec;
        let progress = Undone {
            jobs: RefCell::new(VecDeque::from(plan.jobs(spec))),
            seen: RefCell::new(Seen::new(spec)),
            passes: Cell::new(0),
        };
        loop {
            let pool = self.pool.borrow().clone();
            match self.run_on(&pool, plan, &progress).await {
                Ok(()) => return Ok(progress.seen.into_inner()),
                Err(PoolError::Lost(sentence)) => {
                    let next = self.lead.recover(&sentence).await.map_err(said)?;
                    self.backends.borrow_mut().push(next.backend().to_string());
                    *self.pool.borrow_mut() = next;
                }
                Err(other) => return Err(other.into()),
            }
        }
    }
}

/// What a plan still needs, and what was seen of it.
struct Undone {
    jobs: RefCell<VecDeque<Job>>,
    seen: RefCell<Seen>,
    passes: Cell<usize>,
}

fn said(failure: Failure) -> AnalysisError {
    match failure {
        Failure::Said(sentence) => AnalysisError::Worker(sentence),
        Failure::Silent => AnalysisError::Cancelled,
    }
}

impl Session<'_> {
    async fn run_on(&self, pool: &Pool, plan: &Plan, undone: &Undone) -> Result<(), PoolError> {
        let spec = &self.model.device.spec;
        let tell = || self.tell(Progress { step: Step::Passes, done: undone.passes.get(), total: plan.passes() });
        tell();
        pool.ask_all(|| Ask::Recipes(plan.recipes().to_vec()), Vec::new).await?;
        let work = async |number: usize| -> Result<(), PoolError> {
            loop {
                let Some(job) = undone.jobs.borrow_mut().pop_front() else { return Ok(()) };
                let texts = plan.tokens(&job).into_iter().map(<[u32]>::to_vec).collect();
                let figures = pool.ask(number, Ask::Job { recipe: job.recipe, texts, taps: job.taps }).await;
                if matches!(figures, Err(PoolError::Lost(_))) {
                    undone.jobs.borrow_mut().push_front(job);
                    return figures.map(drop);
                }
                undone.seen.borrow_mut().take(spec, &job, &figures?);
                undone.passes.set(undone.passes.get() + job.texts.len());
                tell();
            }
        };
        futures::future::try_join_all((0..pool.size()).map(work)).await.map(drop)
    }
}
