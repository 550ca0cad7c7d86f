//! How to quantize: bit-width, clipping rule, granularity; and how to resample.

use leptos::prelude::*;

use super::setting::{Aside, Field};
use crate::lab::rounding::Rounding as Keys;
use crate::lab::settings::Resampling as Draws;
use crate::report::Bits;
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
    view! {
        <section class="panel" aria-labelledby="quantization-heading">
            <h2 id="quantization-heading">"Quantization"</h2>
            <BitsField/>
            <Field key=Keys::KEYS.rule/>
            <Field key=Keys::KEYS.granularity/>
            {children.map(|children| children())}
        </section>
    }
}

/// How often to resample, the seed, and what else few people change.
#[component]
pub fn Resampling() -> impl IntoView {
    view! {
        <Field key=Draws::KEYS.resamples/>
        <Field key=Draws::KEYS.seed/>
        <Aside/>
    }
}

/// Bits per weight, and what they make of a weight.
#[component]
pub fn BitsField() -> impl IntoView {
    let state: State = expect_context();
    let grid = move || {
        let bits = state.settings.get(Keys::KEYS.bits);
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
    let settings = expect_context::<State>().settings;
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
                            prop:checked=move || settings.get(Keys::KEYS.bits) == bits
                            on:change=move |_| settings.set(Keys::KEYS.bits, bits)
                        />
                        <span>{bits.get()}</span>
                    </label>
                }).collect_view()}
            </div>
        </fieldset>
    }
}
