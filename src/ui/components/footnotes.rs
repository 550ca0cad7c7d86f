//! How the figures of a result came about.

use leptos::prelude::*;

/// Below everything else of a result.
#[component]
pub fn Footnotes(
    /// A sentence or two each.
    notes: Vec<String>,
) -> impl IntoView {
    view! {
        <ul class="footnotes">
            {notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}
        </ul>
    }
}
