//! The outlier dial's choices: how far, where, and how to round.

use leptos::prelude::*;

use super::quantization::Resampling;
use super::select::{Select, offers};
use super::setting::{Field, placed};
use crate::lab::dial::{Config, FURTHEST_SHOWN, Layers};
use crate::report::format;
use crate::state::State;

/// How far the tails are turned up, and where.
#[component]
pub fn DialPanel() -> impl IntoView {
    let settings = expect_context::<State>().settings;
    let keys = Config::KEYS;
    let furthest = move || settings.get(keys.furthest);
    let layers = move || settings.get(keys.layers);
    let s = move || format!("s = {}", format::count(1 << furthest()));
    let points = move || {
        let stops = settings.get(keys.stops).exponents(furthest());
        let each: Vec<String> = stops.iter().map(|&exponent| format::count(1 << exponent)).collect();
        format!("Measured at s = {}.", each.join(", "))
    };
    placed(keys.furthest);
    placed(keys.layers);
    placed(keys.listed);
    view! {
        <section class="panel" aria-labelledby="dial-heading">
            <h2 id="dial-heading">"Dial"</h2>
            <label class="field" for="furthest">"Turn the tails up, by powers of two, to " <output id="furthest-value">{s}</output></label>
            <input
                id="furthest"
                type="range"
                min="0"
                max=FURTHEST_SHOWN
                step="1"
                aria-valuetext=s
                prop:value=move || furthest().to_string()
                on:input=move |ev| {
                    if let Ok(exponent) = event_target_value(&ev).parse::<usize>() {
                        settings.set(keys.furthest, exponent.min(FURTHEST_SHOWN));
                    }
                }
            />
            <Field key=keys.stops/>
            <p class="note">{points}</p>
            <Select
                id="layers-choice"
                label="Layers"
                offered=offers(Layers::ALL, Layers::key, Layers::title)
                chosen=Signal::derive(layers)
                choose=move |own| settings.set(keys.layers, own)
            />
            <Show when=move || layers() == Layers::Listed>
                <Field key=keys.listed/>
            </Show>
            <Show when=move || layers() == Layers::All>
                <p class="note">"With every layer turned, K1, P2 and P4 cannot be decided: they compare turned layers with others."</p>
            </Show>
            <Field key=keys.channels/>
            <Field key=keys.flatten/>
            <details class="more">
                <summary>"Which joints and channels"</summary>
                <Field key=keys.joints/>
                <Field key=keys.channel_seed/>
            </details>
        </section>
    }
}

/// Under which widths and rules the turned weights are rounded, and how the figures are judged.
#[component]
pub fn RoundingPanel() -> impl IntoView {
    let keys = Config::KEYS;
    view! {
        <section class="panel" aria-labelledby="rounding-heading">
            <h2 id="rounding-heading">"Quantization"</h2>
            <Field key=keys.bits/>
            <Field key=keys.rules/>
            <Field key=keys.granularity/>
            <details class="more">
                <summary>"More"</summary>
                <Resampling/>
            </details>
        </section>
    }
}
