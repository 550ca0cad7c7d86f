//! From which κ on a layer is an outlier layer.

use leptos::prelude::*;

use crate::lab::settings::THRESHOLD;
use crate::report::format;
use crate::state::State;

/// The slider's ends and step, in ln(1 + κ): from κ = 0 to about 400, fine where models differ.
const SLIDER: (f64, f64, f64) = (0.0, 6.0, 0.02);

/// The slider, with a note below it.
#[component]
pub fn Threshold(
    /// What moving it does on this page.
    note: &'static str,
) -> impl IntoView {
    let state: State = expect_context();
    let threshold = move || state.settings.get(THRESHOLD);
    view! {
        <section class="panel" aria-labelledby="threshold-heading">
            <h2 id="threshold-heading">"Outlier layers"</h2>
            <label class="field" for="threshold">
                "A layer is an outlier layer where κ is above " <output id="threshold-value">{move || format::figure(threshold())}</output>
            </label>
            <input
                id="threshold"
                type="range"
                min=SLIDER.0
                max=SLIDER.1
                step=SLIDER.2
                aria-valuetext=move || format!("κ above {}", format::figure(threshold()))
                prop:value=move || libm::log1p(threshold()).to_string()
                on:input=move |ev| {
                    if let Ok(place) = event_target_value(&ev).parse::<f64>() {
                        state.settings.set(THRESHOLD, libm::expm1(place));
                    }
                }
            />
            <p class="note">{note}</p>
        </section>
    }
}
