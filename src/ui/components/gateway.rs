//! The choices of the search over protection sets: what is protected, how many layers, and what else is tried.

use leptos::prelude::*;

use super::select::{Select, named};
use crate::gateway_choices::{GatewayChoices, MOST_LAYERS_FOR_ALL};
use crate::lab::gateway::{Branch, Family, KEPT};
use crate::report::format;
use crate::state::State;

/// Reads a setting of the search.
fn get<T>(of: impl Fn(&GatewayChoices) -> T + Copy + Send + Sync + 'static) -> impl Fn() -> T + Copy + Send + Sync {
    let state: State = expect_context();
    move || state.choices.with(|choices| of(&choices.gateway))
}

/// What is protected, and which sets are tried.
#[component]
pub fn GatewayPanel(
    /// Of the model; 0 while there is none.
    layers: Memo<usize>,
) -> impl IntoView {
    let state: State = expect_context();
    let set = move |change: &dyn Fn(&mut GatewayChoices)| state.choices.update(|choices| change(&mut choices.gateway));
    let kept = get(|gateway| gateway.kept);
    let rounded = get(|gateway| gateway.table);
    view! {
        <section class="panel" aria-labelledby="gateway-heading">
            <h2 id="gateway-heading">"Protection"</h2>
            <Select
                id="protects"
                label="Of a protected layer, full precision keeps"
                offered=named(KEPT)
                chosen=Signal::derive(kept)
                choose=move |own| set(&|gateway| gateway.kept = own)
            />
            <Check id="rounded-table" title="Round the token table too, which is also the head" of=|gateway| &mut gateway.table/>
            <p class="note">
                {move || if rounded() {
                    "Token table and head are rounded under every set."
                } else {
                    "Token table and head stay in full precision under every set."
                }}
            </p>
            <Budgets layers/>
            <Check id="sweeps" title="Also each layer alone, all but each, and pairs" of=|gateway| &mut gateway.sweeps/>
            <Check id="others" title="Also what other methods would have picked" of=|gateway| &mut gateway.others/>
        </section>
    }
}

/// One box per size, and one for all sets.
#[component]
fn Budgets(layers: Memo<usize>) -> impl IntoView {
    let state: State = expect_context();
    let every = move || state.choices.with(|choices| choices.gateway.all_sets(layers.get()));
    let sets = |layers: usize, size: usize| {
        let sets = Family::new(layers, [size]).count(Branch::ROOT);
        format!("{} sets", format::count(u64::try_from(sets).unwrap_or(u64::MAX)))
    };
    let toggle = move |size: usize, on: bool| {
        state.choices.update(|choices| {
            let budgets = &mut choices.gateway.budgets;
            if on {
                budgets.insert(size)
            } else {
                budgets.remove(&size)
            };
        });
    };
    view! {
        <fieldset class="segments" disabled=every>
            <legend>"Layers protected at once, one or more sizes"</legend>
            <div class="segments-row budgets">
                {move || (1..layers.get().max(2)).map(|size| view! {
                    <label class="segment" title=sets(layers.get(), size)>
                        <input
                            type="checkbox"
                            name="budgets"
                            value=size.to_string()
                            prop:checked=move || every() || state.choices.with(|choices| choices.gateway.budgets.contains(&size))
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
                    prop:checked=every
                    on:change=move |ev| state.choices.update(|choices| choices.gateway.every = event_target_checked(&ev))
                />
                <span>{move || format!("Every set of whatever size: {}", format::count(1 << layers.get()))}</span>
            </label>
        </Show>
    }
}

#[component]
fn Check(id: &'static str, title: &'static str, of: fn(&mut GatewayChoices) -> &mut bool) -> impl IntoView {
    let state: State = expect_context();
    view! {
        <label class="check">
            <input
                id=id
                type="checkbox"
                prop:checked=move || state.choices.with(|choices| *of(&mut choices.gateway.clone()))
                on:change=move |ev| state.choices.update(|choices| *of(&mut choices.gateway) = event_target_checked(&ev))
            />
            <span>{title}</span>
        </label>
    }
}
