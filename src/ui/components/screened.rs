//! All models that were screened in this browser, side by side.

use leptos::prelude::*;

use super::save::Stem;
use super::table::SortableTable;
use crate::lab::screening::{Config, ScreenedModels, across_table, comparison, models_table};
use crate::lab::thresholds::{HEAVY, LIGHT};
use crate::state::State;

/// `#models`, `#across`, `#forget` and `#forget-all`.
#[component]
pub fn ModelsPanel() -> impl IntoView {
    let state: State = expect_context();
    provide_context(Stem(crate::report::file_stem("models")));
    let (screened, fault) = (state.models.screened, state.models.fault);
    let bounds = Memo::new(move |_| {
        let (light, heavy) = (state.settings.get(Config::KEYS.light), state.settings.get(Config::KEYS.heavy));
        if light < heavy { (light, heavy) } else { (LIGHT, HEAVY) }
    });
    let tables = move || {
        screened.with(|screened| {
            let (entries, (light, heavy)) = (screened.entries(), bounds.get());
            if entries.is_empty() {
                return view! {
                    <p class="note">"None yet. Every model that is screened here, and every screening that is read from a file, is added; it stays in this browser and goes nowhere else."</p>
                }
                .into_any();
            }
            let said = comparison(entries).unwrap_or_else(|| {
                "Models are compared once two of them have been asked the same: load another, or read a saved screening.".into()
            });
            view! {
                <p id="comparison" class="note">{said}</p>
                <SortableTable id="across" label="What the models say of the claims together" table=across_table(entries, light, heavy)/>
                <SortableTable id="models" label="Models and their designs" table=models_table(entries) sorted_by=Some(("max_kurtosis", true))/>
                <Forget/>
            }
            .into_any()
        })
    };
    view! {
        <section class="panel" aria-labelledby="models-heading">
            <h2 id="models-heading">"Models screened in this browser"</h2>
            {move || fault.get().map(|fault| view! {
                <p id="models-fault" class="note">{format!(
                    "What an earlier visit kept of models cannot be used, so the table begins anew. {fault} Screen the models again, or read screenings that were saved."
                )}</p>
            })}
            {tables}
        </section>
    }
}

/// Takes one model or all out of the table.
#[component]
fn Forget() -> impl IntoView {
    let state: State = expect_context();
    let models = state.models;
    let choice = RwSignal::new(0usize);
    let named = move || {
        models.screened.with(|screened| {
            let name = |entry: &crate::lab::screening::ModelEntry| {
                format!("{}, {} bits", entry.model, entry.setting.bits.get())
            };
            screened.entries().iter().map(name).enumerate().collect::<Vec<_>>()
        })
    };
    view! {
        <div class="picks">
            <div>
                <label class="field" for="forget-which">"Forget"</label>
                <select id="forget-which" on:change=move |ev| choice.set(event_target_value(&ev).parse().unwrap_or(0))>
                    {move || named().into_iter().map(|(at, name)| view! { <option value=at.to_string()>{name}</option> }).collect_view()}
                </select>
            </div>
            <div class="row">
                <button id="forget" type="button" on:click=move |_| models.change(|screened| screened.remove(choice.get_untracked()))>"This one"</button>
                <button id="forget-all" class="quiet" type="button" on:click=move |_| models.change(|screened| *screened = ScreenedModels::default())>"All of them"</button>
            </div>
        </div>
    }
}
