//! Which languages pay: choose on the left, read on the right.

use leptos::prelude::*;

use crate::ui::components::{
    card::CardPanel, layers::Layers, model::ModelPanel, quantization::Quantization, result::ResultView, run::RunBar,
    texts::Texts,
};
use crate::ui::state::State;

/// The page `#/`.
#[component]
pub fn LanguagesPage() -> impl IntoView {
    let state: State = expect_context();
    view! {
        <h1 class="unseen-text">"Which languages pay when a language model is quantized?"</h1>
        <div class="lab">
            <div class="choose">
                <ModelPanel/>
                <Texts/>
                <Quantization/>
                <RunBar/>
            </div>
            <div class="read">
                {move || match state.finished.get() {
                    Some(finished) => view! { <ResultView finished/> }.into_any(),
                    None => view! { <Before/> }.into_any(),
                }}
                <Layers/>
                <CardPanel/>
            </div>
        </div>
    }
}

/// What stands where the result will be.
#[component]
fn Before() -> impl IntoView {
    view! {
        <section class="panel before" aria-labelledby="before-heading">
            <h2 id="before-heading">"What this page measures"</h2>
            <p>
                "A language model stores what it learned as millions of numbers, its weights. Rounding each of them to a few bits makes the model several times smaller. The price is accuracy, and it need not be the same in every language."
            </p>
            <ol class="steps">
                <li>"A small model streams into this page and runs here."</li>
                <li>"The same texts, in every language you choose, are read twice: with full weights and with rounded ones."</li>
                <li>"For each language the page shows by how much its perplexity rose: D = 0.10 means 10% higher. Perplexity says between how many next tokens the model wavers."</li>
            </ol>
            <p>"Choose and press Run."</p>
        </section>
    }
}
