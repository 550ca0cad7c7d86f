//! Ways into what a result is made of: from the weights to a matrix, from the languages to a text.

use std::{cell::Cell, sync::Arc};

use leptos::prelude::*;

use super::matrix::MatrixView;
use super::tokens::TokensView;
use crate::browser;
use crate::client::Client;
use crate::lab::{languages, matrix, tokens};
use crate::protocol::{Config, Files, Kind, Report};
use crate::quick;
use crate::state::State;

/// Texts that are offered by their numbers.
const MOST_OFFERED: usize = 40;

thread_local! {
    /// What is to have focus when the next result is there: a look replaces the elements that asked for it.
    static FOCUS: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Runs another look, and has the controls say what it looks at. Focus goes to an element of its result.
pub fn look(state: State, client: Client, config: Config, focus: &'static str) {
    if untrack(|| state.running()) {
        return;
    }
    state.settings.change(|chosen| chosen.look_at(&config));
    FOCUS.set(Some(focus));
    client.run(config);
}

/// Gives focus to what asked for the look.
pub fn wanted_focus() {
    if let Some(id) = FOCUS.take() {
        request_animation_frame(move || browser::focus(id));
    }
}

/// The matrix that was picked on the Weights page, of the same model.
#[component]
pub fn PickedMatrix(
    /// The model's files.
    model: Files,
) -> impl IntoView {
    let state: State = expect_context();
    // Other reports come and go meanwhile.
    let shown = Memo::new(move |_| {
        let finished = state.finished(Kind::Matrix)?;
        let Report::Matrix(report) = &*finished.report else { return None };
        (report.origin.files == model).then(|| Arc::new(report.clone()))
    });
    let result = move || {
        match shown.get() {
        Some(report) => view! {
            <h3>{matrix::title(&report)}</h3>
            <p class="sentence" aria-live="polite">{matrix::sentence(&report)}</p>
            <MatrixView report/>
            <p><a href="#/matrix">"On a page of its own, with its link, other rules and other grids"</a></p>
        }
        .into_any(),
        None => view! {
            <p class="note">"Click a matrix in the map above, or press Enter on it: it is shown here weight by weight, before and after rounding."</p>
        }
        .into_any(),
    }
    };
    view! { <div id="inside" class="block">{result}</div> }
}

/// Below the Languages result: any of its texts, token by token.
#[component]
pub fn PickedText(
    /// The run's number.
    id: u64,
    /// The result.
    report: Arc<languages::Report>,
    /// What a unit is called.
    unit: String,
) -> impl IntoView {
    let (state, client): (State, Client) = (expect_context(), expect_context());
    let of = StoredValue::new(report);
    let asked = move |unit: usize| {
        let chosen = state.is_quick(id).then(|| state.settings.all());
        of.with_value(|report| state.around(|around| quick::text(&report.config, chosen.as_ref(), around, unit)))
    };
    // Only what was looked at under the same settings belongs to this result.
    let shown = Memo::new(move |_| {
        let finished = state.finished(Kind::Tokens)?;
        let Report::Tokens(report) = &*finished.report else { return None };
        let same = of.with_value(|of| of.origin.files == report.origin.files);
        (same && report.config == asked(report.config.unit)).then(|| Arc::new(report.clone()))
    });
    let result = move || {
        shown.get().map(|report| {
            view! {
                <h4>{tokens::title(&report)}</h4>
                <p class="sentence" aria-live="polite">{tokens::sentence(&report)}</p>
                <TokensView report/>
                <p><a href="#/tokens">"On a page of its own, with its link and its files"</a></p>
            }
        })
    };
    let waiting =
        move || state.running() && state.running_config.with(|of| of.as_ref().map(Config::kind)) == Some(Kind::Tokens);
    let offered = of.with_value(|report| report.config.texts.units.min(MOST_OFFERED));
    let buttons = (1..=offered).map(|number| {
        let (name, pressed) = (format!("{unit} {number}"), move || {
            shown.with(|of| of.as_ref().is_some_and(|of| of.config.unit == number))
        });
        view! {
            <button
                type="button"
                data-unit=number.to_string()
                aria-label=name
                aria-pressed=move || pressed().to_string()
                disabled=move || state.running()
                on:click=move |_| look(state, client, untrack(|| asked(number)).into(), "tokens-legend")
            >{number}</button>
        }
    });
    let buttons = buttons.collect_view();
    view! {
        <section id="inside" class="block" aria-labelledby="inside-heading">
            <h3 id="inside-heading">"Look inside a text"</h3>
            <p class="note">
                {format!("Choose one {unit}: the same text in every language, each token coloured by what rounding cost it.")}
            </p>
            <div class="row numbers" role="group" aria-label=format!("Which {unit}")>{buttons}</div>
            <p class="note" role="status">{move || if waiting() { "Reading it, before and after rounding." } else { "" }}</p>
            {result}
        </section>
    }
}
