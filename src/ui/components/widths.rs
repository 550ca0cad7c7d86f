//! The person's own bit-width of each layer: a row of sliders.

use leptos::prelude::*;

use crate::lab::rounding::Rounding;
use crate::lab::settings::Key;
use crate::report::Bits;
use crate::state::State;

/// Where the widths are kept.
const OWN: Key<Vec<Option<Bits>>> = crate::lab::mitigation::Config::KEYS.own;

/// The slider's last place stands for full precision.
const FULL: u8 = 9;

/// One slider per layer; all stand at the common width until one is moved.
#[component]
pub fn Widths(
    /// Of the model; 0 while there is none.
    layers: Memo<usize>,
) -> impl IntoView {
    let state: State = expect_context();
    let settings = state.settings;
    let common = move || settings.get(Rounding::KEYS.bits);
    let width = move |layer: usize| {
        let own = settings.get(OWN);
        if own.len() == layers.get() { own[layer] } else { Some(common()) }
    };
    let set = move |layer: usize, place: u8| {
        settings.update(OWN, |own| {
            if own.len() != layers.get_untracked() {
                *own = vec![Some(untrack(common)); layers.get_untracked()];
            }
            own[layer] = Bits::new(place);
        });
    };
    let called = |width: Option<Bits>| width.map_or("f32".to_string(), |bits| bits.get().to_string());
    view! {
        <section class="panel" aria-labelledby="widths-heading">
            <h2 id="widths-heading">"Your own widths"</h2>
            <div class="widths" role="group" aria-label="Bits of each layer">
                {move || (0..layers.get()).map(|layer| view! {
                    <label class="width">
                        <input
                            type="range"
                            min="2"
                            max=FULL.to_string()
                            step="1"
                            data-layer=layer.to_string()
                            aria-label=format!("Layer {layer}")
                            aria-valuetext=move || format!("{} in layer {layer}", called(width(layer)))
                            prop:value=move || width(layer).map_or(FULL, Bits::get).to_string()
                            on:input=move |ev| {
                                if let Ok(place) = event_target_value(&ev).parse() {
                                    set(layer, place);
                                }
                            }
                        />
                        <output>{move || called(width(layer))}</output>
                        <span class="note">{layer.to_string()}</span>
                    </label>
                }).collect_view()}
            </div>
            <button
                class="quiet"
                type="button"
                prop:disabled=move || settings.get(OWN).is_empty()
                on:click=move |_| settings.set(OWN, Vec::new())
            >
                "All at the common width"
            </button>
            <p class="note">"Bits above, layer below; the last place is full precision."</p>
        </section>
    }
}
