//! Which languages pay: choose on the left, read on the right.

use std::sync::Arc;

use leptos::prelude::*;

use crate::protocol::{Config, Kind};
use crate::report::{format, languages};
use crate::ui::components::{
    card::CardPanel, layers::Layers, model::ModelPanel, profile::ProfilePanel, quantization::Quantization,
    result::ResultView, run::RunBar, texts::Texts,
};
use crate::ui::state::State;

/// The page `#/`.
pub fn view() -> AnyView {
    let state: State = expect_context();
    let config = Memo::new(move |_| state.choices.get().config(&state.corpora.get()));
    let chosen = Signal::derive(move || config.get().map(Config::from));
    let hint = Signal::derive(move || {
        let told = |config: languages::Config| {
            let texts = format::counted((config.languages.len() * config.units) as u64, "text");
            format!("{texts}, each read twice: in full precision and at {} bits.", config.bits.get())
        };
        config.get().map(told).unwrap_or_default()
    });
    view! {
        <h1 class="unseen-text">"Which languages pay when a language model is quantized?"</h1>
        <div class="lab">
            <div class="choose">
                <ModelPanel/>
                <Texts/>
                <Quantization/>
                <RunBar chosen hint/>
            </div>
            <div class="read">
                {move || {
                    let finished = state.finished(Kind::Languages)?;
                    let report = <&languages::Report>::try_from(&*finished.report).ok()?;
                    Some(view! { <ResultView id=finished.id report=Arc::new(report.clone()) seconds=finished.seconds/> })
                }}
                <Show when=move || state.finished(Kind::Languages).is_none()><Before/></Show>
                <ProfilePanel/>
                <Layers/>
                <CardPanel/>
            </div>
        </div>
    }
    .into_any()
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
