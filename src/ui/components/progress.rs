//! A progress bar that moves for the eye and speaks only at each quarter.

use leptos::prelude::*;

use crate::eta;

/// `done` of `total` (0: not known yet), with `text` beside it.
#[component]
pub fn Progress(
    /// Id of the bar; the words have the same with `-text`.
    id: &'static str,
    /// What it measures.
    label: &'static str,
    /// Done so far and in all.
    #[prop(into)]
    amount: Signal<(f64, f64)>,
    /// In words.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let share = Memo::new(move |_| {
        let (done, total) = amount.get();
        (total > 0.0).then(|| eta::share(done, total))
    });
    let announced = Memo::new(move |_| {
        let (done, total) = amount.get();
        eta::announced_percent(done, total)
    });
    let style = move || format!("--share: {}", share.get().unwrap_or(0.0));
    view! {
        <div class="progress" class:unknown=move || share.get().is_none()>
            <div
                id=id
                class="bar"
                role="progressbar"
                aria-label=label
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow=move || share.get().map(|share| format!("{:.0}", share * 100.0))
                style=style
            >
                <span></span>
            </div>
            <p id=format!("{id}-text") class="progress-text">{move || text.get()}</p>
            <p class="unseen-text" aria-live="polite">{move || format!("{label}: {}%", announced.get())}</p>
        </div>
    }
}
