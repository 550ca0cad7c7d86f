//! What passes have shown before: a text under weights gives the same figures every time, so that no analysis computes again
//! what another one has.

use std::collections::{HashMap, VecDeque};

use sha2::{Digest, Sha256};

use super::plan::{Job, Plan, Seen, Taps};
use crate::{arch::spec::Spec, model::files::Files};

/// Figures are kept up to this many bytes; the oldest go first. Losses alone take 8 bytes a text.
const MOST_BYTES: usize = 32 << 20;

/// Searches of weights are kept up to this many, 40 bytes each.
const MOST_SEARCHES: usize = 1 << 16;

/// SHA-256 of all that a figure depends on: the model's files, what was computed on, the recipe and the tokens, or the search.
pub type Key = [u8; 32];

/// Figures of texts under weights, and of weights themselves.
#[derive(Debug)]
pub struct ResultCache {
    /// One pass may show more of this and another more of that.
    figures: HashMap<Key, Vec<(Taps, Vec<f64>)>>,
    /// In the order in which they came.
    order: VecDeque<(Key, Taps)>,
    bytes: usize,
    most_bytes: usize,
    searches: HashMap<Key, f64>,
}

impl Default for ResultCache {
    fn default() -> ResultCache {
        ResultCache::bounded(MOST_BYTES)
    }
}

/// A plan's place in a memory.
#[derive(Debug)]
pub struct Place {
    recipes: Vec<Key>,
    texts: Vec<Key>,
}

