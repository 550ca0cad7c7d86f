//! Which weights a chart is of, as a choice.

use leptos::prelude::*;

use crate::report::scope::Scope;

/// A select of layers and matrices, with the whole model where it is offered.
#[component]
pub fn ScopeSelect(
    /// Id of the select.
    id: &'static str,
    /// Layers of the model.
    layers: usize,
    /// Whether the whole model can be chosen.
    whole: bool,
    /// What is chosen.
    scope: RwSignal<Scope>,
) -> impl IntoView {
    let offered = move || Scope::all(layers).filter(move |scope| whole || *scope != Scope::Model);
    view! {
        <div>
            <label class="field" for=id>"Weights of"</label>
            <select id=id on:change=move |ev| {
                let key = event_target_value(&ev);
                if let Some(chosen) = offered().find(|scope| scope.key() == key) {
                    scope.set(chosen);
                }
            }>
                {offered().map(|own| view! {
                    <option value=own.key() prop:selected=move || scope.get() == own>{own.title()}</option>
                }).collect_view()}
            </select>
        </div>
    }
}
