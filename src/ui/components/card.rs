//! The model's card: bytes seen and bits per byte of each language, and what the models of the site are for.

use leptos::prelude::*;

use super::level_name;
use super::save::SaveTable;
use crate::report::{Card, card, format};
use crate::state::State;

/// Ends of the bits-per-byte axis: 0 is perfect prediction, 8 is what a byte holds.
const BITS_IN_A_BYTE: f64 = 8.0;

/// The card of the model that is loaded or on its way.
#[component]
pub fn CardPanel() -> impl IntoView {
    let state: State = expect_context();
    let current = Memo::new(move |_| state.card());
    let family = Memo::new(move |_| state.catalog.get().map(|catalog| catalog.models.clone()).unwrap_or_default());
    view! {
        <section class="panel" id="card" aria-labelledby="card-heading" hidden=move || current.get().is_none()>
            <h2 id="card-heading">"What the model was trained on"</h2>
            <p class="note">
                {move || if current.get().is_some_and(|card| card.even()) {
                    "It saw all of its languages about equally, so none of them is high- or low-resource here."
                } else {
                    "High-resource: the upper third of its languages by bytes seen; low-resource: the lower third."
                }}
                " Bits per byte say how well it predicts the Declaration of Human Rights in full precision: fewer is better, 8 is a guess."
            </p>
            {move || current.get().and_then(|card| card.licence).map(|licence| view! { <p class="note" id="licence">{format!("Licence of its weights: {licence}")}</p> })}
            {move || current.get().map(|card| view! { <CardTable card=card.clone()/> <SaveTable id="card" table=move || card::table(&card::rows(&card, &state.corpora.get()))/> })}
            <Show when=move || family.with(|family| family.len() > 1)>
                <details>
                    <summary>"Which model for which question"</summary>
                    <dl class="family">
                        {move || family.get().into_iter().map(|card| view! {
                            <div><dt>{card.title}</dt><dd>{card.description}</dd></div>
                        }).collect_view()}
                    </dl>
                </details>
            </Show>
        </section>
    }
}

/// A small chart as a table: a bar for bytes seen, a dot for bits per byte.
#[component]
fn CardTable(card: Card) -> impl IntoView {
    let state: State = expect_context();
    let rows = Memo::new(move |_| card::rows(&card, &state.corpora.get()));
    let most = Memo::new(move |_| {
        let worst = |rows: &Vec<card::CardRow>| rows.iter().filter_map(bits).fold(0.0, f64::max);
        libm::ceil(rows.with(worst)).clamp(1.0, BITS_IN_A_BYTE)
    });
    view! {
        <table class="card-table">
            <thead>
                <tr>
                    <th scope="col">"Language"</th>
                    <th scope="col">"Bytes seen"</th>
                    <th scope="col">{move || format!("Bits per byte, 0 to {}", most.get())}</th>
                </tr>
            </thead>
            <tbody>
                {move || rows.get().into_iter().map(|row| {
                    let bits = bits(&row);
                    view! {
                        <tr data-level=level_name(row.resource)>
                            <th scope="row"><span class="swatch" aria-hidden="true"></span>{row.name}</th>
                            <td class="bar-cell" style=format!("--share: {}", row.share_of_largest)>
                                <span class="bar-text">{format::bytes(row.bytes_seen)}</span>
                            </td>
                            <td class="dot-cell" style=format!("--share: {}", bits.unwrap_or(0.0) / most.get())>
                                {bits.map(|bits| view! {
                                    <span class="dot" aria-hidden="true"></span>
                                    <span class="dot-text">{format::fixed(bits, 2)}</span>
                                })}
                            </td>
                        </tr>
                    }
                }).collect_view()}
            </tbody>
        </table>
    }
}

/// On the Declaration.
fn bits(row: &card::CardRow) -> Option<f64> {
    row.bits_per_byte.1
}
