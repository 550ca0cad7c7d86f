//! The outlier dial's choices: how far, where, and how to round.

use leptos::prelude::*;

use super::quantization::{GranularityField, Resampling};
use super::roundings::WidthsAndRules;
use super::select::{Select, named};
use crate::dial_choices::{DialChoices, FURTHEST, Layers, Stops};
use crate::lab::dial::{Joint, joint};
use crate::report::format;
use crate::state::State;

/// Reads a setting of the dial.
fn get<T>(of: impl Fn(&DialChoices) -> T + Copy + Send + Sync + 'static) -> impl Fn() -> T + Copy + Send + Sync {
    let state: State = expect_context();
    move || state.choices.with(|choices| of(&choices.dial))
}

/// How far the tails are turned up, and where.
#[component]
pub fn DialPanel() -> impl IntoView {
    let state: State = expect_context();
    let set = move |change: &dyn Fn(&mut DialChoices)| state.choices.update(|choices| change(&mut choices.dial));
    let furthest = get(|dial| dial.furthest);
    let (stops, layers) = (get(|dial| dial.stops), get(|dial| dial.layers));
    let s = move || format!("s = {}", format::count(1 << furthest()));
    let points = move || {
        let stops = stops().exponents(furthest());
        let each: Vec<String> = stops.iter().map(|&exponent| format::count(1 << exponent)).collect();
        format!("Measured at s = {}.", each.join(", "))
    };
    view! {
        <section class="panel" aria-labelledby="dial-heading">
            <h2 id="dial-heading">"Dial"</h2>
            <label class="field" for="furthest">"Turn the tails up, by powers of two, to " <output id="furthest-value">{s}</output></label>
            <input
                id="furthest"
                type="range"
                min="0"
                max=FURTHEST
                step="1"
                aria-valuetext=s
                prop:value=move || furthest().to_string()
                on:input=move |ev| {
                    if let Ok(exponent) = event_target_value(&ev).parse::<usize>() {
                        set(&|dial| dial.furthest = exponent.min(FURTHEST));
                    }
                }
            />
            <Select
                id="stops"
                label="Measure"
                offered=named(Stops::ALL)
                chosen=Signal::derive(stops)
                choose=move |own| set(&|dial| dial.stops = own)
            />
            <p class="note">{points}</p>
            <Select
                id="layers-choice"
                label="Layers"
                offered=named(Layers::ALL)
                chosen=Signal::derive(layers)
                choose=move |own| set(&|dial| dial.layers = own)
            />
            <Show when=move || layers() == Layers::Listed>
                <TextField id="listed" label="Layers, such as 0-3, 7" of=|dial| &mut dial.listed/>
            </Show>
            <Show when=move || layers() == Layers::All>
                <p class="note">"With every layer turned, K1, P2 and P4 cannot be decided: they compare turned layers with others."</p>
            </Show>
            <NumberField id="channels" label="Channels turned at each joint" of=|dial| &mut dial.channels/>
            <label class="check">
                <input
                    id="flatten"
                    type="checkbox"
                    prop:checked=get(|dial| dial.flatten)
                    on:change=move |ev| set(&|dial| dial.flatten = event_target_checked(&ev))
                />
                <span>"Flatten the tails of the furthest point again"</span>
            </label>
            <details class="more">
                <summary>"Which joints and channels"</summary>
                <fieldset class="methods">
                    <legend>"Joints: what is divided by s, and what is multiplied"</legend>
                    {Joint::ALL.into_iter().map(|own| view! {
                        <label class="check">
                            <input
                                type="checkbox"
                                name="joints"
                                value=format!("{own:?}")
                                prop:checked=get(move |dial| dial.joints.contains(&own))
                                on:change=move |ev| set(&|dial| {
                                    if event_target_checked(&ev) { dial.joints.insert(own); } else { dial.joints.remove(&own); }
                                })
                            />
                            <span>{joint(own)}</span>
                        </label>
                    }).collect_view()}
                </fieldset>
                <NumberField id="channel-seed" label="Seed that chooses the channels" of=|dial| &mut dial.channel_seed/>
            </details>
        </section>
    }
}

/// Under which widths and rules the turned weights are rounded, and how the figures are judged.
#[component]
pub fn RoundingPanel() -> impl IntoView {
    view! {
        <section class="panel" aria-labelledby="rounding-heading">
            <h2 id="rounding-heading">"Quantization"</h2>
            <WidthsAndRules
                read=|choices| (&choices.dial.bits, &choices.dial.rules)
                write=|choices| (&mut choices.dial.bits, &mut choices.dial.rules)
            />
            <GranularityField/>
            <details class="more">
                <summary>"More"</summary>
                <Resampling/>
                <NumberField id="permutations" label="Shuffles behind each p" of=|dial| &mut dial.permutations/>
            </details>
        </section>
    }
}

/// A setting that is kept as typed.
type Typed = fn(&mut DialChoices) -> &mut String;

#[component]
fn NumberField(id: &'static str, label: &'static str, of: Typed) -> impl IntoView {
    view! { <Field id label of kind="number"/> }
}

#[component]
fn TextField(id: &'static str, label: &'static str, of: Typed) -> impl IntoView {
    view! { <Field id label of kind="text"/> }
}

#[component]
fn Field(id: &'static str, label: &'static str, of: Typed, kind: &'static str) -> impl IntoView {
    let state: State = expect_context();
    view! {
        <label class="field" for=id>{label}</label>
        <input
            id=id
            type=kind
            min="0"
            prop:value=move || state.choices.with(|choices| of(&mut choices.dial.clone()).clone())
            on:input=move |ev| state.choices.update(|choices| *of(&mut choices.dial) = event_target_value(&ev))
        />
    }
}
