//! A symbol with its note: its definition and its equation, on hover, focus and tap; Escape closes it.

use std::cell::Cell;

use leptos::html;
use leptos::prelude::*;

use crate::report::glossary::{self, Entry, Piece};

/// Widest note, in pixels, and its distance from the window's edge.
const WIDEST: f64 = 340.0;
const EDGE: f64 = 8.0;
/// A note that has less room than this below its symbol stands above it.
const ROOM: f64 = 240.0;

thread_local! {
    /// Numbers the notes of a page.
    static NOTES: Cell<u32> = const { Cell::new(0) };
}

/// A text whose marked symbols have their notes.
#[component]
pub fn Prose(
    /// See [`glossary`].
    text: &'static str,
) -> impl IntoView {
    glossary::split(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Words(words) => words.into_any(),
            Piece::Term(name, _) => view! { <Term name=name/> }.into_any(),
        })
        .collect_view()
}

/// A symbol with its note; plain words where the glossary has none.
#[component]
pub fn Term(
    /// Any of its names.
    name: &'static str,
) -> impl IntoView {
    let Some(entry) = glossary::find(name) else { return name.into_any() };
    let number = NOTES.replace(NOTES.get() + 1);
    let id = format!("note-{number}");
    view! {
        <Noted entry=Some(entry) id=id.clone()>
            <button type="button" class="term" aria-describedby=id>{name}</button>
        </Noted>
    }
    .into_any()
}

/// Where a note stands: left, and the distance from the window's top or bottom.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    left: f64,
    top: Option<f64>,
    bottom: Option<f64>,
}

/// A button, as its child, with the note of an entry; without one it is the child alone.
#[component]
pub fn Noted(
    /// What the note says.
    entry: Option<&'static Entry>,
    /// What the symbol means here, before its definition.
    #[prop(optional)]
    here: &'static str,
    /// Id of the note, which the button names as its description.
    id: String,
    /// The button.
    children: Children,
) -> impl IntoView {
    let Some(entry) = entry else { return children().into_any() };
    let frame: NodeRef<html::Span> = NodeRef::new();
    let place = RwSignal::new(None::<Place>);
    let show = move || place.set(frame.get_untracked().map(|frame| beside(&frame.get_bounding_client_rect())));
    let hide = move || place.set(None);
    let pixels = |of: Option<f64>| of.map(|of| format!("{of}px"));
    view! {
        <span
            class="noted"
            node_ref=frame
            on:pointerenter=move |_| show()
            on:pointerleave=move |_| hide()
            on:focusin=move |_| show()
            on:focusout=move |_| hide()
            on:click=move |_| show()
            on:keydown=move |ev| if ev.key() == "Escape" && place.get_untracked().is_some() {
                ev.stop_propagation();
                hide();
            }
        >
            {children()}
            <span
                id=id
                class="note-card"
                role="tooltip"
                hidden=move || place.get().is_none()
                style:left=move || pixels(place.get().map(|place| place.left))
                style:top=move || pixels(place.get().and_then(|place| place.top))
                style:bottom=move || pixels(place.get().and_then(|place| place.bottom))
            >
                // Made when it is wanted: a page has dozens of symbols.
                {move || place.get().map(|_| view! {
                    <strong>{entry.symbol()} " · " {entry.title}</strong>
                    {(!here.is_empty()).then(|| view! { <span>{here} ". "</span> })}
                    <span>{entry.words}</span>
                    <span class="equation" inner_html=entry.mathml()></span>
                })}
            </span>
        </span>
    }
    .into_any()
}

/// Below what it explains where there is room, else above; never beyond the window's edge.
fn beside(of: &web_sys::DomRect) -> Place {
    let side =
        |of: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| of.ok().and_then(|px| px.as_f64()).unwrap_or(0.0);
    let (width, height) = (side(window().inner_width()), side(window().inner_height()));
    let left = of.left().min(width - WIDEST.min(width - 2.0 * EDGE) - EDGE).max(EDGE);
    match height - of.bottom() {
        below if below < ROOM && of.top() > below => Place { left, top: None, bottom: Some(height - of.top()) },
        _ => Place { left, top: Some(of.bottom()), bottom: None },
    }
}
