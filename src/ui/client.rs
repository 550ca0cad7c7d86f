//! The page's side of the worker: starts it, talks to it, and starts it again when it dies.
//!
//! A module worker loses every message that comes before its program has set its listener, so nothing is sent before
//! its first word, [`Event::Booted`].

use std::time::Duration;

use gloo_events::EventListener;
use gloo_file::ObjectUrl;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, File, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

use super::browser;
use super::consent;
use super::queue::Queue;
use super::route::Asked;
use super::state::{Engine, Model, NextModel, Run, State};
use crate::protocol::{Config, Event, How, LOCAL, Request, Rounding, VERSION};

/// Two megabytes on a slow line take half of this.
const READY_PATIENCE: Duration = Duration::from_secs(60);
/// The engine should answer Cancel within half a second; after this it is taken for hung.
const CANCEL_PATIENCE: Duration = Duration::from_secs(3);
/// An engine at work that has told nothing for so long is asked for a word: a long text or a slow server is no silence.
const ASK_AFTER_MS: f64 = 5_000.0;
/// It hears between two blocks of a layer; after this long without a word the person is offered a restart.
const ANSWER_PATIENCE_MS: f64 = 15_000.0;
/// After so many crashes in a row without a finished job, the page stops trying.
const MOST_CRASHES: u32 = 3;

/// What to do as soon as the engine is there.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// Load this folder, or the catalog's default.
    Lab {
        /// Folder URL.
        model: Option<String>,
    },
    /// Time a forward pass.
    Bench {
        /// Folder URL.
        url: String,
        /// Tokens per sequence.
        tokens: usize,
    },
    /// Wait for the person.
    Idle,
}

struct Inner {
    worker: Option<Started>,
    /// Number of the present worker: what older ones say is not heard.
    generation: u32,
    heard: bool,
    last_heard: f64,
    /// When it was asked for a word, until one comes.
    unanswered: Option<f64>,
    asked: Asked,
    plan: Plan,
    crashes: u32,
    runs: u64,
    /// How the last model was loaded.
    how: How,
    /// Files of this device that the person chose, by their paths.
    chosen: Vec<(String, File)>,
}

/// A worker that was started, what hears it, and the program that it came from. Dropping it ends it.
struct Started {
    worker: Worker,
    _hears: [EventListener; 2],
    _program: ObjectUrl,
}

impl Drop for Started {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// A handle; copies share the worker.
#[derive(Clone, Copy)]
pub struct Client {
    inner: StoredValue<Inner, LocalStorage>,
    state: State,
}

impl Client {
    /// No worker yet.
    pub fn new(state: State) -> Client {
        let inner = Inner {
            worker: None,
            generation: 0,
            heard: false,
            last_heard: 0.0,
            unanswered: None,
            asked: Asked::default(),
            plan: Plan::Idle,
            crashes: 0,
            runs: 0,
            how: How::Whole,
            chosen: Vec::new(),
        };
        let client = Client { inner: StoredValue::new_local(inner), state };
        set_interval(move || client.watch(), Duration::from_secs(1));
        client
    }

    /// Starts a fresh worker as asked with this plan; a former one is ended.
    pub fn start(self, asked: Asked, plan: Plan) {
        let plan = match &plan {
            Plan::Lab { model: Some(url) } | Plan::Bench { url, .. } if !consent::may_fetch(self.state, url) => {
                Plan::Idle
            }
            _ => plan,
        };
        self.inner.update_value(|inner| {
            inner.asked = asked;
            inner.plan = plan;
        });
        if let Err(error) = self.spawn() {
            self.state.engine.set(Engine::Stopped);
            self.state.fail(format!(
                "This browser did not start the engine's worker: {}. Reload the page, or open it in another browser.",
                told(&error)
            ));
        }
    }

    /// The plan under way.
    pub fn plan(self) -> Plan {
        self.inner.with_value(|inner| inner.plan.clone())
    }

