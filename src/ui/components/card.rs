//! The model's card: bytes seen and bits per byte of each language.

use leptos::prelude::*;

use super::level_name;
use crate::report::{Card, card, format};
use crate::ui::state::State;

/// Ends of the bits-per-byte axis: 0 is perfect prediction, 8 is what a byte holds.
const BITS_IN_A_BYTE: f64 = 8.0;

/// A small chart as a table: a bar for bytes seen, a dot for bits per byte on the Declaration.
#[component]
pub fn CardTable(
    /// The card.
    card: Card,
) -> impl IntoView {
    let state: State = expect_context();
    let rows = move || card::rows(&card, &state.corpora.get());
    let of_card = rows.clone();
    let most = Memo::new(move |_| {
        let worst = of_card().iter().filter_map(|row| row.bits_per_byte.1.or(row.bits_per_byte.0)).fold(0.0, f64::max);
        libm::ceil(worst).clamp(1.0, BITS_IN_A_BYTE)
    });
    view! {
        <details class="card">
            <summary>"What this model was trained on"</summary>
            <table class="card-table">
                <thead>
                    <tr>
                        <th scope="col">"Language"</th>
                        <th scope="col">"Bytes seen"</th>
                        <th scope="col">"Bits per byte"<span class="th-note">{move || format!("0 to {}, less is better", most.get())}</span></th>
                    </tr>
                </thead>
                <tbody>
                    {move || rows().into_iter().map(|row| {
                        let bits = row.bits_per_byte.1.or(row.bits_per_byte.0);
                        view! {
                            <tr data-level=level_name(row.resource)>
                                <th scope="row">{row.name}</th>
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
            <p class="note">"Blue: upper third by bytes seen (high-resource). Orange: lower third (low-resource). Bits per byte on the Declaration of Human Rights, full precision."</p>
        </details>
    }
}
