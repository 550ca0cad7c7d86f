//! A link that was opened: what it will do, and what came of it.

use leptos::prelude::*;

use crate::client::Client;
use crate::consent::{self, Asking, elsewhere};
use crate::cost_estimate;
use crate::links::{Opened, Stage};
use crate::pages;
use crate::protocol::{How, Needs, is_cpu};
use crate::report::{format, labels};
use crate::share::{self, Difference, Figure, Run, Verdict};
use crate::state::{Engine, Model, State};

/// `#opened`; `data-state` is `asking`, `waiting`, `running`, `done` or `stopped`.
#[component]
pub fn OpenedPanel() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let agree = move |_| {
        if let Some(opened) = state.opened.get_untracked() {
            let url = opened.link.run.model.as_ref().map(|model| model.place.to_string()).unwrap_or_default();
            if let Some(origin) = untrack(|| elsewhere(state, &url)).filter(|origin| !consent::is_allowed(origin)) {
                return consent::allow(state, &Asking { origin, url });
            }
            // What asks of the weights alone also runs where the model is too large to be held.
            let light = opened.link.run.config.needs() == Needs::Weights;
            let how = if light { How::Weights } else { How::Whole };
            client.load_as(&url, how);
            state.opened.set(Some(Opened { stage: Stage::Waiting, ..opened }));
        }
    };
    move || {
        let Opened { link, stage, .. } = state.opened.get()?;
        let (word, said) = match &stage {
            Stage::Asking => (
                "asking",
                "Nothing is fetched before you agree. Where the page's policy does not name that host yet, the page loads once more with one that does.",
            ),
            Stage::Waiting => ("waiting", "It begins as soon as the model is in."),
            Stage::Running => ("running", "It is being computed again, here."),
            Stage::Done(_) => ("done", ""),
            Stage::Stopped => (
                "stopped",
                "It did not come to its end, so there is nothing to compare. Reload the page to try it again.",
            ),
        };
        let origin =
            link.run.model.as_ref().and_then(|model| elsewhere(state, &model.place.to_string())).unwrap_or_default();
        let host = consent::host(&origin).to_string();
        let asked = matches!(stage, Stage::Asking).then(|| view! {
            <button id="open-run" class="primary" type="button" on:click=agree>{format!("Fetch the model from {host} and run")}</button>
        });
        let verdict = match &stage {
            Stage::Done(verdict) => Some(view! { <VerdictView verdict=verdict.clone()/> }),
            _ => None,
        };
        Some(view! {
            <section id="opened" class="panel" data-state=word data-page=share::page(link.run.config.kind()) aria-labelledby="opened-heading">
                <h2 id="opened-heading">"This link"</h2>
                <p id="opened-told">{told(state, &link.run)}</p>
                {(!said.is_empty()).then(|| view! { <p class="note">{said}</p> })}
                {asked}
                {verdict}
            </section>
        })
    }
}

/// What the link does: analysis, model, bytes, time.
fn told(state: State, run: &Run) -> String {
    let page = pages::LAB.iter().find(|page| page.path == share::page(run.config.kind()));
    let title = page.map_or("", |page| page.title);
    let Some(share::Model { name, place, .. }) = &run.model else {
        return format!("It repeats the {title} analysis with all its settings, by version {}.", run.version);
    };
    let from = elsewhere(state, &place.to_string());
    let from = from.map_or_else(|| "from this site".into(), |origin| format!("from {}", consent::host(&origin)));
    let model = match state.model.get() {
        Model::Loaded(loaded) => format!("{name} ({}, {from})", format::bytes(loaded.bytes)),
        Model::Loading { total: Some(total), .. } => format!("{name} ({} to download, {from})", format::bytes(total)),
        _ => format!("{name} (to download, {from})"),
    };
    let time = match (state.model.get(), state.engine.get()) {
        (Model::Loaded(loaded), Engine::Ready { workers, .. }) => {
            let size = (loaded.parameters, loaded.layers);
            let seconds = cost_estimate::seconds(&run.config, &state.corpora.get(), size, workers);
            format!(" Roughly, it takes {}.", cost_estimate::told(seconds))
        }
        _ => String::new(),
    };
    let on = if run.digest.is_some() {
        "the CPU, where every bit is the same everywhere"
    } else if is_cpu(&run.backend) {
        "the CPU with fused products, whose rounding is not exact mode's"
    } else {
        "WebGPU, whose rounding differs from device to device"
    };
    format!(
        "It repeats the {title} analysis with all its settings on {model}. It was computed on {on}, by version {}.{time}",
        run.version
    )
}

/// `#verdict`; `data-verdict` is `exact`, `tolerance`, `differs` or `incomparable`.
#[component]
fn VerdictView(verdict: Verdict) -> impl IntoView {
    let word = match &verdict {
        Verdict::ReproducedExactly => "exact",
        Verdict::WithinTolerance { .. } => "tolerance",
        Verdict::Differs { .. } => "differs",
        Verdict::CannotCompare { .. } => "incomparable",
    };
    let first = verdict.to_string();
    let first = first.lines().next().unwrap_or_default().trim_end_matches(':').to_string();
    let rows = match verdict {
        Verdict::Differs { figures } => figures,
        _ => Vec::new(),
    };
    let table = (!rows.is_empty()).then(|| view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Figures that differ">
            <table class="figures" id="differences">
                <thead><tr><th scope="col">"Figure"</th><th scope="col">"In the link"</th><th scope="col">"Here"</th></tr></thead>
                <tbody>{rows.into_iter().map(|Difference { link, here }| view! {
                    <tr data-row=link.name.clone()>
                        <th scope="row">{link.name.clone()}</th>
                        <td class="figure">{shown(&link)}</td>
                        <td class="figure">{here.as_ref().map_or("not there".to_string(), shown)}</td>
                    </tr>
                }).collect_view()}</tbody>
            </table>
        </div>
    });
    view! {
        <p id="verdict" class="verdict" data-verdict=word role="status">{labels::as_sentence(&first)}</p>
        {table}
    }
}

/// In full: two figures may differ in their last digit.
fn shown(figure: &Figure) -> String {
    match figure.bounds {
        Some((low, high)) => format!("{} [{low}, {high}]", figure.value),
        None => figure.value.to_string(),
    }
}
