//! Each layer's weights in figures, as its tensors land.

use leptos::prelude::*;

use crate::report::{Summary, format};
use crate::ui::state::State;

/// A strip of bars for κ, and the table of all figures.
#[component]
pub fn Layers() -> impl IntoView {
    let state: State = expect_context();
    // The card knows how many layers will come, so that the strip does not grow under the eye.
    let expected = Memo::new(move |_| state.card().map_or(0, |card| card.kurtosis.len()));
    let layers = Memo::new(move |_| {
        let mut layers = state.layers.get();
        let count = layers.len().max(expected.get());
        layers.resize(count, None);
        layers
    });
    let largest = Memo::new(move |_| layers.get().iter().flatten().map(|s| s.kurtosis).fold(1.0, f64::max));
    view! {
        <section class="panel" id="layers" aria-labelledby="layers-heading" hidden=move || layers.get().is_empty()>
            <h2 id="layers-heading">"Layers"</h2>
            <p class="note">
                "Excess kurtosis κ of each layer's weights: 0 for a bell curve, more where a few weights are far larger than the rest. Few large weights stretch the grid, and every other weight is rounded more coarsely."
            </p>
            <div class="strip" aria-hidden="true">
                {move || layers.get().into_iter().enumerate().map(|(at, layer)| {
                    let share = layer.map_or(0.0, |layer| layer.kurtosis.max(0.0) / largest.get());
                    view! {
                        <div class="strip-cell" class:landed=layer.is_some() style=format!("--share: {share}")>
                            <span class="strip-value">{layer.map(|layer| format::fixed(layer.kurtosis, 1))}</span>
                            <span class="strip-bar"></span>
                            <span class="strip-name">{at}</span>
                        </div>
                    }
                }).collect_view()}
            </div>
            <details>
                <summary>"All figures of the layers"</summary>
                <div class="scroll" tabindex="0" role="region" aria-label="Layers">
                    <table class="figures">
                        <thead>
                            <tr>
                                <th scope="col">"Layer"</th>
                                <th scope="col" title="Weights of its matrices that are in">"Weights"</th>
                                <th scope="col" title="Standard deviation">"σ"</th>
                                <th scope="col" title="Excess kurtosis">"κ"</th>
                                <th scope="col" title="Largest magnitude over σ">"Largest ÷ σ"</th>
                                <th scope="col" title="Share of weights further than 3σ from the mean">"Beyond 3σ"</th>
                                <th scope="col" title="Share of weights further than 6σ from the mean">"Beyond 6σ"</th>
                            </tr>
                        </thead>
                        <tbody>
                            {move || layers.get().into_iter().enumerate().map(|(at, layer)| row(at, layer)).collect_view()}
                        </tbody>
                    </table>
                </div>
            </details>
        </section>
    }
}

fn row(at: usize, layer: Option<Summary>) -> impl IntoView {
    let cell = |key: &'static str, show: &dyn Fn(&Summary) -> String| {
        view! { <td data-figure=key>{layer.as_ref().map_or("…".to_string(), show)}</td> }
    };
    view! {
        <tr data-layer=at>
            <th scope="row">{at}</th>
            {cell("n", &|s| format::count(s.n))}
            {cell("sigma", &|s| format::fixed(s.sigma, 4))}
            {cell("kurtosis", &|s| format::fixed(s.kurtosis, 2))}
            {cell("largest", &|s| if s.sigma > 0.0 { format::fixed(s.absmax / s.sigma, 1) } else { "–".into() })}
            {cell("beyond_3", &|s| format::percent(s.beyond_3))}
            {cell("beyond_6", &|s| format::percent(s.beyond_6))}
        </tr>
    }
}
