//! What an analysis asks of the model: texts under weights, and what is to be seen on the way. A plan is cut into jobs that
//! anyone may run in any order; what was seen does not depend on the cut, to the bit.

use std::{collections::BTreeMap, ops::Range};

pub use crate::arch::passes::Taps;
use crate::arch::{passes::inputs, recipe::Recipe, spec::Spec};

/// One unit of one language, as tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Index into the analysis's languages.
    pub language: usize,
    /// ISO 639-3 of that.
    pub code: String,
    /// Index of the aligned unit.
    pub unit: usize,
    /// With the start token in front, where the model has one.
    pub tokens: Vec<u32>,
    /// Tokens that are scored.
    pub scored: usize,
    /// UTF-8 bytes of these.
    pub bytes: u64,
}

/// Texts that one worker runs under one recipe in one batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Number of the plan's recipe.
    pub recipe: usize,
    /// The texts, from the first to one past the last.
    pub texts: Range<usize>,
    /// What is to be seen of each.
    pub taps: Taps,
}

/// A job is about this much arithmetic at most (a text is never cut): a fraction of a second on one core, so that progress
/// is smooth, Cancel is quick and two workers end together.
const MULTIPLY_ADDS_PER_JOB: u64 = 2_000_000_000;

/// Rows for which a model that is not held is read once: reading a weight takes as long as multiplying a few hundred rows by it.
const ROWS_PER_READING: usize = 1024;

/// Texts to be run under recipes. A text is run once per distinct recipe, however often it is asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    texts: Vec<Text>,
    recipes: Vec<Recipe>,
    /// What is to be seen, by recipe and text.
    asked: BTreeMap<(usize, usize), Taps>,
}

impl Plan {
    /// A plan over these texts that asks for nothing yet.
    pub fn new(texts: Vec<Text>) -> Plan {
        Plan { texts, ..Plan::default() }
    }

    /// What is read.
    pub fn texts(&self) -> &[Text] {
        &self.texts
    }

    /// What is done to the weights.
    pub fn recipes(&self) -> &[Recipe] {
        &self.recipes
    }

    /// How many times a text is run, over all recipes.
    pub fn passes(&self) -> usize {
        self.asked.len()
    }

    /// Asks for texts under a recipe and returns the recipe's number, which equal recipes share.
    pub fn ask(&mut self, recipe: &Recipe, texts: Range<usize>, taps: Taps) -> usize {
        assert!(texts.end <= self.texts.len(), "the plan has {} texts, {texts:?} were asked for", self.texts.len());
        let number = self.recipes.iter().position(|known| known == recipe).unwrap_or_else(|| {
            self.recipes.push(recipe.clone());
            self.recipes.len() - 1
        });
        for text in texts {
            let asked = self.asked.entry((number, text)).or_default();
            *asked = asked.and(taps);
        }
        number
    }

    /// What is to be seen, by recipe and text.
    pub fn asked(&self) -> impl Iterator<Item = (usize, usize, Taps)> {
        self.asked.iter().map(|(&(recipe, text), &taps)| (recipe, text, taps))
    }

    /// The work that is not known yet, cut into jobs, recipe by recipe. Rows are independent of their batch to the bit, so
    /// the cut changes no result. `reads`: each job reads the weights, which are not held.
    pub fn jobs(&self, spec: &Spec, known: &Seen, reads: bool) -> Vec<Job> {
        let most = if reads { spec.multiply_adds(ROWS_PER_READING) } else { 0 }.max(MULTIPLY_ADDS_PER_JOB);
        let mut jobs: Vec<Job> = Vec::new();
        let mut room = 0;
        for (recipe, text, taps) in self.asked().filter(|(recipe, text, _)| !known.has(*recipe, *text)) {
            let cost = spec.multiply_adds(self.texts[text].scored);
            match jobs.last_mut() {
                Some(job) if room > 0 && (job.recipe, job.texts.end, job.taps) == (recipe, text, taps) => {
                    job.texts.end += 1;
                }
                _ => {
                    room = most;
                    jobs.push(Job { recipe, texts: text..text + 1, taps });
                }
            }
            room = room.saturating_sub(cost);
        }
        jobs
    }

