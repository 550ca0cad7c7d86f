//! What the page tells about long work outside its own text: how far it is in the title of the window, a question before the tab closes,
//! and a notification at its end.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Notification, NotificationOptions, NotificationPermission};

use super::browser;
use super::pages;
use super::route::Route;
use super::state::{Run, State};
use crate::protocol::Progress;
use crate::share;

/// Under which name it is kept that the person wants to be told.
const NOTIFY: &str = "fairbits-notify";

/// Something is under way that the person asked for and would lose.
fn at_work(state: State) -> bool {
    state.running() || state.queue.with(|queue| queue.going())
}

/// Keeps the window's title, asks before the tab closes on a run, and tells at its end where that is wanted and the page is out
/// of sight.
pub fn follow(state: State) {
    let title = Memo::new(move |_| match (percent(state), state.route.with(Route::title)) {
        (Some(percent), title) => format!("{percent}% · {title}"),
        (None, title) => title,
    });
    Effect::new(move |_| document().set_title(&title.get()));
    let listener = window_event_listener(leptos::ev::beforeunload, move |ev| {
        if untrack(|| at_work(state)) {
            ev.prevent_default();
            // Browsers show a sentence of their own; older ones ask only where there is one.
            ev.set_return_value("A run is under way.");
        }
    });
    on_cleanup(move || listener.remove());
    Effect::new(move |before: Option<bool>| {
        let now = at_work(state);
        if before == Some(true) && !now && wanted() && document().hidden() {
            tell(&ended(state));
        }
        now
    });
}

/// Whoever follows a link to another page begins at its top; whoever goes back is where they were, as browsers do it by themselves.
pub fn begin_at_the_top(page: Memo<Route>) {
    let followed = StoredValue::new(false);
    let listener = window_event_listener(leptos::ev::click, move |ev| {
        let element = ev.target().and_then(|target| target.dyn_into::<Element>().ok());
        let link = element.and_then(|element| element.closest("a[href^='#/']").ok().flatten());
        followed.set_value(link.is_some());
    });
    on_cleanup(move || listener.remove());
    Effect::new(move |before: Option<()>| {
        page.track();
        if before.is_some() && followed.get_value() {
            followed.set_value(false);
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    });
}

/// How far the person's own run is, in per cent.
fn percent(state: State) -> Option<usize> {
    match state.run.get() {
        Run::Running { progress: Some(Progress { done, total, .. }), .. } if state.running() => {
            Some(100 * done / total.max(1))
        }
        _ => None,
    }
}

fn ended(state: State) -> String {
    if let Some(error) = state.error.get_untracked() {
        return error;
    }
    let kind = state.running_config.with_untracked(|config| config.as_ref().map(|config| config.kind()));
    let page = kind.and_then(|kind| pages::LAB.iter().find(|page| page.path == share::page(kind)));
    page.map_or_else(String::new, |page| format!("{} is measured.", page.title))
}

/// Whether this browser can notify at all.
pub fn possible() -> bool {
    js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or(false)
}

/// Whether the person wants to be told, and the browser lets the page.
pub fn wanted() -> bool {
    possible() && Notification::permission() == NotificationPermission::Granted && browser::kept(NOTIFY).is_some()
}

/// Turns it on, after asking the browser, or off; says whether it is on now.
pub async fn set_wanted(on: bool) -> bool {
    if on
        && possible()
        && let Ok(asked) = Notification::request_permission()
    {
        // What was answered shows in the permission itself.
        let _ = JsFuture::from(asked).await;
    }
    browser::keep(NOTIFY, if on { "1" } else { "" });
    wanted()
}

fn tell(body: &str) {
    let options = NotificationOptions::new();
    options.set_body(body);
    // On a phone only a service worker may notify; there the page says it when it is looked at again.
    let _: Result<Notification, JsValue> = Notification::new_with_options("Fairbits", &options);
}
