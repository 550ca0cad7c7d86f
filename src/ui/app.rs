//! The shell: header, pages by fragment, status, what failed.

use std::time::Duration;

use leptos::prelude::*;

use super::browser;
use super::client::{Client, Plan};
use super::components::nav::{Nav, UnderNav};
use super::components::status::{Alerts, AskingPanel, StatusLine};
use super::consent;
use super::links::{self, Opened, Stage};
use super::notifications;
use super::offline::{self, OfflineCopy};
use super::pages::{self, LAB, bench::BenchPage};
use super::queue;
use super::quick;
use super::route::{Asked, Route};
use super::settings;
use super::state::{Model, Run, State};
use crate::share::View;

/// The engine rests for so long before anything is fetched that nobody waits for.
const SETTLED: Duration = Duration::from_millis(1500);

/// Puts the page in place of the static shell of `index.html`.
pub fn mount() {
    use wasm_bindgen::JsCast;
    let Some(root) = document().get_element_by_id("app") else { return };
    root.set_inner_html("");
    leptos::mount::mount_to(root.unchecked_into(), App).forget();
}

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let read_route = || {
        let (fragment, search) = browser::location();
        Route::parse(&fragment, &search)
    };
    let state = State::new(read_route());
    let client = Client::new(state);
    provide_context(state);
    provide_context(client);

    let listener = window_event_listener(leptos::ev::hashchange, move |_| state.route.set(read_route()));
    on_cleanup(move || listener.remove());

    links::follow(state, client);
    links::keep_address(state);
    queue::follow(state, client);
    settings::follow(state);
    quick::follow(state, client);
    notifications::follow(state);

    // Pages of the lab share one engine and its model; only another engine asked for, or Bench, starts it afresh.
    Effect::new(move |lab: Option<Option<Asked>>| match state.route.get() {
        Route::Lab { link: Some(link), .. } if state.recall(&link) => {
            state.opened.set(None);
            lab.flatten()
        }
        Route::Lab { asked, link, .. } => {
            state.error.set(None);
            let opened = link.map(|link| Opened::new(state, link));
            let model = opened.as_ref().and_then(|opened| opened.link.run.model.as_ref());
            let url = model.map(|model| model.place.to_string());
            let known = state.model_url.get_untracked();
            let same_model = url.is_none() || url == known && matches!(state.model.get_untracked(), Model::Loaded(_));
            let plan = match &opened {
                Some(Opened { stage: Stage::Asking, .. }) => Plan::Idle,
                _ => Plan::Lab { model: url.or(known) },
            };
            if lab.flatten() != Some(asked) || !same_model {
                client.start(asked, plan);
            }
            state.opened.set(opened);
            Some(asked)
        }
        Route::Bench(bench) => {
            state.error.set(None);
            state.bench.set(None);
            let plan = match bench.model {
                Some(url) => Plan::Bench { url, tokens: bench.tokens },
                None => Plan::Idle,
            };
            client.start(bench.asked, plan);
            None
        }
        Route::NotFound(_) => lab.flatten(),
        Route::Wrong(sentence) => {
            state.error.set(Some(sentence));
            None
        }
    });

    // Once the model is in and nothing runs, no quick look either, there is time for what the next visit needs.
    let kept = StoredValue::new(false);
    let idle = move || matches!((state.model.get(), state.run.get()), (Model::Loaded(_), Run::Idle));
    Effect::new(move |_| {
        let keep = move || {
            if untrack(idle) && !kept.get_value() {
                kept.set_value(true);
                offline::keep(state);
            }
        };
        if idle() {
            set_timeout(keep, SETTLED);
        }
    });

    let pinned = Memo::new(move |_| state.view.with(|view| view.pinned));
    // Another option of the same page is no reason to build it anew.
    let route = Memo::new(move |_| match state.route.get() {
        Route::Lab { page, .. } => Route::Lab { page, asked: Asked::default(), view: View::default(), link: None },
        other => other,
    });
    notifications::begin_at_the_top(route);
    view! {
        <a class="skip" href="#main" on:click=|ev| { ev.prevent_default(); focus_main(); }>"Skip to the content"</a>
        <header class="top">
            {move || match pinned.get() {
                true => view! { <div class="brand"><Brand/></div> }.into_any(),
                false => view! { <a class="brand" href="#/"><Brand/></a> }.into_any(),
            }}
            <Show when=move || !pinned.get()><Nav/></Show>
        </header>
        <div class="stand">
            <StatusLine/>
            <UnderNav/>
        </div>
        <main id="main" tabindex="-1" class:bare=move || state.view.with(|view| view.bare)>
            <Alerts/>
            <AskingPanel/>
            {move || match route.get() {
                Route::Lab { page, .. } => (LAB[page].view)(),
                Route::Bench(bench) => view! { <BenchPage bench/> }.into_any(),
                Route::NotFound(path) => view! { <NotFound path/> }.into_any(),
                Route::Wrong(_) => view! { <p class="lost"><a href="#/">"To the start page"</a></p> }.into_any(),
            }}
        </main>
        <footer class="bottom">
            <p>"Everything is computed on this machine; nothing you choose or measure leaves it. The page's own policy, which the browser enforces, lets it connect to this site only, and to hosts that you allow."</p>
            <Allowed/>
            <KeptLine/>
            <p>
                "What you choose is kept in this browser for your next visit. "
                <button id="forget-settings" type="button" class="quiet" on:click=move |_| settings::forget(state)>"Back to the usual settings"</button>
            </p>
            <p><a id="licences" href="licences.txt">"Licences of all that this page is made of"</a></p>
        </footer>
    }
}

