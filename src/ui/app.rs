//! The shell: header, pages by fragment, status, what failed.

use leptos::prelude::*;

use super::browser;
use super::client::{Client, Plan};
use super::components::status::{Alerts, StatusLine};
use super::pages::{self, LAB, bench::BenchPage};
use super::route::{Asked, Route};
use super::state::State;

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

    // Pages of the lab share one engine and its model; only another engine asked for, or Bench, starts it afresh.
    Effect::new(move |lab: Option<Option<Asked>>| match state.route.get() {
        Route::Lab { asked, .. } => {
            if lab.flatten() != Some(asked) {
                state.error.set(None);
                client.start(asked, Plan::Lab { model: state.model_url.get_untracked() });
            }
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

    let here = move |path: &'static str| (state.route.with(Route::path) == Some(path)).then_some("page");
    // Another option of the same page is no reason to build it anew.
    let route = Memo::new(move |_| match state.route.get() {
        Route::Lab { page, .. } => Route::Lab { page, asked: Asked::default() },
        other => other,
    });
    view! {
        <a class="skip" href="#main" on:click=|ev| { ev.prevent_default(); focus_main(); }>"Skip to the content"</a>
        <header class="top">
            <a class="brand" href="#/">
                <span class="brand-name">"Fairbits"</span>
                <span class="brand-line">"Which languages pay when a language model is quantized?"</span>
            </a>
            <nav aria-label="Pages">
                {pages::all().map(|(path, title, _)| view! {
                    <a href=format!("#/{path}") aria-current=move || here(path)>{title}</a>
                }).collect_view()}
            </nav>
        </header>
        <StatusLine/>
        <main id="main" tabindex="-1">
            <Alerts/>
            {move || match route.get() {
                Route::Lab { page, .. } => (LAB[page].view)(),
                Route::Bench(bench) => view! { <BenchPage bench/> }.into_any(),
                Route::NotFound(path) => view! { <NotFound path/> }.into_any(),
                Route::Wrong(_) => view! { <p class="lost"><a href="#/">"To the start page"</a></p> }.into_any(),
            }}
        </main>
        <footer class="bottom">
            <p>"Everything is computed on this machine; nothing you choose or measure leaves it."</p>
        </footer>
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