    /// Starts the worker again, with the last model.
    pub fn restart(self) {
        self.inner.update_value(|inner| inner.crashes = 0);
        self.state.notice.set(Some("The engine was started again.".into()));
        self.start(self.inner.with_value(|inner| inner.asked), self.resumed());
    }

    /// Streams a model in.
    pub fn load(self, url: &str) {
        self.load_as(url, How::Whole);
    }

    /// Streams a model in, to be held or looked through.
    pub fn load_as(self, url: &str, how: How) {
        if !consent::may_fetch(self.state, url) {
            return;
        }
        self.inner.update_value(|inner| inner.how = how);
        self.state.begin_load(url);
        self.send(&self.loading(url.to_string()));
    }

    /// Asks once more for a model that did not come, to be held as it would have been.
    pub fn load_again(self, url: &str) {
        self.load_as(url, self.inner.with_value(|inner| inner.how));
    }

    /// Asks what a model is, before it is loaded, and what is kept.
    pub fn preview(self, url: String) {
        if !consent::may_fetch(self.state, &url) {
            return;
        }
        self.state.error.set(None);
        self.state.ahead.set(NextModel::Asked);
        self.send(&Request::Preview { url, hub: self.state.hub.get_untracked() });
        self.send(&Request::Kept);
    }

    /// Asks what a model among files of this device is.
    pub fn preview_files(self, chosen: Vec<(String, File)>) {
        let Some((path, _)) = chosen.first() else { return };
        let url = format!("{LOCAL}{}", path.split('/').next().unwrap_or_default());
        self.inner.update_value(|inner| inner.chosen = chosen);
        self.preview(url);
    }

    /// Drops kept models.
    pub fn remove(self, names: Vec<String>) {
        self.send(&Request::Remove { names });
    }

    fn loading(self, url: String) -> Request {
        let how = self.inner.with_value(|inner| inner.how);
        let (settings, keys) = (self.state.settings, Rounding::KEYS);
        let chosen = untrack(|| Rounding {
            bits: settings.get(keys.bits),
            rule: settings.get(keys.rule),
            granularity: settings.get(keys.granularity),
        });
        let rounding = matches!(how, How::Packed(_)).then_some(chosen);
        Request::Load { url, hub: self.state.hub.get_untracked(), how, rounding }
    }

    /// Runs an analysis and says by which number it goes.
    pub fn run(self, config: Config) -> u64 {
        let id = self.number();
        self.state.error.set(None);
        self.state.running_config.set(Some(config.clone()));
        self.state.begun.update(|begun| begun.retain(|known| *known != config));
        self.state.run.set(Run::Running { id, progress: None, seconds: 0.0, step_seconds: 0.0 });
        self.send(&Request::Run { id, config: Box::new(config) });
        id
    }

    /// Asks whether a search was begun that would go on from its notes.
    pub fn ask_begun(self, config: Config) {
        self.send(&Request::Begun { config: Box::new(config) });
    }

    /// Runs an analysis, or lets it wait for its turn where the person's own run is under way.
    pub fn run_in_turn(self, config: Config) {
        if untrack(|| self.state.running() || self.state.queue.with(Queue::going)) {
            self.state.queue.update(|queue| queue.add([config]));
        } else {
            self.run(config);
        }
    }

    /// A number that no run or report had before.
    pub fn number(self) -> u64 {
        let next = |inner: &mut Inner| {
            inner.runs += 1;
            inner.runs
        };
        self.inner.try_update_value(next).unwrap_or_default()
    }

    /// Stops a run or a load; an engine that does not answer is started again.
    pub fn cancel(self) {
        let run = match self.state.run.get_untracked() {
            Run::Running { id, .. } => Run::Cancelling { id },
            other => other,
        };
        self.state.run.set(run.clone());
        self.send(&Request::Cancel);
        let generation = self.generation();
        set_timeout(
            move || {
                let unanswered = match &run {
                    Run::Idle => matches!(self.state.model.get_untracked(), Model::Loading { .. }),
                    cancelling => self.state.run.get_untracked() == *cancelling,
                };
                if unanswered && self.generation() == generation {
                    let seconds = CANCEL_PATIENCE.as_secs();
                    self.renew(format!(
                        "The engine did not answer Cancel within {seconds} seconds and was started again."
                    ));
                }
            },
            CANCEL_PATIENCE,
        );
    }

