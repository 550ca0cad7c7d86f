//! The page without a network: a service worker keeps its files, the default model and the texts.

use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ServiceWorker, ServiceWorkerContainer, ServiceWorkerRegistration, ServiceWorkerState};

use super::state::State;

/// Written by `cargo xtask build`.
const SCRIPT: &str = "offline.js";
/// The word on which a newer service worker takes over.
const TAKE_OVER: &str = "take over";

/// What is known of the files kept in this browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfflineCopy {
    /// Nothing is, or not yet.
    Nothing,
    /// All that the page needs.
    All,
    /// A newer version too, which waits for the page to be loaded again.
    Newer,
}

/// Keeps the page. A host without the script, or a browser that keeps nothing, leaves everything as it is.
pub fn keep(state: State) {
    leptos::task::spawn_local(async move {
        if let Err(reason) = register(state).await {
            leptos::logging::log!("the page is not kept for use without a network: {reason:?}");
        }
    });
}

/// Takes the newer version, in this and every other tab.
pub fn take_newer() {
    let Some(container) = container() else { return };
    leptos::task::spawn_local(async move {
        EventListener::once(&container, "controllerchange", |_| drop(window().location().reload())).forget();
        let registration = JsFuture::from(container.get_registration()).await;
        let waiting = registration.ok().and_then(|found| found.dyn_into::<ServiceWorkerRegistration>().ok()?.waiting());
        match waiting {
            Some(waiting) => drop(waiting.post_message(&JsValue::from_str(TAKE_OVER))),
            None => drop(window().location().reload()),
        }
    });
}

/// None where the page came over an insecure connection.
fn container() -> Option<ServiceWorkerContainer> {
    let navigator = window().navigator();
    let there = js_sys::Reflect::get(&navigator, &"serviceWorker".into()).is_ok_and(|found| !found.is_undefined());
    there.then(|| navigator.service_worker())
}

async fn register(state: State) -> Result<(), JsValue> {
    let container = container().ok_or("this browser has no service workers here")?;
    let registration: ServiceWorkerRegistration = JsFuture::from(container.register(SCRIPT)).await?.unchecked_into();
    if registration.active().is_some() {
        state.kept.set(OfflineCopy::All);
    }
    if registration.waiting().is_some() {
        state.kept.set(OfflineCopy::Newer);
    }
    if let Some(installing) = registration.installing() {
        follow(state, &container, installing);
    }
    let found = registration.clone();
    EventListener::new(&registration, "updatefound", move |_| {
        if let Some(installing) = found.installing() {
            follow(state, &container, installing);
        }
    })
    .forget();
    Ok(())
}

/// Says what came of a service worker that is being installed.
fn follow(state: State, container: &ServiceWorkerContainer, installing: ServiceWorker) {
    // Without one that serves this page already, the new one is the first.
    let first = container.controller().is_none();
    let worker = installing.clone();
    EventListener::new(&installing, "statechange", move |_| match worker.state() {
        ServiceWorkerState::Installed if !first => state.kept.set(OfflineCopy::Newer),
        ServiceWorkerState::Activated if first => state.kept.set(OfflineCopy::All),
        _ => {}
    })
    .forget();
}