    /// A job's figures, those of each of its texts by itself.
    pub fn shares<'f>(&self, spec: &Spec, job: &Job, figures: &'f [f64]) -> Vec<(usize, &'f [f64])> {
        let mut rest = figures;
        let mut share = |text: usize| {
            let (own, after) = rest.split_at(job.taps.figures_of(spec, self.texts[text].scored));
            rest = after;
            (text, own)
        };
        let shares = job.texts.clone().map(&mut share).collect();
        assert!(rest.is_empty(), "figures of the texts {:?}", job.texts);
        shares
    }

    /// Tokens of a job's texts.
    pub fn tokens(&self, job: &Job) -> Vec<&[u32]> {
        self.texts[job.texts.clone()].iter().map(|text| &text.tokens[..]).collect()
    }
}

/// What the jobs of a plan have shown, by the numbers of recipe and text.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    layers: usize,
    width: usize,
    inputs: usize,
    figures: BTreeMap<(usize, usize), (Taps, Vec<f64>)>,
}

impl Seen {
    /// Of a model of this shape; nothing yet.
    pub fn new(spec: &Spec) -> Seen {
        Seen { layers: spec.blocks.len(), width: spec.width, inputs: inputs(spec), figures: BTreeMap::new() }
    }

    /// Takes in figures of a job's texts, as [`Plan::shares`] tells them apart.
    pub fn take(&mut self, job: &Job, shares: &[(usize, &[f64])]) {
        for (text, figures) in shares {
            self.insert(job.recipe, *text, job.taps, figures.to_vec());
        }
    }

    /// Takes in the figures of one text.
    pub fn insert(&mut self, recipe: usize, text: usize, taps: Taps, figures: Vec<f64>) {
        self.figures.insert((recipe, text), (taps, figures));
    }

    /// Whether a text was seen under a recipe.
    pub fn has(&self, recipe: usize, text: usize) -> bool {
        self.figures.contains_key(&(recipe, text))
    }

    /// How many texts were seen, over all recipes.
    pub fn passes(&self) -> usize {
        self.figures.len()
    }

    fn of(&self, recipe: usize, text: usize) -> &(Taps, Vec<f64>) {
        self.figures.get(&(recipe, text)).expect("only what the plan asked for is looked up")
    }

    /// Loss of a text in nats, summed over its scored tokens.
    pub fn nats(&self, recipe: usize, text: usize) -> f64 {
        self.of(recipe, text).1[0]
    }

    /// Losses of consecutive texts.
    pub fn all_nats(&self, recipe: usize, texts: Range<usize>) -> Vec<f64> {
        texts.map(|text| self.nats(recipe, text)).collect()
    }

    /// Σ ‖h_l‖ over the text's rows, for each layer; empty where it was not asked for.
    pub fn norms(&self, recipe: usize, text: usize) -> &[f64] {
        let (taps, figures) = self.of(recipe, text);
        &figures[1..][..if taps.norms { self.layers } else { 0 }]
    }

    /// Σ |x_c| over the text's rows, for each input channel of each linear layer; empty where it was not asked for.
    pub fn inputs(&self, recipe: usize, text: usize) -> &[f64] {
        let (taps, figures) = self.of(recipe, text);
        &figures[1 + self.norms(recipe, text).len()..][..if taps.inputs { self.inputs } else { 0 }]
    }

    /// The mean of h_l over the text's rows, for each layer (layers, width); empty where it was not asked for.
    pub fn means(&self, recipe: usize, text: usize) -> &[f64] {
        let (taps, figures) = self.of(recipe, text);
        let before = 1 + self.norms(recipe, text).len() + self.inputs(recipe, text).len();
        &figures[before..][..if taps.means { self.layers * self.width } else { 0 }]
    }

    /// What stands behind the means: divergence and flips, then what each token has.
    fn behind(&self, recipe: usize, text: usize) -> (Taps, &[f64]) {
        let (taps, figures) = self.of(recipe, text);
        let before = [self.norms(recipe, text), self.inputs(recipe, text), self.means(recipe, text)];
        (*taps, &figures[1 + before.iter().map(|part| part.len()).sum::<usize>()..])
    }

    /// Divergence of full precision from this prediction in nats, and how often the most likely token is another: sums over the
    /// text's scored tokens; none where it was not asked for.
    pub fn divergence(&self, recipe: usize, text: usize) -> Option<(f64, f64)> {
        let (taps, behind) = self.behind(recipe, text);
        taps.divergence.then(|| (behind[0], behind[1]))
    }