    fn generation(self) -> u32 {
        self.inner.with_value(|inner| inner.generation)
    }

    fn spawn(self) -> Result<(), JsValue> {
        let base = browser::base();
        let program = Url::new_with_base(&browser::worker_program(), &base)?.href();
        let url = browser::bound_program(&program)?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&url, &options)?;

        let generation = self.generation() + 1;
        let hear = EventListener::new(&worker, "message", move |event| {
            self.hear(generation, event.unchecked_ref::<MessageEvent>().data());
        });
        let crash = EventListener::new(&worker, "error", move |event| {
            let message = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            // Not inside the dying worker's own callback.
            set_timeout(move || self.crashed(generation, &message), Duration::ZERO);
        });
        let started = Started { worker, _hears: [hear, crash], _program: url };

        let former = self.inner.try_update_value(|inner| {
            inner.generation = generation;
            inner.heard = false;
            inner.last_heard = browser::now();
            inner.unanswered = None;
            inner.worker.replace(started)
        });
        // A former one ends here.
        drop(former);
        self.state.begin_engine();
        set_timeout(move || self.wait_no_longer(generation), READY_PATIENCE);
        Ok(())
    }

    fn send(self, request: &Request) {
        let text = serde_json::to_string(request).expect("a request holds numbers and strings only");
        let local =
            matches!(request, Request::Load { url, .. } | Request::Preview { url, .. } if url.starts_with(LOCAL));
        self.inner.with_value(|inner| {
            let mut message = JsValue::from_str(&text);
            if local {
                let parts = js_sys::Array::of1(&message);
                for (path, file) in &inner.chosen {
                    parts.push(&JsValue::from_str(path));
                    parts.push(file);
                }
                message = parts.into();
            }
            if let Some(started) = &inner.worker {
                // Fails only for what cannot be cloned; strings and files can.
                let _ = started.worker.post_message(&message);
            }
        });
    }

    fn hear(self, generation: u32, data: JsValue) {
        if self.generation() != generation {
            return;
        }
        self.inner.update_value(|inner| {
            inner.heard = true;
            inner.last_heard = browser::now();
            inner.unanswered = None;
        });
        let text = data.as_string().unwrap_or_default();
        let event: Event = match serde_json::from_str(&text) {
            Ok(event) => event,
            Err(error) => {
                return self.state.fail(format!(
                    "The engine sent a message that this page cannot read: {error}. Reload the page without cache \
                     (Ctrl+Shift+R)."
                ));
            }
        };
        let next = match &event {
            Event::Booted { .. } => {
                let Asked { workers, backend, profile } = self.inner.with_value(|inner| inner.asked);
                Some(Request::Start { base: browser::base(), workers, backend, profile, afresh: profile })
            }
            Event::Ready { version, .. } if version == VERSION => match self.plan() {
                Plan::Bench { url, tokens } => {
                    self.state.bench.set(None);
                    self.state.measuring.set(true);
                    Some(Request::Bench { url, tokens })
                }
                // A load takes the place of what the engine does: where the catalog is not here yet, it comes first.
                Plan::Lab { model: Some(url) } if self.state.catalog.with_untracked(Option::is_some) => {
                    Some(self.loading(url))
                }
                Plan::Lab { .. } | Plan::Idle => None,
            },
            Event::Catalog { catalog, .. } => match (self.plan(), self.state.model.get_untracked()) {
                (Plan::Lab { model }, Model::None) => {
                    Some(self.loading(model.unwrap_or_else(|| format!("models/{}", catalog.default))))
                }
                _ => None,
            },
            Event::Loaded(_) | Event::Finished { .. } | Event::Bench(_) => {
                self.inner.update_value(|inner| inner.crashes = 0);
                None
            }
            _ => None,
        };
        let stayed = event == Event::StillThere;
        self.state.apply(event);
        // A restart loads it as it was loaded, not as the one that did not come.
        if let (true, Model::Loaded(loaded)) = (stayed, self.state.model.get_untracked()) {
            self.inner.update_value(|inner| inner.how = loaded.how);
        }
        match next {
            Some(Request::Load { url, how, .. }) => self.load_as(&url, how),
            Some(request) => self.send(&request),
            None => {}
        }
    }

