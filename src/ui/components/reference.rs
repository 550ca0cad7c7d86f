//! One of the chosen languages, that the others are held against.

use leptos::prelude::*;

use super::select::Select;
use crate::lab::settings::{REFERENCE, Texts};
use crate::state::State;

/// The list of chosen languages.
#[component]
pub fn ReferenceField(
    /// What the language is for on this page.
    label: &'static str,
) -> impl IntoView {
    let state: State = expect_context();
    let offered = Memo::new(move |_| {
        let chosen = state.settings.get(Texts::KEYS.languages);
        let languages = state.corpus().map(|corpus| corpus.languages).unwrap_or_default();
        let chosen = languages.into_iter().filter(|language| chosen.contains(&language.code));
        chosen.map(|language| (language.code.clone(), language.name, language.code)).collect::<Vec<_>>()
    });
    let chosen = Signal::derive(move || state.settings.get(REFERENCE));
    let choose = move |code| state.settings.set(REFERENCE, code);
    view! { <Select id="reference" label offered chosen choose/> }
}
