//! What every page of the lab looks like: choose on the left, read on the right.

use std::sync::Arc;

use leptos::prelude::*;

use super::{model::ModelPanel, run::RunBar};
use crate::protocol::{Config, Kind, Report};
use crate::ui::state::State;

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
    /// The result of a run: its number, its report, and the seconds it took.
    result: fn(u64, Arc<R>, f64) -> AnyView,
    /// What the page measures; it stands where the result will be.
    before: fn() -> AnyView,
    /// What stands below either.
    #[prop(optional)]
    below: Option<fn() -> AnyView>,
    /// Panels of choices.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView
where
    R: Clone + Send + Sync + 'static,
    for<'a> &'a R: TryFrom<&'a Report>,
{
    let state: State = expect_context();
    let finished = move || {
        let finished = state.finished(kind)?;
        let report = <&R>::try_from(&*finished.report).ok()?.clone();
        Some(result(finished.id, Arc::new(report), finished.seconds))
    };
    view! {
        <h1 class="unseen-text">{title}</h1>
        <div class="lab">
            <div class="choose">
                <ModelPanel/>
                {children.map(|children| children())}
                <RunBar chosen hint/>
            </div>
            <div class="read">
                {finished}
                <Show when=move || state.finished(kind).is_none()>
                    <section class="panel before" aria-labelledby="before-heading">
                        <h2 id="before-heading">"What this page measures"</h2>
                        {before()}
                    </section>
                </Show>
                {below.map(|below| below())}
            </div>
        </div>
    }
}