    fn wait_no_longer(self, generation: u32) {
        let waiting = self.inner.with_value(|inner| inner.generation == generation && !inner.heard);
        if waiting && self.state.engine.get_untracked() == Engine::Starting {
            self.state.engine.set(Engine::Late);
            self.state.error.set(Some(format!(
                "The engine has not answered for {} seconds: its files may still be on their way, or the site may lack \
                 {}; reload the page to try again.",
                READY_PATIENCE.as_secs(),
                browser::worker_program()
            )));
        }
    }

    fn crashed(self, generation: u32, message: &str) {
        if self.generation() != generation {
            return;
        }
        let (crashes, heard) = self
            .inner
            .try_update_value(|inner| {
                inner.crashes += 1;
                (inner.crashes, inner.heard)
            })
            .unwrap_or_default();
        let cause = if message.is_empty() { String::new() } else { format!(" ({message})") };
        if crashes >= MOST_CRASHES {
            self.state.engine.set(Engine::Stopped);
            self.state.notice.set(None);
            let fault = if heard { "stopped" } else { "did not start" };
            return self.state.fail(format!("The engine {fault}, {crashes} times in a row{cause}: reload the page."));
        }
        let lost = match (self.state.run.get_untracked(), self.state.model.get_untracked()) {
            (Run::Running { .. } | Run::Cancelling { .. }, _) => "; the run is lost: run it again",
            (_, Model::Loading { .. }) => "; choose a model again",
            _ if self.state.measuring.get_untracked() => "; the measurement is lost: press Measure again",
            _ => "",
        };
        self.renew(format!("The engine stopped{cause} and was started again{lost}."));
    }

    fn renew(self, sentence: String) {
        let plan = self.resumed();
        self.state.notice.set(Some(sentence));
        self.start(self.inner.with_value(|inner| inner.asked), plan);
    }

    /// The plan after a restart: the model that was there; one that was on its way may be what killed the engine.
    fn resumed(self) -> Plan {
        match (self.plan(), self.state.model.get_untracked()) {
            (Plan::Lab { .. }, Model::Loaded(_)) => Plan::Lab { model: self.state.model_url.get_untracked() },
            (Plan::Lab { .. }, Model::None) => Plan::Lab { model: None },
            _ => Plan::Idle,
        }
    }

    /// Finds out whether an engine that should be at work has fallen silent.
    fn watch(self) {
        let (busy, now) = (untrack(|| self.state.busy()), browser::now());
        let asks = |inner: &mut Inner| {
            if !busy || !inner.heard {
                // Nothing is expected of it.
                (inner.last_heard, inner.unanswered) = (now, None);
            }
            let asks = inner.unanswered.is_none() && now - inner.last_heard > ASK_AFTER_MS;
            if asks {
                inner.unanswered = Some(now);
            }
            asks
        };
        if self.inner.try_update_value(asks) == Some(true) {
            self.send(&Request::Alive);
        }
        let unanswered = self.inner.with_value(|inner| inner.unanswered);
        let silent = unanswered.is_some_and(|since| now - since > ANSWER_PATIENCE_MS);
        if self.state.silent.get_untracked() != silent {
            self.state.silent.set(silent);
        }
    }
}

fn told(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| error.message().into())
}