    /// Which of the figures of each token: losses, divergences, flips.
    fn of_tokens(&self, recipe: usize, text: usize, which: usize) -> &[f64] {
        let (taps, behind) = self.behind(recipe, text);
        let (before, lists) = if taps.divergence { (2, 3) } else { (0, 1) };
        let tokens = (behind.len() - before) / lists;
        if which < lists { &behind[before + which * tokens..][..tokens] } else { &[] }
    }

    /// Loss of each scored token in nats, in the order of [`Scoring::order`](crate::arch::scoring::Scoring::order); empty
    /// where it was not asked for.
    pub fn tokens(&self, recipe: usize, text: usize) -> &[f64] {
        self.of_tokens(recipe, text, 0)
    }

    /// Divergence at each scored token in nats, in the same order; empty where it was not asked for.
    pub fn token_divergences(&self, recipe: usize, text: usize) -> &[f64] {
        self.of_tokens(recipe, text, 1)
    }

    /// 1 at each scored token where another is the most likely one, else 0; empty where it was not asked for.
    pub fn token_flips(&self, recipe: usize, text: usize) -> &[f64] {
        self.of_tokens(recipe, text, 2)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{arch, model::config::Config};
    use proptest::prelude::*;

    pub fn spec() -> Spec {
        let config =
            r#"{"model_type":"gpt2","n_embd":768,"n_layer":12,"n_head":12,"n_positions":1024,"vocab_size":50257}"#;
        arch::spec(&Config::parse(config.as_bytes()).unwrap()).unwrap()
    }

    pub fn texts(lengths: &[usize]) -> Vec<Text> {
        let text = |(unit, &length): (usize, &usize)| Text {
            language: 0,
            code: "eng".into(),
            unit,
            tokens: vec![0; length],
            scored: length - 1,
            bytes: 1,
        };
        lengths.iter().enumerate().map(text).collect()
    }

    pub fn recipe(mark: usize) -> Recipe {
        use crate::math::quantizer::Format;
        let format = Format::all().next().unwrap();
        let how = arch::recipe::Quantization { format, numbers: vec![mark as f32] };
        Recipe { tensors: [("w".to_string(), how)].into(), ..Recipe::default() }
    }

    proptest! {
        /// Whatever is asked, and however often: the jobs hold each (recipe, text) once, with all that was asked of it,
        /// and only a job of one text is larger than a job should be.
        #[test]
        fn jobs_hold_what_was_asked_once(
            lengths in prop::collection::vec(2usize..60, 1..20),
            asks in prop::collection::vec((0usize..3, 0usize..20, 0usize..20, any::<[bool; 5]>()), 0..8),
            reads in any::<bool>(),
        ) {
            let (spec, mut plan, mut expected) = (spec(), Plan::new(texts(&lengths)), BTreeMap::new());
            for (mark, a, b, [norms, inputs, means, tokens, divergence]) in asks {
                let (a, b) = (a.min(lengths.len()), b.min(lengths.len()));
                let taps = Taps { norms, inputs, means, tokens, divergence };
                let number = plan.ask(&recipe(mark), a.min(b)..a.max(b), taps);
                prop_assert_eq!(&plan.recipes()[number], &recipe(mark));
                for text in a.min(b)..a.max(b) {
                    let before = expected.entry((number, text)).or_insert(taps);
                    *before = before.and(taps);
                }
            }
            let (mut held, jobs) = (BTreeMap::new(), plan.jobs(&spec, &Seen::new(&spec), reads));
            let most = if reads { spec.multiply_adds(ROWS_PER_READING) } else { MULTIPLY_ADDS_PER_JOB };
            for job in &jobs {
                let cost = |text: usize| spec.multiply_adds(lengths[text] - 1);
                let all_but_last: u64 = job.texts.clone().rev().skip(1).map(cost).sum();
                prop_assert!(all_but_last < most);
                let whole: usize = job.texts.clone().map(|text| job.taps.figures_of(&spec, lengths[text] - 1)).sum();
                let figures: Vec<f64> = (0..whole).map(|at| at as f64).collect();
                let shares = plan.shares(&spec, job, &figures);
                prop_assert_eq!(shares.iter().flat_map(|(_, own)| *own).copied().collect::<Vec<f64>>(), figures);
                for text in job.texts.clone() {
                    prop_assert!(held.insert((job.recipe, text), job.taps).is_none());
                }
            }
            prop_assert_eq!(plan.passes(), held.len());
            prop_assert_eq!(held, expected);
        }
    }
}
