//! Which weights a chart is of, as a choice.

use leptos::prelude::*;

use crate::report::{Part, scope::Scope};

/// A select of layers and matrices, with the whole model where it is offered.
#[component]
pub fn ScopeSelect(
    /// Id of the select.
    id: &'static str,
    /// Weight matrices of the model: layers and parts.
    matrices: Vec<(usize, Part)>,
    /// Whether the whole model can be chosen.
    whole: bool,
    /// What is chosen.
    scope: RwSignal<Scope>,
) -> impl IntoView {
    let offered: Vec<Scope> = Scope::all(&matrices).filter(|scope| whole || *scope != Scope::Model).collect();
    let options = offered.clone();
    view! {
        <div>
            <label class="field" for=id>"Weights of"</label>
            <select id=id on:change=move |ev| {
                let key = event_target_value(&ev);
                if let Some(chosen) = offered.iter().copied().find(|scope| scope.key() == key) {
                    scope.set(chosen);
                }
            }>
                {options.into_iter().map(|own| view! {
                    <option value=own.key() prop:selected=move || scope.get() == own>{own.title()}</option>
                }).collect_view()}
            </select>
        </div>
    }
}
