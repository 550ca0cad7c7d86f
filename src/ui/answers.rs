//! Which runs the workshop asked for, and what answered each exercise last. The page of the same analysis shows its last run, whoever
//! asked for it; an exercise keeps its answer.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::engine_state::Finished;
use crate::workshop::Exercise;

/// By exercise.
#[derive(Clone, Copy)]
pub struct Answers {
    /// Number of each run, with the name of the exercise that asked for it.
    asked: RwSignal<BTreeMap<u64, &'static str>>,
    /// The last run of each exercise that came to its end.
    last: RwSignal<BTreeMap<&'static str, Finished>>,
}

impl Answers {
    /// None yet.
    pub fn new() -> Answers {
        Answers { asked: RwSignal::new(BTreeMap::new()), last: RwSignal::new(BTreeMap::new()) }
    }

    /// An exercise asked for the run of this number.
    pub fn expect(self, id: u64, exercise: &'static Exercise) {
        self.asked.update(|asked| {
            asked.insert(id, exercise.name);
        });
    }

    /// Takes in a run that came to its end, where an exercise asked for it.
    pub fn take(self, finished: &Finished) {
        let exercise = self.asked.with_untracked(|asked| asked.get(&finished.id).copied());
        if let Some(exercise) = exercise.filter(|_| !finished.partial) {
            self.last.update(|last| {
                last.insert(exercise, finished.clone());
            });
        }
    }

    /// What answered an exercise last.
    pub fn of(self, exercise: &Exercise) -> Option<Finished> {
        self.last.with(|last| last.get(exercise.name).cloned())
    }

    /// Whether an exercise asked for the run of this number.
    pub fn asked_for(self, id: u64) -> bool {
        self.asked.with(|asked| asked.contains_key(&id))
    }
}
