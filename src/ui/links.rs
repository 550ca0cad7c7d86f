//! A link that was opened, from its address to the verdict; and the address of a run that was made here.

use std::sync::Arc;

use leptos::prelude::*;

use super::browser;
use super::client::Client;
use super::consent::elsewhere;
use super::route::Route;
use super::state::{Engine, Finished, Model, Run, State};
use crate::protocol::{Kind, LOCAL};
use crate::share::{Link, Place, Verdict, View, compare_digested};

/// How far an opened link has come.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// The model would come from another host: the person is asked.
    Asking,
    /// For the engine, the model and the texts.
    Waiting,
    /// Its run is under way.
    Running,
    /// What came of it.
    Done(Verdict),
    /// It was cancelled, or failed.
    Stopped,
}

/// A link that was opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// What it says.
    pub link: Arc<Link>,
    /// Number of its run, once there is one.
    pub run: Option<u64>,
    /// How far it has come.
    pub stage: Stage,
}

impl Opened {
    /// A link that was just opened. Another host is asked for nothing before the person agrees.
    pub fn new(state: State, link: Arc<Link>) -> Opened {
        let url = link.run.model.as_ref().map(|model| model.place.to_string());
        let asking = untrack(|| url.as_deref().and_then(|url| elsewhere(state, url))).is_some()
            && state.agreed.get_value() != url;
        let stage = if asking { Stage::Asking } else { Stage::Waiting };
        Opened { link, run: None, stage }
    }
}

/// Moves an opened link on whenever what it waits for is there.
pub fn follow(state: State, client: Client) {
    Effect::new(move |_| {
        let Some(opened) = state.opened.get() else { return };
        let next = match (&opened.stage, opened.run) {
            (Stage::Waiting, _) => waited(state, client, opened),
            (Stage::Running, Some(id)) => ran(state, opened, id),
            _ => None,
        };
        if next.is_some() {
            state.opened.set(next);
        }
    });
}

fn waited(state: State, client: Client, opened: Opened) -> Option<Opened> {
    let config = &opened.link.run.config;
    let texts = !state.corpora.get().is_empty();
    let run_now = || {
        untrack(|| state.adopt(config));
        let run = Some(client.run(config.clone()));
        Some(Opened { run, stage: Stage::Running, ..opened.clone() })
    };
    match (state.engine.get(), state.model.get(), state.run.get()) {
        // A run would take the place of the load that is under way.
        (Engine::Ready { .. }, Model::Loaded(_) | Model::Failed, Run::Idle) if !config.kind().has_model() => run_now(),
        (Engine::Ready { .. }, Model::Loaded(_), Run::Idle) if texts => run_now(),
        (Engine::Stopped, ..) | (_, Model::Failed, _) => Some(Opened { stage: Stage::Stopped, ..opened }),
        _ => None,
    }
}

fn ran(state: State, opened: Opened, id: u64) -> Option<Opened> {
    let finished =
        state.finished(opened.link.run.config.kind()).filter(|finished| finished.id == id && !finished.partial);
    let stage = match finished {
        Some(finished) => {
            Some(Stage::Done(compare_digested(&opened.link.run, &finished.report, finished.digest.as_deref())))
        }
        None => (state.run.get() == Run::Idle).then_some(Stage::Stopped),
    };
    stage.map(|stage| Opened { stage, ..opened })
}

/// The link to a report that was computed here, or why there is none, as a sentence.
pub fn link_of(state: State, finished: &Finished, view: View) -> Result<Link, String> {
    let url = state.model_url.get_untracked().unwrap_or_default();
    if url.starts_with(LOCAL) {
        return Err("the model came from files of this device, which nobody else can fetch".into());
    }
    // A folder below the page is the same folder for whoever has the page.
    let base = browser::base();
    let named = || Place::parse(url.strip_prefix(&base).unwrap_or(&url)).map_err(|fault| fault.to_string());
    let place = finished.report.origin().model().map(|_| named()).transpose()?;
    Link::digested(&finished.report, finished.digest.clone(), place, view).map_err(|fault| fault.to_string())
}

/// After a run of the person's own, the address says what was run, as a step in the history.
pub fn keep_address(state: State) {
    Effect::new(move |last: Option<u64>| {
        let newest = Kind::ALL.iter().filter_map(|kind| state.finished(*kind)).max_by_key(|finished| finished.id);
        let Some(finished) = newest.filter(|finished| !finished.partial) else { return last.unwrap_or_default() };
        let id = finished.id;
        if last.is_some_and(|last| id <= last) || finished.from_file {
            return id.max(last.unwrap_or_default());
        }
        let opened = state.opened.get_untracked();
        let link = untrack(|| link_of(state, &finished, state.view.get()));
        if let Ok(link) = link {
            let fragment = untrack(|| state.route.with(|route| fragment(&link, route)));
            let page = crate::share::page(finished.report.kind());
            state.remember(&link, finished);
            // A run that ends while another page is shown does not take the address from it.
            // Nor does a quick look.
            let asked_for = untrack(|| !state.is_quick(id));
            let here = asked_for && untrack(|| state.route.with(Route::path)) == Some(page);
            if here && opened.is_none_or(|opened| opened.run != Some(id)) {
                state.opened.set(None);
                browser::step(&fragment);
            }
        }
        id
    });
}

/// The link, with what the address asks of the engine.
pub fn fragment(link: &Link, route: &Route) -> String {
    let asked = match route {
        Route::Lab { asked, .. } => asked.options(),
        _ => String::new(),
    };
    format!("{link}{asked}")
}