/// A key for all of these. Each is hashed with its length, so that no two lists share a key.
pub fn key(of: &[&[u8]]) -> Key {
    let mut hash = Sha256::new();
    for part in of {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// A model as a part of a key.
pub fn model_key(files: &Files) -> Key {
    let Files { model_sha256, config_sha256, tokenizer_sha256, tokenizer_config_sha256 } = files;
    let others = [config_sha256, tokenizer_sha256, tokenizer_config_sha256];
    let [config, tokenizer, tokenizer_config] = others.map(|digest| digest.as_deref().unwrap_or_default().as_bytes());
    key(&[model_sha256.as_bytes(), config, tokenizer, tokenizer_config])
}

impl Place {
    /// Of a plan, run on a model of these files by this backend. What another device computed may differ in its last bits and
    /// is not taken for this one's.
    pub fn new(plan: &Plan, files: &Files, backend: &str) -> Place {
        let on = key(&[&model_key(files), backend.as_bytes()]);
        let recipe = |recipe| {
            let text = serde_json::to_vec(recipe).expect("a recipe holds numbers and strings only");
            key(&[&on, &text])
        };
        let text = |tokens: &[u32]| key(&[bytemuck::cast_slice(tokens)]);
        Place {
            recipes: plan.recipes().iter().map(recipe).collect(),
            texts: plan.texts().iter().map(|of| text(&of.tokens)).collect(),
        }
    }

    fn key(&self, recipe: usize, text: usize) -> Key {
        key(&[&self.recipes[recipe], &self.texts[text]])
    }
}

impl ResultCache {
    fn bounded(most_bytes: usize) -> ResultCache {
        ResultCache { figures: HashMap::new(), order: VecDeque::new(), bytes: 0, most_bytes, searches: HashMap::new() }
    }

    /// What a search finds, which is made where it was not made before.
    pub fn searched(&mut self, key: Key, search: impl FnOnce() -> f64) -> f64 {
        if self.searches.len() >= MOST_SEARCHES && !self.searches.contains_key(&key) {
            self.searches.clear();
        }
        *self.searches.entry(key).or_insert_with(search)
    }

    /// What is known of a plan; the rest is left to be run.
    pub fn recall(&self, plan: &Plan, place: &Place, spec: &Spec) -> Seen {
        let mut seen = Seen::new(spec);
        for (recipe, text, asked) in plan.asked() {
            let mut known = self.figures.get(&place.key(recipe, text)).into_iter().flatten();
            if let Some((taps, figures)) = known.find(|(taps, _)| taps.and(asked) == *taps) {
                seen.insert(recipe, text, *taps, figures.clone());
            }
        }
        seen
    }

    /// Keeps figures of a job's texts, as [`Plan::shares`] tells them apart.
    pub fn keep(&mut self, place: &Place, job: &Job, shares: &[(usize, &[f64])]) {
        for &(text, figures) in shares {
            let key = place.key(job.recipe, text);
            self.forget(&key, |taps| taps.and(job.taps) == job.taps);
            self.bytes += size_of_val(figures);
            self.figures.entry(key).or_default().push((job.taps, figures.to_vec()));
            self.order.push_back((key, job.taps));
            while self.bytes > self.most_bytes
                && let Some((key, oldest)) = self.order.pop_front()
            {
                self.forget(&key, |taps| taps == oldest);
            }
        }
    }

    fn forget(&mut self, key: &Key, which: impl Fn(Taps) -> bool) {
        let Some(known) = self.figures.get_mut(key) else { return };
        for (_, gone) in known.extract_if(.., |(taps, _)| which(*taps)) {
            self.bytes -= size_of_val(&gone[..]);
        }
        if known.is_empty() {
            self.figures.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::{recipe, spec, texts};
    use super::*;
    use crate::arch::recipe::Recipe;

    const NORMS: Taps = Taps { norms: true, ..Taps::LOSSES };

    fn files(model: &str) -> Files {
        let of = |file: &str| Some(format!("{model} {file}"));
        Files {
            model_sha256: model.into(),
            config_sha256: of("config"),
            tokenizer_sha256: of("tokenizer"),
            tokenizer_config_sha256: of("tokenizer_config"),
        }
    }

    fn plan(taps: Taps) -> Plan {
        let mut plan = Plan::new(texts(&[5, 9]));
        plan.ask(&Recipe::default(), 0..2, taps);
        plan.ask(&recipe(1), 0..1, taps);
        plan
    }

    /// Runs what is left of a plan, with figures that tell recipe and text apart, and says how many texts were run.
    fn run(memory: &mut ResultCache, plan: &Plan, model: &str) -> (usize, Seen) {
        let (spec, place) = (spec(), Place::new(plan, &files(model), "cpu"));
        let mut seen = memory.recall(plan, &place, &spec);
        let mut ran = 0;
        for job in plan.jobs(&spec, &seen, false) {
            let each = job.taps.figures(&spec);
            let figures: Vec<f64> = job
                .texts
                .clone()
                .flat_map(|text| (0..each).map(move |at| (100 * job.recipe + 10 * text + at) as f64))
                .collect();
            let shares = plan.shares(&spec, &job, &figures);
            memory.keep(&place, &job, &shares);
            seen.take(&job, &shares);
            ran += job.texts.len();
        }
        (ran, seen)
    }

    #[test]
    fn what_was_computed_is_not_computed_again() {
        let mut memory = ResultCache::default();
        let (ran, first) = run(&mut memory, &plan(NORMS), "a");
        assert_eq!(ran, 3);
        assert_eq!(run(&mut memory, &plan(NORMS), "a"), (0, first.clone()));
        let (ran, fewer) = run(&mut memory, &plan(Taps::LOSSES), "a");
        assert_eq!(ran, 0, "more is known than is asked");
        assert_eq!(fewer.all_nats(0, 0..2), first.all_nats(0, 0..2));
        // Under other weights the same text is another pass.
        let mut other = Plan::new(texts(&[5]));
        other.ask(&recipe(2), 0..1, NORMS);
        assert_eq!(run(&mut memory, &other, "a").0, 1);
    }

    #[test]
    fn less_than_is_asked_another_model_and_another_device_do_not_count() {
        let mut memory = ResultCache::default();
        run(&mut memory, &plan(Taps::LOSSES), "a");
        assert_eq!(run(&mut memory, &plan(NORMS), "b").0, 3);
        assert_eq!(run(&mut memory, &plan(NORMS), "a").0, 3);
        let place = Place::new(&plan(NORMS), &files("a"), "webgpu");
        assert_eq!(memory.recall(&plan(NORMS), &place, &spec()), Seen::new(&spec()));
    }

    /// Law: what a figure depends on is in its key. One thing changed, and no key is one of before.
    #[test]
    fn whatever_a_figure_depends_on_changes_its_key() {
        let keys = |files: &Files, backend: &str, rounded: usize, lengths: &[usize]| {
            let mut plan = Plan::new(texts(lengths));
            plan.ask(&recipe(rounded), 0..1, Taps::LOSSES);
            Place::new(&plan, files, backend).key(0, 0)
        };
        let same = files("a");
        let other = |change: fn(&mut Files)| {
            let mut other = same.clone();
            change(&mut other);
            keys(&other, "cpu", 1, &[5])
        };
        let all = [
            keys(&same, "cpu", 1, &[5]),
            other(|files| files.model_sha256.push('b')),
            other(|files| files.config_sha256 = Some("another config".into())),
            other(|files| files.config_sha256 = None),
            other(|files| files.tokenizer_sha256 = Some("another tokenizer".into())),
            other(|files| files.tokenizer_config_sha256 = Some("other settings of it".into())),
            other(|files| files.tokenizer_config_sha256 = None),
            other(|files| std::mem::swap(&mut files.config_sha256, &mut files.tokenizer_sha256)),
            keys(&same, "webgpu", 1, &[5]),
            keys(&same, "cpu", 2, &[5]),
            keys(&same, "cpu", 1, &[6]),
        ];
        assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), all.len());
        assert_eq!(all[0], keys(&files("a"), "cpu", 1, &[5]), "the same is found again");
        // Where one part ends and the next begins counts too.
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
    }

    #[test]
    fn two_passes_that_show_different_things_are_both_kept() {
        const MEANS: Taps = Taps { means: true, ..Taps::LOSSES };
        let mut memory = ResultCache::default();
        assert_eq!(run(&mut memory, &plan(NORMS), "a").0, 3);
        assert_eq!(run(&mut memory, &plan(MEANS), "a").0, 3);
        assert_eq!(run(&mut memory, &plan(NORMS), "a").0, 0);
        // One that shows all of it stands for both.
        assert_eq!(run(&mut memory, &plan(NORMS.and(MEANS)), "a").0, 3);
        assert!(memory.figures.values().all(|known| known.len() == 1));
        let kept = memory.figures.values().flatten().map(|(_, figures)| size_of_val(&figures[..]));
        assert_eq!(memory.bytes, kept.sum::<usize>());
    }

    #[test]
    fn a_search_is_made_once() {
        let mut memory = ResultCache::default();
        assert_eq!(memory.searched([1; 32], || 2.5), 2.5);
        assert_eq!(memory.searched([1; 32], || unreachable!("it is known")), 2.5);
        assert_eq!(memory.searched([2; 32], || 3.5), 3.5);
    }

    #[test]
    fn the_oldest_go_when_there_is_no_room() {
        // Room for two texts' losses.
        let mut memory = ResultCache::bounded(2 * size_of::<f64>());
        assert_eq!(run(&mut memory, &plan(Taps::LOSSES), "a").0, 3);
        assert_eq!((memory.figures.len(), memory.order.len(), memory.bytes), (2, 2, 16));
        assert_eq!(run(&mut memory, &plan(Taps::LOSSES), "a").0, 1, "the first was dropped");
    }
}
