//! How to quantize: bit-width, clipping rule, granularity; and how to resample.

use leptos::prelude::*;

use super::select::{Select, numbered};
use crate::report::{Bits, words};
use crate::state::State;

/// Bit-width, rule, granularity, and "More".
#[component]
pub fn Quantization() -> impl IntoView {
    view! { <Rounding><details class="more"><summary>"More"</summary><Resampling/></details></Rounding> }
}

/// Bit-width, rule and granularity.
#[component]
pub fn Rounding(
    /// Below them.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let state: State = expect_context();
    let choices = state.choices;
    let rule = Memo::new(move |_| choices.with(|choices| choices.rule));
    view! {
        <section class="panel" aria-labelledby="quantization-heading">
            <h2 id="quantization-heading">"Quantization"</h2>
            <BitsField/>

            <Select
                id="rule"
                label="Where the grid ends (clipping rule)"
                offered=numbered(words::RULES, words::rule)
                chosen=rule
                choose=move |own| choices.update(|choices| choices.rule = own)
            />
            <p class="note">{move || words::rule_explained(rule.get())}</p>

            <GranularityField/>
            {children.map(|children| children())}
        </section>
    }
}

/// How many weights share a grid.
#[component]
pub fn GranularityField() -> impl IntoView {
    let state: State = expect_context();
    let choices = state.choices;
    let granularity = Memo::new(move |_| choices.with(|choices| choices.granularity));
    view! {
        <Select
            id="granularity"
            label="One grid per"
            offered=numbered(words::GRANULARITIES, words::granularity)
            chosen=granularity
            choose=move |own| choices.update(|choices| choices.granularity = own)
        />
    }
}

/// How often to resample, and the seed.
#[component]
pub fn Resampling() -> impl IntoView {
    let state: State = expect_context();
    let choices = state.choices;
    view! {
        <label class="field" for="resamples">"Bootstrap resamples"</label>
        <input
            id="resamples"
            type="number"
            min="100"
            max="100000"
            prop:value=move || choices.with(|choices| choices.resamples.clone())
            on:input=move |ev| choices.update(|choices| choices.resamples = event_target_value(&ev))
        />
        <label class="field" for="seed">"Seed"</label>
        <input
            id="seed"
            type="number"
            min="0"
            prop:value=move || choices.with(|choices| choices.seed.clone())
            on:input=move |ev| choices.update(|choices| choices.seed = event_target_value(&ev))
        />
        <p class="note">"The same seed gives the same intervals on every machine."</p>
    }
}

/// Bits per weight, and what they make of a weight.
#[component]
pub fn BitsField() -> impl IntoView {
    let state: State = expect_context();
    let grid = move || {
        let bits = state.choices.with(|choices| choices.bits);
        format!("{} bits: every weight becomes one of {} values.", bits.get(), 2 * bits.levels() + 1)
    };
    view! { <div><BitsRow name="bits"/><p class="note">{grid}</p></div> }
}

/// The bit-widths, one of them chosen.
#[component]
pub fn BitsRow(
    /// Of its radio buttons.
    name: &'static str,
) -> impl IntoView {
    let state: State = expect_context();
    let choices = state.choices;
    view! {
        <fieldset class="segments">
            <legend>"Bits per weight"</legend>
            <div class="segments-row">
                {Bits::ALL.into_iter().map(|bits| view! {
                    <label class="segment">
                        <input
                            type="radio"
                            name=name
                            value=bits.get().to_string()
                            prop:checked=move || choices.with(|choices| choices.bits == bits)
                            on:change=move |_| choices.update(|choices| choices.bits = bits)
                        />
                        <span>{bits.get()}</span>
                    </label>
                }).collect_view()}
            </div>
        </fieldset>
    }
}
