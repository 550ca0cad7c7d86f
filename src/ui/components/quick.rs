//! Above a quick look: what it is, and the one choice that changes most.

use leptos::prelude::*;

use super::quantization::BitsRow;
use crate::quick::UNITS;
use crate::report::format;
use crate::state::State;

/// `#quick`: what stands below is a quick look; other bits are looked at as soon as they are chosen.
#[component]
pub fn QuickBar() -> impl IntoView {
    let state: State = expect_context();
    let unit = move || state.corpus().map_or_else(|| "text".into(), |corpus| corpus.unit);
    let what = move || {
        let texts = format::counted(UNITS as u64, &unit());
        format!(
            "A quick look, which the page takes by itself: {texts} of each language. It follows whatever you choose. \
             Run reads more, for a result of your own."
        )
    };
    let under_way = move || if state.looking() { "Measuring…" } else { "" };
    view! {
        <div id="quick" class="quick" data-state=move || if state.looking() { "looking" } else { "done" }>
            <BitsRow name="quick-bits"/>
            <p class="note">{what}" "<span class="under-way" role="status">{under_way}</span></p>
        </div>
    }
}
