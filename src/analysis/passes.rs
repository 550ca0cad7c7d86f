//! Texts run under recipes: the work that analyses share.

use serde::{Deserialize, Serialize};

use crate::{
    arch::{ArchError, batch::Batch, forward::forward, recipe::Recipe, spec::Spec, weights::Device, weights::Weights},
    backend::Backend,
};

/// One unit of one language, as tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Index into the analysis's languages.
    pub language: usize,
    /// Index of the aligned unit.
    pub unit: usize,
    /// With the start token in front, where the model has one.
    pub tokens: Vec<u32>,
    /// UTF-8 bytes of the text.
    pub bytes: u64,
}

impl Text {
    /// Tokens that are scored: all but the first.
    pub fn scored(&self) -> usize {
        self.tokens.len().saturating_sub(1)
    }
}

/// Texts that one worker runs under one recipe in one batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Index into the plan's recipes.
    pub recipe: usize,
    /// Index of the first text and one past the last.
    pub texts: (usize, usize),
}

/// Every text under every recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What is done to the weights; the first is full precision.
    pub recipes: Vec<Recipe>,
    /// What is read.
    pub texts: Vec<Text>,
    /// The work, in the order it is handed out.
    pub jobs: Vec<Job>,
}

/// A job is about this much arithmetic at most (a text is never cut): a fraction of a second on one core, so that progress
/// is smooth, Cancel is quick and two workers end together.
const MULTIPLY_ADDS_PER_JOB: u64 = 2_000_000_000;

impl Plan {
    /// Cuts the work into jobs. Rows are independent of their batch to the bit, so the cut changes no result.
    pub fn new(spec: &Spec, recipes: Vec<Recipe>, texts: Vec<Text>) -> Plan {
        let mut jobs = Vec::new();
        let mut first = 0;
        while first < texts.len() {
            let mut end = first;
            let mut cost = 0;
            while end < texts.len() && (end == first || cost < MULTIPLY_ADDS_PER_JOB) {
                cost += spec.multiply_adds(texts[end].scored());
                end += 1;
            }
            jobs.extend((0..recipes.len()).map(|recipe| Job { recipe, texts: (first, end) }));
            first = end;
        }
        Plan { recipes, texts, jobs }
    }

    /// Tokens of a job's texts.
    pub fn tokens(&self, job: &Job) -> Vec<&[u32]> {
        self.texts[job.texts.0..job.texts.1].iter().map(|text| &text.tokens[..]).collect()
    }

    /// Losses by recipe and text, from the losses of each job in the order of the jobs.
    pub fn collect(&self, by_job: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut nats = vec![vec![f64::NAN; self.texts.len()]; self.recipes.len()];
        for (job, losses) in self.jobs.iter().zip(by_job) {
            nats[job.recipe][job.texts.0..job.texts.1].copy_from_slice(losses);
        }
        nats
    }
}

/// Nats of each text: the sum of its rows' losses, in order, in f64.
pub async fn run_texts<B: Backend>(
    device: &Device<B>,
    weights: &Weights<B>,
    texts: &[impl AsRef<[u32]>],
    pause: &impl AsyncFn(),
) -> Result<Vec<f64>, ArchError> {
    let mut batch = Batch::default();
    let rows: Vec<usize> = texts.iter().map(|tokens| batch.push_text(tokens.as_ref(), device.spec.context)).collect();
    let losses = forward(&device.backend, &device.spec, weights, &batch, &mut (), pause).await?;
    let mut rest = &losses[..];
    let mut sum_next = |rows: usize| {
        let (text, after) = rest.split_at(rows);
        rest = after;
        text.iter().map(|&loss| f64::from(loss)).sum()
    };
    Ok(rows.into_iter().map(&mut sum_next).collect())
}

/// Runs a whole plan on one device, job after job: what the pool does in the browser, without the pool.
pub async fn run_plan<B: Backend>(
    device: &Device<B>,
    plan: &Plan,
    mut progress: impl FnMut(usize, usize),
    pause: &impl AsyncFn(),
) -> Result<Vec<Vec<f64>>, ArchError> {
    let mut weights = Vec::new();
    for recipe in &plan.recipes {
        weights.push(device.apply(recipe).await?);
    }
    let mut by_job = Vec::new();
    for (done, job) in plan.jobs.iter().enumerate() {
        progress(done, plan.jobs.len());
        by_job.push(run_texts(device, &weights[job.recipe], &plan.tokens(job), pause).await?);
    }
    Ok(plan.collect(&by_job))
}
