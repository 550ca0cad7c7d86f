//! Each layer's weights in figures, filled in as its tensors land.

use leptos::prelude::*;

use super::save::SaveTable;
use crate::report::{Summary, card, format};
use crate::state::State;

/// A row of figures: key, heading, what it means, how a cell is written.
type Figure = (&'static str, &'static str, &'static str, fn(&Summary) -> String);

/// Rows below the bars of κ.
const FIGURES: [Figure; 4] = [
    ("sigma", "σ", "Standard deviation of the layer's weights", |s| format::fixed(s.sigma, 4)),
    ("beyond_3", "beyond 3σ", "Share of weights further than 3σ from the mean", |s| format::percent(s.beyond_3)),
    ("beyond_6", "beyond 6σ", "Share of weights further than 6σ from the mean", |s| format::percent(s.beyond_6)),
    ("largest", "largest ÷ σ", "Largest magnitude over σ", |s| {
        if s.sigma > 0.0 { format::fixed(s.absmax / s.sigma, 1) } else { "–".into() }
    }),
];

/// One column per layer: κ as a bar, σ and the shares of outliers below it.
#[component]
pub fn Layers() -> impl IntoView {
    let state: State = expect_context();
    // The card knows how many layers will come, so that the table does not grow under the eye.
    let expected = Memo::new(move |_| state.card().map_or(0, |card| card.kurtosis.len()));
    let layers = Memo::new(move |_| {
        let mut layers = state.layers.get();
        let count = layers.len().max(expected.get());
        layers.resize(count, None);
        layers
    });
    let largest = Memo::new(move |_| layers.get().iter().flatten().map(|s| s.kurtosis).fold(1.0, f64::max));
    let cells = move |key: &'static str, show: fn(&Summary) -> String| {
        layers
            .get()
            .into_iter()
            .enumerate()
            .map(|(at, layer)| {
                view! { <td data-layer=at data-figure=key>{layer.as_ref().map(show)}</td> }
            })
            .collect_view()
    };
    view! {
        <section class="panel" id="layers" aria-labelledby="layers-heading" hidden=move || layers.get().is_empty()>
            <h2 id="layers-heading">"Layers"</h2>
            <p class="note">
                "Excess kurtosis κ of each layer's weights: 0 for a bell curve, more where a few weights are far larger than the rest. A few large weights stretch the grid, and every other weight is rounded more coarsely."
            </p>
            <div class="scroll" tabindex="0" role="region" aria-label="Figures of each layer">
                <table class="layers">
                    <thead>
                        <tr>
                            <th scope="row">"layer"</th>
                            {move || (0..layers.get().len()).map(|at| view! { <th scope="col">{at}</th> }).collect_view()}
                        </tr>
                    </thead>
                    <tbody>
                        <tr>
                            <th scope="row" title="Excess kurtosis">"κ"</th>
                            {move || layers.get().into_iter().enumerate().map(|(at, layer)| {
                                let share = layer.map_or(0.0, |layer| layer.kurtosis.max(0.0) / largest.get());
                                view! {
                                    <td class="kurtosis" class:landed=layer.is_some() data-layer=at data-figure="kurtosis" style=format!("--share: {share}")>
                                        {layer.map(|layer| format::fixed(layer.kurtosis, 2))}
                                        <span class="column" aria-hidden="true"></span>
                                    </td>
                                }
                            }).collect_view()}
                        </tr>
                        {FIGURES.into_iter().map(|(key, heading, explained, show)| view! {
                            <tr><th scope="row" title=explained>{heading}</th>{move || cells(key, show)}</tr>
                        }).collect_view()}
                    </tbody>
                </table>
            </div>
            <SaveTable id="layers" table=move || card::layers_table(&layers.get())/>
        </section>
    }
}
