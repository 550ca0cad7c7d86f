//! The link to a report, and what it hides from whoever opens it.

use leptos::html;
use leptos::prelude::*;

use crate::browser;
use crate::links::{fragment, link_of};
use crate::share::View;
use crate::state::{Finished, State};

/// `#share-link` with `#share-copy`, and the choices of a teacher: `#share-bare`, `#share-pinned`.
#[component]
pub fn SharePanel(
    /// The report.
    finished: Finished,
) -> impl IntoView {
    let state: State = expect_context();
    let (bare, pinned) = (RwSignal::new(false), RwSignal::new(false));
    let copied = RwSignal::new("");
    let input: NodeRef<html::Input> = NodeRef::new();
    let link = Memo::new(move |_| {
        let view = View { bare: bare.get(), pinned: pinned.get(), ..View::default() };
        let link = link_of(state, &finished, view)?;
        Ok::<String, String>(browser::address(&state.route.with_untracked(|route| fragment(&link, route))))
    });
    let copy = move |_| {
        let Ok(text) = link.get_untracked() else { return };
        leptos::task::spawn_local(async move {
            copied.set(match browser::copy(&text).await {
                Ok(()) => "Copied.",
                Err(_) => {
                    if let Some(input) = input.get_untracked() {
                        input.select();
                    }
                    "The browser keeps its clipboard to itself: press Ctrl+C."
                }
            });
        });
    };
    let choice = move |id: &'static str, title: &'static str, of: RwSignal<bool>| {
        view! {
            <label class="check">
                <input id=id type="checkbox" prop:checked=of on:change=move |ev| { of.set(event_target_checked(&ev)); copied.set(""); }/>
                <span>{title}</span>
            </label>
        }
    };
    move || {
        match link.get() {
        Ok(text) => view! {
            <label class="field" for="share-link">"Link: whoever opens it computes this again, and is told whether it came out the same"</label>
            <div class="row">
                <input id="share-link" class="wide" type="text" readonly node_ref=input value=text/>
                <button id="share-copy" class="primary" type="button" on:click=copy>"Copy"</button>
                <span id="share-told" role="status">{copied}</span>
            </div>
            {choice("share-bare", "Hide the controls", bare)}
            {choice("share-pinned", "Only this page", pinned)}
        }
        .into_any(),
        Err(sentence) => {
            view! { <p id="share-none" class="note">{format!(
                "There is no link to this report: {sentence}. Save the report as JSON to pass it on: this page shows such a file again."
            )}</p> }
                .into_any()
        }
    }
    }
}