#[component]
fn Brand() -> impl IntoView {
    view! {
        <span class="brand-name">"Fairbits"</span>
        <span class="brand-line">"Which languages pay when a language model is quantized?"</span>
    }
}

/// `#allowed`: hosts that the person has allowed, each with a button that takes it back.
#[component]
fn Allowed() -> impl IntoView {
    let allowed = consent::allowed();
    (!allowed.is_empty()).then(|| view! {
        <ul id="allowed" class="row">
            {allowed.into_iter().map(|origin| {
                let label = format!("No longer allow {}", consent::host(&origin));
                view! { <li><button type="button" class="quiet" on:click=move |_| consent::forbid(&origin)>{label}</button></li> }
            }).collect_view()}
        </ul>
    })
}

/// Whether the page works without a network, and whether a newer version waits.
#[component]
fn KeptLine() -> impl IntoView {
    let state: State = expect_context();
    let word = move || match state.kept.get() {
        OfflineCopy::Nothing => "nothing",
        OfflineCopy::All => "all",
        OfflineCopy::Newer => "newer",
    };
    let text = move || match state.kept.get() {
        OfflineCopy::Nothing => "",
        OfflineCopy::All => {
            "The page, its default model and its texts are kept in this browser and work without a network."
        }
        OfflineCopy::Newer => "A new version of this page is there.",
    };
    view! {
        <p id="kept" data-state=word role="status">{text}</p>
        <Show when=move || state.kept.get() == OfflineCopy::Newer>
            <button id="newer" type="button" on:click=|_| offline::take_newer()>"Load the new version"</button>
        </Show>
    }
}

#[component]
fn NotFound(path: String) -> impl IntoView {
    view! {
        <section class="lost">
            <h1>"There is no such page"</h1>
            <p>"The link names “" {path} "”. There are:"</p>
            <ul>
                {pages::all().map(|(path, title, measures)| view! {
                    <li><a href=format!("#/{path}")>{title}</a> ", which measures " {measures}</li>
                }).collect_view()}
            </ul>
        </section>
    }
}

fn focus_main() {
    use wasm_bindgen::JsCast;
    if let Some(main) = document().get_element_by_id("main") {
        // An element of the page that has tabindex takes focus.
        let _ = main.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}
