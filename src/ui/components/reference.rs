//! One of the chosen languages, that the others are held against.

use leptos::prelude::*;

use crate::ui::state::State;

/// The list of chosen languages.
#[component]
pub fn ReferenceField(
    /// What the language is for on this page.
    label: &'static str,
) -> impl IntoView {
    let state: State = expect_context();
    let offered = Memo::new(move |_| {
        let chosen = state.choices.with(|choices| choices.languages.clone());
        let languages = state.corpus().map(|corpus| corpus.languages).unwrap_or_default();
        let chosen = languages.into_iter().filter(|language| chosen.contains(&language.code));
        chosen.map(|language| (language.code, language.name)).collect::<Vec<_>>()
    });
    view! {
        <label class="field" for="reference">{label}</label>
        <select id="reference" on:change=move |ev| {
            let code = event_target_value(&ev);
            state.choices.update(|choices| choices.reference = code);
        }>
            {move || offered.get().into_iter().map(|(code, name)| {
                let own = code.clone();
                view! { <option value=code prop:selected=move || state.choices.with(|choices| choices.reference == own)>{name}</option> }
            }).collect_view()}
        </select>
    }
}
