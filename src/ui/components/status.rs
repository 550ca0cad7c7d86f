//! The status line, and what failed.

use leptos::prelude::*;

use crate::browser;
use crate::client::Client;
use crate::consent;
use crate::pages::LAB;
use crate::protocol::FUSED;
use crate::report::{format, labels};
use crate::route::Route;
use crate::state::{Engine, State};

/// Names the backend in use and why, and the number of workers.
#[component]
pub fn StatusLine() -> impl IntoView {
    let state: State = expect_context();
    let word = move || match state.engine.get() {
        Engine::Starting | Engine::Opening { .. } => "starting",
        Engine::Late => "late",
        Engine::Ready { .. } => "ready",
        Engine::Stopped => "stopped",
    };
    let text = move || match state.engine.get() {
        Engine::Starting => "The engine is starting.".to_string(),
        Engine::Opening { done, total } => {
            format!("The engine is starting: WebGPU kernels are compiled and checked, {done} of {total}.")
        }
        Engine::Late => "The engine has not answered yet.".into(),
        Engine::Stopped => "The engine is not running; reload the page to start it.".into(),
        Engine::Ready { backend, why, workers } => {
            let members = format::counted(workers as u64, "worker");
            let place = match &backend[..] {
                FUSED => "CPU, fused products,".to_string(),
                other => other.to_uppercase(),
            };
            format!("Computing on {place} with {members}. {}", labels::as_sentence(&why))
        }
    };
    view! {
        <div class="status" id="status" role="status" data-state=word>
            <span class="lamp" aria-hidden="true"></span>
            <span>{text}</span>
        </div>
    }
}

/// `#asking`: a host that the page may not fetch from, with `#allow` and `#allow-not`.
#[component]
pub fn AskingPanel() -> impl IntoView {
    let state: State = expect_context();
    move || {
        let asking = state.asking.get()?;
        let host = consent::host(&asking.origin).to_string();
        let allow = move |_| {
            // The address may carry a run that was made before, which is not what the person wants next.
            if let Route::Lab { page, .. } = state.route.get_untracked() {
                browser::step(&format!("#/{}", LAB[page].path));
            }
            consent::allow(state, &asking);
        };
        Some(view! {
            <section id="asking" class="panel" role="alertdialog" aria-labelledby="asking-heading" aria-describedby="asking-told">
                <h2 id="asking-heading">{format!("May this page fetch from {host}?")}</h2>
                <p id="asking-told">
                    {format!("The model lies on {host}. So far this page may connect to its own site only, and the browser holds it to that. \
                              If you allow it, the page loads once more and then asks {host} for the model's files; nothing that you choose \
                              or measure is sent. You can take it back at the foot of the page.")}
                </p>
                <div class="row">
                    <button id="allow" class="primary" type="button" on:click=allow>{format!("Allow {host} and go on")}</button>
                    <button id="allow-not" type="button" on:click=move |_| state.asking.set(None)>"Not now"</button>
                </div>
            </section>
        })
    }
}

/// What failed, and what was started again. The page stays usable below.
#[component]
pub fn Alerts() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let retry = move || state.lost().filter(|_| matches!(state.route.get(), Route::Lab { .. }));
    view! {
        <div class="alert" class:empty=move || state.error.get().is_none()>
            <p id="error" role="alert">{move || state.error.get().unwrap_or_default()}</p>
            <div class="alert-actions">
                {move || retry().map(|url| view! {
                    <button id="retry" type="button" on:click=move |_| client.load_again(&url)>"Try again"</button>
                })}
                <button id="dismiss" type="button" on:click=move |_| state.error.set(None)>"Dismiss"</button>
            </div>
        </div>
        <div class="notice" class:empty=move || state.notice.get().is_none() && !state.silent.get()>
            <p id="notice" role="status">
                {move || if state.silent.get() {
                    "The engine should be at work and has not answered for 20 seconds. Wait, or start it again; what it is doing is then lost.".to_string()
                } else {
                    state.notice.get().unwrap_or_default()
                }}
            </p>
            <div class="alert-actions">
                {move || if state.silent.get() {
                    view! {
                        <button id="restart" type="button" on:click=move |_| client.restart()>"Start it again"</button>
                    }.into_any()
                } else {
                    view! { <button type="button" on:click=move |_| state.notice.set(None)>"Dismiss"</button> }.into_any()
                }}
            </div>
        </div>
    }
}
