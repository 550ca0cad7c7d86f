//! The way through: pages along the argument, each with how it stands; what runs, what waits, what is stale.

use leptos::prelude::*;

use crate::client::Client;
use crate::freshness::{Freshness, freshness, stale};
use crate::pages;
use crate::protocol::{Config, Kind};
use crate::queue::Queue;
use crate::route::Route;
use crate::share;
use crate::state::{Engine, Model, State};

/// Title of the page of an analysis.
fn title(kind: Kind) -> &'static str {
    pages::LAB.iter().find(|page| page.path == share::page(kind)).map_or("", |page| page.title)
}

/// The navigation: model → weights → … → claims.
#[component]
pub fn Nav() -> impl IntoView {
    let state: State = expect_context();
    let model = move || match state.model.get() {
        Model::Loaded(loaded) => (loaded.name.clone(), Some("done")),
        Model::Loading { .. } => ("loading".to_string(), Some("running")),
        Model::None | Model::Failed => ("none yet".to_string(), None),
    };
    view! {
        <nav aria-label="Pages, in the order of the argument">
            <div class="group">
                <span class="group-name">"Model"</span>
                <span class="group-model" data-state=move || model().1>{move || model().0}</span>
            </div>
            {pages::groups().into_iter().map(|(group, own)| view! {
                <div class="group">
                    <span class="group-name">{group}</span>
                    {own.into_iter().map(|(path, title)| view! { <PageLink path title/> }).collect_view()}
                </div>
            }).collect_view()}
        </nav>
    }
}

#[component]
fn PageLink(path: &'static str, title: &'static str) -> impl IntoView {
    let state: State = expect_context();
    let here = move || (state.route.with(Route::path) == Some(path)).then_some("page");
    let kind = Kind::ALL.iter().copied().find(|kind| share::page(*kind) == path);
    let stands = Memo::new(move |_| kind.and_then(|kind| freshness(state, kind)));
    view! {
        <a href=format!("#/{path}") aria-current=here data-state=move || stands.get().map(Freshness::word)>
            {title}
            <span class="unseen-text">{move || stands.get().map(Freshness::told)}</span>
        </a>
    }
}

/// `#way`: what runs and what waits, with `#resume` and `#clear-queue`; what is stale, with `#rerun-all`.
#[component]
pub fn UnderNav() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let ready =
        Memo::new(move |_| matches!((state.engine.get(), state.model.get()), (Engine::Ready { .. }, Model::Loaded(_))));
    let waits = Memo::new(move |_| {
        state.queue.with(|queue| queue.waiting().map(|config| title(config.kind())).collect::<Vec<_>>())
    });
    let runs = Memo::new(move |_| {
        let config = state.running_config.with(|config| config.as_ref().map(Config::kind));
        config.filter(|_| state.running()).map(title)
    });
    let held = Memo::new(move |_| runs.get().is_none() && !waits.get().is_empty() && !state.queue.with(Queue::going));
    let old = Memo::new(move |_| stale(state));
    let told = move || {
        let runs = runs.get().map(|title| format!("{title} is running."));
        let waits = (!waits.get().is_empty()).then(|| {
            let word = if held.get() { "Stopped before" } else { "Next" };
            format!("{word}: {}.", waits.get().join(", "))
        });
        let old = (!old.get().is_empty()).then(|| {
            let titles: Vec<&str> = old.get().into_iter().map(title).collect();
            let (results, fit) =
                if titles.len() == 1 { ("The result of", "no longer fits") } else { ("Results of", "no longer fit") };
            format!("{results} {} {fit} what is chosen.", titles.join(", "))
        });
        [runs, waits, old].into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    let rerun = move |_| {
        let wanted = untrack(|| old.get().into_iter().filter_map(|kind| state.wanted(kind).ok()).collect::<Vec<_>>());
        state.error.set(None);
        wanted.into_iter().for_each(|config| client.run_in_turn(config));
    };
    view! {
        <div id="way" class="under">
            <span role="status">{told}</span>
            <Show when=move || held.get()>
                <button id="resume" type="button" class="quiet" disabled=move || !ready.get() on:click=move |_| state.queue.update(Queue::resume)>"Go on"</button>
            </Show>
            <Show when=move || !waits.get().is_empty()>
                <button id="clear-queue" type="button" class="quiet" on:click=move |_| state.queue.update(Queue::clear)>"Drop what waits"</button>
            </Show>
            <Show when=move || !old.get().is_empty()>
                <button id="rerun-all" type="button" class="quiet" disabled=move || !ready.get() on:click=rerun>"Run again"</button>
            </Show>
        </div>
    }
}
