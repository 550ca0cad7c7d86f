//! The choices of the search over protection sets: what is protected, how many layers, and what else is tried.

use leptos::prelude::*;

use super::setting::Field;
use crate::lab::gateway::{Branch, Config, Family, MOST_LAYERS_FOR_ALL};
use crate::report::format;
use crate::state::State;

/// What is protected, and which sets are tried.
#[component]
pub fn GatewayPanel(
    /// Of the model; 0 while there is none.
    layers: Memo<usize>,
) -> impl IntoView {
    let settings = expect_context::<State>().settings;
    let keys = Config::KEYS;
    view! {
        <section class="panel" aria-labelledby="gateway-heading">
            <h2 id="gateway-heading">"Protection"</h2>
            <Field key=keys.protects/>
            <Field key=keys.rounded_table/>
            <p class="note">
                {move || if settings.get(keys.rounded_table) {
                    "Token table and head are rounded under every set."
                } else {
                    "Token table and head stay in full precision under every set."
                }}
            </p>
            <Budgets layers/>
            <Field key=keys.sweeps/>
            <Field key=keys.others/>
        </section>
    }
}

/// One box per size, and one for all sets.
#[component]
fn Budgets(layers: Memo<usize>) -> impl IntoView {
    let settings = expect_context::<State>().settings;
    let (budgets, every) = (Config::KEYS.budgets, Config::KEYS.every);
    let all = move || settings.get(every) && layers.get() <= MOST_LAYERS_FOR_ALL;
    let sets = |layers: usize, size: usize| {
        let sets = Family::new(layers, [size]).count(Branch::ROOT);
        format!("{} sets", format::count(u64::try_from(sets).unwrap_or(u64::MAX)))
    };
    let toggle = move |size: usize, on: bool| {
        settings.update(budgets, |budgets| {
            budgets.retain(|budget| *budget != size);
            if on {
                budgets.push(size);
            }
        });
    };
    view! {
        <fieldset class="segments" disabled=all>
            <legend>"Layers protected at once, one or more sizes"</legend>
            <div class="segments-row budgets">
                {move || (1..layers.get().max(2)).map(|size| view! {
                    <label class="segment" title=sets(layers.get(), size)>
                        <input
                            type="checkbox"
                            name="budgets"
                            value=size.to_string()
                            prop:checked=move || all() || settings.get(budgets).contains(&size)
                            on:change=move |ev| toggle(size, event_target_checked(&ev))
                        />
                        <span>{size}</span>
                    </label>
                }).collect_view()}
            </div>
        </fieldset>
        <Show when=move || (1..=MOST_LAYERS_FOR_ALL).contains(&layers.get())>
            <label class="check">
                <input
                    id="every"
                    type="checkbox"
                    prop:checked=all
                    on:change=move |ev| settings.set(every, event_target_checked(&ev))
                />
                <span>{move || format!("Every set of whatever size: {}", format::count(1 << layers.get()))}</span>
            </label>
        </Show>
    }
}
