//! Runs that wait for their turn: one after another, stopped and resumed as one.

use std::collections::VecDeque;

use crate::protocol::Config;

/// How a run of the queue ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With its report.
    Finished,
    /// The person stopped it: it is the first again when the queue goes on.
    Stopped,
    /// It failed, and would fail again.
    Failed,
}

/// What waits, what runs, and whether the queue goes on by itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Queue {
    waiting: VecDeque<Config>,
    current: Option<(u64, Config)>,
    going: bool,
}

impl Queue {
    /// Adds runs that are not there yet, and goes on.
    pub fn add(&mut self, configs: impl IntoIterator<Item = Config>) {
        for config in configs {
            let running = self.current.as_ref().is_some_and(|(_, current)| *current == config);
            if !running && !self.waiting.contains(&config) {
                self.waiting.push_back(config);
            }
        }
        self.going = true;
    }

    /// The next run, where one is due.
    pub fn due(&self) -> Option<&Config> {
        self.waiting.front().filter(|_| self.going && self.current.is_none())
    }

    /// The run that was due has begun under this number.
    pub fn began(&mut self, id: u64) {
        self.current = self.waiting.pop_front().map(|config| (id, config));
    }

    /// The number of the run under way.
    pub fn running(&self) -> Option<u64> {
        self.current.as_ref().map(|(id, _)| *id)
    }

    /// The run under way has ended. Only after a finished one the queue goes on by itself.
    pub fn ended(&mut self, how: Ended) {
        let Some((_, config)) = self.current.take() else { return };
        if how == Ended::Stopped {
            self.waiting.push_front(config);
        }
        self.going = how == Ended::Finished && !self.waiting.is_empty();
    }

    /// Runs that wait.
    pub fn waiting(&self) -> impl ExactSizeIterator<Item = &Config> {
        self.waiting.iter()
    }

    /// The run under way and those that wait.
    pub fn left(&self) -> usize {
        self.waiting.len() + usize::from(self.current.is_some())
    }

    /// Whether it goes on by itself.
    pub fn going(&self) -> bool {
        self.going || self.current.is_some()
    }

    /// Goes on after a stop.
    pub fn resume(&mut self) {
        self.going = !self.waiting.is_empty();
    }

    /// Drops what waits.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.going = false;
    }
}

/// Begins what is due whenever the engine is free.
#[cfg(target_arch = "wasm32")]
pub fn follow(state: super::state::State, client: super::client::Client) {
    use super::state::{Engine, Model, Run};
    use leptos::prelude::*;
    Effect::new(move |_| {
        let ready = matches!((state.engine.get(), state.model.get()), (Engine::Ready { .. }, Model::Loaded(_)));
        if state.run.get() != Run::Idle || !state.queue.with(Queue::going) {
            return;
        }
        if let Some(id) = state.queue.with_untracked(Queue::running) {
            let how = match (untrack(|| state.has_finished(id)), state.error.with_untracked(Option::is_some)) {
                (true, _) => Ended::Finished,
                (false, true) => Ended::Failed,
                (false, false) => Ended::Stopped,
            };
            // Comes back here, for the next one.
            return state.queue.update(|queue| queue.ended(how));
        }
        if let Some(config) = state.queue.with_untracked(|queue| queue.due().cloned()).filter(|_| ready) {
            let id = client.run(as_of_now(state, config));
            state.queue.update(|queue| queue.began(id));
        }
    });
}

/// A family of tests counts those that were made while it waited, too.
#[cfg(target_arch = "wasm32")]
fn as_of_now(state: super::state::State, config: Config) -> Config {
    use leptos::prelude::*;
    match config {
        Config::Statistics(_) => untrack(|| state.statistics()).map_or(config, Config::from),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::weights;

    fn config(threshold: f64) -> Config {
        weights::Config { threshold }.into()
    }

    #[test]
    fn runs_come_one_after_another_and_none_twice() {
        let mut queue = Queue::default();
        queue.add([config(1.0), config(2.0), config(1.0)]);
        assert_eq!(queue.due(), Some(&config(1.0)));
        queue.began(7);
        assert_eq!((queue.due(), queue.running(), queue.left()), (None, Some(7), 2));
        queue.add([config(1.0), config(2.0)]);
        assert_eq!(queue.left(), 2, "what runs or waits is not added again");
        queue.ended(Ended::Finished);
        assert_eq!(queue.due(), Some(&config(2.0)));
        queue.began(8);
        queue.ended(Ended::Finished);
        assert!(!queue.going() && queue.left() == 0);
    }

    #[test]
    fn a_stopped_run_comes_first_again_and_a_failed_one_does_not_come_back() {
        let mut queue = Queue::default();
        queue.add([config(1.0), config(2.0)]);
        queue.began(1);
        queue.ended(Ended::Stopped);
        assert_eq!((queue.going(), queue.due(), queue.left()), (false, None, 2));
        queue.resume();
        assert_eq!(queue.due(), Some(&config(1.0)));
        queue.began(2);
        queue.ended(Ended::Failed);
        queue.resume();
        assert_eq!(queue.due(), Some(&config(2.0)));
        queue.clear();
        queue.resume();
        assert!(!queue.going());
    }
}
