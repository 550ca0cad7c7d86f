//! One text in every language, each token coloured by what it lost.

use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use super::drilldown::{look, wanted_focus};
use super::level_name;
use super::save::save;
use crate::client::Client;
use crate::lab::tokens::{self, Report, Row};
use crate::report::chart::diverging::STEPS;
use crate::report::{format, labels};
use crate::state::State;

/// Legend, texts side by side, what the token under the pointer lost.
#[component]
pub fn TokensView(
    /// The report.
    report: Arc<Report>,
) -> impl IntoView {
    let scale = tokens::scale(&report);
    // Who loses most comes first, languages that the model never saw come last.
    let mut order: Vec<usize> = (0..report.rows.len()).collect();
    order.sort_by(|&a, &b| {
        let [a, b] = [a, b].map(|at| &report.rows[at]);
        b.language.counts().cmp(&a.language.counts()).then(tokens::lost(b).total_cmp(&tokens::lost(a)))
    });
    let texts = order.into_iter().map(|at| text(at, &report.rows[at], tokens::html(&report.rows[at], &scale)));
    let texts = texts.collect_view();
    let steps = (-STEPS..=STEPS).map(|step| {
        let value = format::fixed(scale.at(f64::from(step) / f64::from(STEPS)), 1);
        view! { <span class="token" data-tint=step.to_string()>{value}</span> }
    });
    let steps = steps.collect_view();
    let kept = StoredValue::new(report.clone());
    let shown = RwSignal::new(None::<(usize, usize)>);
    let readout = move || match shown.get() {
        Some((row, token)) => kept.with_value(|report| told(report, row, token)).unwrap_or_default(),
        None => "Point at a token, or use Tab and the arrow keys, to read its losses here.".into(),
    };
    let seen = move |target: Option<Element>| {
        if let Some(found) = target.as_ref().and_then(numbered) {
            shown.set(Some(found));
        }
    };
    Effect::new(move |_| {
        wanted_focus();
        request_animation_frame(stripe);
    });
    view! {
        <div class="row" id="tokens-legend" tabindex="-1" role="group" aria-label="Colours">
            <span class="note">"Bits that a token lost. Below zero, with a line above it, it became cheaper:"</span>
            <span class="steps-row">{steps}</span>
        </div>
        <div
            id="texts"
            class="texts"
            on:pointerover=move |ev| seen(ev.target().and_then(|target| target.dyn_into().ok()))
            on:focusin=move |ev| seen(ev.target().and_then(|target| target.dyn_into().ok()))
            on:keydown=step
        >
            {texts}
        </div>
        <p id="tokens-readout" class="readout" aria-live="polite">{readout}</p>
        <Files report/>
    }
}

/// The text in one language.
fn text(at: usize, row: &Row, markup: String) -> impl IntoView + use<> {
    let language = &row.language;
    let own = (language.endonym != language.name).then(|| {
        view! { <span class="own" lang=labels::tag(&language.code).to_string() dir=language.direction.clone()>{language.endonym.clone()}</span> }
    });
    view! {
        <section class="text" data-row=at.to_string() data-language=language.code.clone() data-level=level_name(language.resource)>
            <h3><span class="swatch" aria-hidden="true"></span>{language.name.clone()} " " {own}</h3>
            <p class="note">{tokens::heading(row)}</p>
            <p
                class="tokens"
                lang=labels::tag(&language.code).to_string()
                dir=language.direction.clone()
                tabindex="0"
                role="group"
                aria-label=format!("{}; arrow keys go from token to token", language.name)
                inner_html=markup
            ></p>
        </section>
    }
}

/// Row and group of an element: the group by its first token.
fn numbered(element: &Element) -> Option<(usize, usize)> {
    let of = |selector: &str, name: &str| element.closest(selector).ok()??.get_attribute(name)?.parse().ok();
    Some((of("[data-row]", "data-row")?, of("[data-at]", "data-at")?))
}

fn told(report: &Report, row: usize, first: usize) -> Option<String> {
    let row = report.rows.get(row)?;
    let group = tokens::groups(&row.tokens).into_iter().find(|group| group.tokens.start == first)?;
    Some(tokens::told(row, &group))
}

/// Characters that are cut into several tokens get their stripes: no rule of the style sheet could name them all.
fn stripe() {
    let Ok(all) = document().query_selector_all("#texts [data-tints]") else { return };
    for at in 0..all.length() {
        let Some(element) = all.get(at).and_then(|node| node.dyn_into::<HtmlElement>().ok()) else { continue };
        let from_right = element.closest("[dir=rtl]").is_ok_and(|text| text.is_some());
        let background = tokens::stripes(&element.get_attribute("data-tints").unwrap_or_default(), from_right);
        // Where a browser does not take it the text stays plain, and the figures are still told.
        let _ = element.style().set_property("background", &background);
    }
}

/// Arrow keys go from token to token, in the direction in which the language is written.
fn step(ev: KeyboardEvent) {
    let Some(target) = ev.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let Ok(Some(text)) = target.closest(".tokens") else { return };
    let from_right = text.get_attribute("dir").as_deref() == Some("rtl");
    let here = Some(target).filter(|target| target.has_attribute("data-at"));
    let onward = match ev.key().as_str() {
        "ArrowDown" => true,
        "ArrowUp" => false,
        "ArrowRight" => !from_right,
        "ArrowLeft" => from_right,
        "Home" => {
            ev.prevent_default();
            return focus(text.first_element_child());
        }
        "End" => {
            ev.prevent_default();
            return focus(text.last_element_child());
        }
        _ => return,
    };
    ev.prevent_default();
    focus(match here {
        None => text.first_element_child(),
        Some(here) if onward => here.next_element_sibling(),
        Some(here) => here.previous_element_sibling(),
    });
}

fn focus(element: Option<Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // A token of the page has tabindex and takes focus.
        let _ = element.focus();
    }
}

/// The text before and after this one, and every token as a file.
#[component]
fn Files(report: Arc<Report>) -> impl IntoView {
    let (state, client): (State, Client) = (expect_context(), expect_context());
    let corpus = report.config.corpus.clone();
    let units = state.corpora.with_untracked(|corpora| {
        corpora.iter().find(|card| card.name == corpus).map_or(report.config.unit, |card| card.units)
    });
    let other = |unit: Option<usize>, id: &'static str, words: &str| {
        let unit = unit.filter(|unit| (1..=units).contains(unit))?;
        let config = tokens::Config { unit, ..report.config.clone() };
        let title = format!("{words} {} {unit}", report.unit);
        Some(view! {
            <button id=id type="button" disabled=move || state.running() on:click=move |_| look(state, client, config.clone().into(), id)>
                {title}
            </button>
        })
    };
    let before = other(report.config.unit.checked_sub(1), "unit-before", "Back to");
    let after = other(Some(report.config.unit + 1), "unit-after", "On to");
    let name = format!("{}.csv", tokens::file_stem(&report));
    view! {
        <div class="row files">
            {before}
            {after}
            <button id="tokens-csv" type="button" on:click=move |_| {
                save(state, &name, "text/csv;charset=utf-8", &tokens::tokens_table(&report).csv());
            }>"Every token as CSV"</button>
        </div>
    }
}
