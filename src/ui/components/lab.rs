//! What every page of the lab looks like: choose on the left, read on the right.

use std::sync::Arc;

use leptos::prelude::*;

use super::{
    import::Import,
    model::ModelPanel,
    opened::OpenedPanel,
    quick::QuickBar,
    run::RunBar,
    save::{SaveReport, Stem, Unfolded},
    setting::{Placed, Rest},
    share::SharePanel,
};
use crate::browser;
use crate::client::Client;
use crate::freshness::{Freshness, freshness};
use crate::lab;
use crate::lab::settings::Texts;
use crate::links::link_of;
use crate::protocol::{Config, Kind, Report};
use crate::report::{Bits, format};
use crate::share::View;
use crate::state::{Finished, Run, State};

/// A page of the lab around one analysis, whose report is an `R`. Its children are the panels of choices between the
/// model and the Run button.
#[component]
pub fn LabShell<R>(
    /// The question of the page.
    title: &'static str,
    /// Which analysis it runs.
    kind: Kind,
    /// What to run, or what is wrong with the choices, as a sentence.
    #[prop(into)]
    chosen: Signal<Result<Config, String>>,
    /// What a run will do, as a sentence.
    #[prop(into)]
    hint: Signal<String>,
    /// The result of a run: its number and its report, of a long one the first.
    result: fn(u64, Arc<R>) -> AnyView,
    /// What the page measures; it stands where the result will be.
    before: fn() -> AnyView,
    /// What stands below either.
    #[prop(optional)]
    below: Option<fn() -> AnyView>,
    /// Whether the page needs no model: then none can be chosen here.
    #[prop(optional)]
    without_model: bool,
    /// Panels of choices.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView
where
    R: Clone + Send + Sync + 'static,
    for<'a> &'a R: TryFrom<&'a Report>,
{
    let state: State = expect_context();
    provide_context(Unfolded(RwSignal::new(false)));
    provide_context(Placed::new(kind));
    // A long run sends one report after another; its page takes them in place.
    let id = Memo::new(move |_| state.finished(kind).map(|finished| finished.id));
    let finished = move || {
        let id = id.get()?;
        let finished = untrack(|| state.finished(kind))?;
        let report = <&R>::try_from(&*finished.report).ok()?.clone();
        provide_context(Stem(lab::stem(&finished.report)));
        Some(result(id, Arc::new(report)))
    };
    let quick = move || id.get().is_some_and(|id| state.is_quick(id));
    let keep = move || {
        let finished = state.finished(kind)?;
        provide_context(Stem(lab::stem(&finished.report)));
        Some(view! { <Keep finished/> })
    };
    let client: Client = expect_context();
    let rerun = move |_| {
        if let Ok(config) = chosen.get_untracked() {
            client.run_in_turn(config);
        }
    };
    view! {
        <h1 class="unseen-text">{title}</h1>
        <OpenedPanel/>
        <div class="lab">
            <div id="choose" class="choose">
                {(!without_model).then(|| view! { <ModelPanel/> })}
                {children.map(|children| children())}
                <Rest/>
                <RunBar chosen hint without_model/>
                <Import/>
            </div>
            <div class="read">
                // On a small screen the result comes first, and what is chosen after it.
                <button id="to-choices" class="narrow-only" type="button" on:click=|_| browser::show("choose")>"Choose and run"</button>
                <Show when=move || freshness(state, kind) == Some(Freshness::Stale)>
                    <div id="stale" class="notice">
                        <p>"What you see was measured with other settings, or on another model, than are chosen now."</p>
                        <button id="rerun" type="button" disabled=move || chosen.get().is_err() on:click=rerun>"Run again"</button>
                    </div>
                </Show>
                <Show when=quick><QuickBar/></Show>
                // As high as the window: when the first result takes its place, nothing that is in sight moves.
                <Show when=move || id.get().is_none()><Before before alone=true/></Show>
                {finished}
                {keep}
                <Show when=quick><Before before alone=false/></Show>
                {below.map(|below| below())}
            </div>
        </div>
    }
}

/// What the page of an analysis would run, or what is wrong with the choices, and what that run will do: both for its [`LabShell`].
pub fn asked<Own>(
    kind: Kind,
    told: impl Fn(&Own) -> String + Send + Sync + 'static,
) -> (Signal<Result<Config, String>>, Signal<String>)
where
    Own: 'static,
    for<'a> &'a Own: TryFrom<&'a Config>,
{
    let state: State = expect_context();
    let config = Memo::new(move |_| state.wanted(kind));
    let hint = move || {
        config
            .with(|config| config.as_ref().ok().and_then(|config| <&Own>::try_from(config).ok().map(&told)))
            .unwrap_or_default()
    };
    (config.into(), Signal::derive(hint))
}

/// How many texts are read.
pub fn counted(texts: &Texts) -> String {
    format::counted((texts.languages.len() * texts.units) as u64, "text")
}

/// What a run will do that looks at every layer in full precision and at the losses of one rounding.
pub fn sees_layers(texts: &Texts, bits: Bits) -> String {
    let texts = counted(texts);
    format!("{texts}, each read twice: in full precision, to see every layer, and at {} bits.", bits.get())
}

/// What the page measures: in place of a result, or below a quick look.
#[component]
fn Before(before: fn() -> AnyView, alone: bool) -> impl IntoView {
    let state: State = expect_context();
    let coming = move || alone && state.run.with(|run| *run != Run::Idle) && !state.running();
    view! {
        <section class="panel before" class:alone=alone aria-labelledby="before-heading">
            <h2 id="before-heading">"What this page measures"</h2>
            {before()}
            <Show when=coming>
                <p class="note" role="status">"A quick first result is being measured, and will stand here in a moment."</p>
            </Show>
        </section>
    }
}

/// Below a result: how it came about, its link, its files.
#[component]
fn Keep(finished: Finished) -> impl IntoView {
    let took = format::duration(finished.seconds);
    let came = match &finished {
        Finished { from_file: true, .. } => "This report was read from a file; nothing was computed here.".to_string(),
        Finished { partial: true, .. } => format!("So far the run took {took}."),
        _ => format!("The run took {took}."),
    };
    let (state, report): (State, _) = (expect_context(), finished.report.clone());
    let shared = !finished.partial && !finished.from_file;
    let link = shared.then(|| link_of(state, &finished, View::default()).ok()).flatten();
    let link = link.map(|link| browser::address(&link.to_string()));
    let panel = shared.then(|| view! { <SharePanel finished/> });
    view! {
        <section id="keep" class="panel" aria-labelledby="keep-heading">
            <h2 id="keep-heading">"Share and save"</h2>
            <p id="came" class="note">{came}</p>
            {panel}
            <SaveReport report link/>
        </section>
    }
}
