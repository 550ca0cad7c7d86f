//! What rounding does to one matrix: before, after, and the difference.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    footnotes::Footnotes,
    lab::LabShell,
    matrix::MatrixView,
    quantization::Rounding,
    select::{Select, offers, places},
    setting::{Field, placed},
    term::Prose,
};
use crate::lab::matrix::{self, Config, Report};
use crate::protocol::{Config as AnyConfig, Kind};
use crate::report::labels;
use crate::state::{Model, State};

/// The page `#/matrix`.
pub fn view() -> AnyView {
    let state: State = expect_context();
    let parts = Memo::new(move |_| match state.model.get() {
        Model::Loaded(loaded) => loaded.parts.clone(),
        _ => Vec::new(),
    });
    // A part that the model does not have gives way to the first that it has; a link says which one it means.
    let part = Memo::new(move |_| {
        let chosen = state.settings.get(Config::KEYS.part);
        parts.with(|parts| if parts.contains(&chosen) { chosen } else { parts.first().copied().unwrap_or(chosen) })
    });
    let chosen = Signal::derive(move || {
        let wanted = state.wanted(Kind::Matrix)?;
        Ok(match wanted {
            AnyConfig::Matrix(config) => Config { part: part.get(), ..config }.into(),
            other => other,
        })
    });
    // Another matrix is seen whole.
    let whole = move || state.settings.set(Config::KEYS.window, None);

    let hint = Signal::derive(|| "One matrix is read and rounded; no text is read.".to_string());
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What does rounding do to a matrix?" kind=Kind::Matrix chosen hint result before>
            <section class="panel" aria-labelledby="matrix-heading">
                <h2 id="matrix-heading">"Matrix"</h2>
                {placed(Config::KEYS.layer)}
                <Select
                    id="layer"
                    label="Layer"
                    offered=Signal::derive(move || places((0..state.layer_count()).map(|own| own.to_string())))
                    chosen=Signal::derive(move || state.settings.get(Config::KEYS.layer))
                    choose=move |own| {
                        state.settings.set(Config::KEYS.layer, own);
                        whole();
                    }
                />
                <Select
                    id="part"
                    label="Matrix"
                    offered=Signal::derive(move || offers(parts.get(), labels::part_key, labels::part))
                    chosen=part
                    choose=move |own| {
                        state.settings.set(Config::KEYS.part, own);
                        whole();
                    }
                />
                <Field key=Config::KEYS.shown/>
            </section>
            <Rounding/>
        </LabShell>
    }
    .into_any()
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let notes = matrix::footnotes(&report);
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">{matrix::title(&report)}</h2>
            <p id="sentence" class="sentence" aria-live="polite">{matrix::sentence(&report)}</p>
            <MatrixView report/>
            <Footnotes notes/>
        </section>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="A layer of the model is a few matrices of numbers. Each number says how strongly an input channel (a row) pulls an output channel (a column). [Quantization] replaces every number by the nearest of a few values between −[α] and α."/>
        </p>
        <p>
            "This page shows one matrix as a picture: before rounding, after it, and the difference between the two. Where rounding left no choice but zero, the picture is empty; where a number was cut off at α, the difference stands out."
        </p>
        <p>"Choose a matrix and press Run. Then click into the picture to look closer, and try other numbers of bits above it."</p>
    }
    .into_any()
}
