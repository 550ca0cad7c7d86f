//! Run, Cancel, progress.

use leptos::prelude::*;

use super::progress::Progress;
use crate::report::{Config, format};
use crate::ui::browser;
use crate::ui::client::Client;
use crate::ui::pace;
use crate::ui::state::{Engine, Model, Run, State};

/// The buttons, what stands in the way of a run, and its progress.
#[component]
pub fn RunBar() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let running = Memo::new(move |_| state.run.get() != Run::Idle);
    let config = Memo::new(move |_| -> Result<Config, String> {
        match (state.engine.get(), state.model.get()) {
            (Engine::Ready { .. }, Model::Loaded(_)) => state.choices.get().config(&state.corpora.get()),
            (Engine::Ready { .. }, Model::Loading { .. }) => Err("Run can be pressed when the model is in.".into()),
            (Engine::Ready { .. }, _) => Err("Choose a model first.".into()),
            (Engine::Starting | Engine::Late, _) => Err("Run can be pressed when the engine is there.".into()),
            (Engine::Stopped, _) => Err("The engine is not running; reload the page.".into()),
        }
    });
    let run = move |_| {
        if let Ok(config) = config.get_untracked() {
            client.run(config);
        }
    };
    let hint = move || match config.get() {
        Err(sentence) => sentence,
        Ok(config) => {
            let texts = (config.languages.len() * config.units) as u64;
            format!(
                "{}, each read twice: in full precision and at {} bits.",
                format::counted(texts, "text"),
                config.bits.get()
            )
        }
    };
    view! {
        <div class="run" role="group" aria-label="Run">
            <div class="row">
                <button
                    id="run"
                    class="primary"
                    type="button"
                    disabled=move || running.get() || config.get().is_err()
                    on:click=run
                >
                    "Run"
                </button>
                <button
                    id="cancel"
                    type="button"
                    disabled=move || !matches!(state.run.get(), Run::Running { .. })
                    on:click=move |_| client.cancel()
                >
                    "Cancel"
                </button>
                <Show when=move || state.finished.get().is_some() && !running.get()>
                    <button id="to-result" class="narrow-only" type="button" on:click=|_| browser::show("result")>"To the result"</button>
                </Show>
            </div>
            <Show when=move || running.get() fallback=move || view! { <p id="run-hint" class="note">{hint}</p> }>
                <RunProgress/>
            </Show>
        </div>
    }
}

#[component]
fn RunProgress() -> impl IntoView {
    let state: State = expect_context();
    let amount = Signal::derive(move || match state.run.get() {
        Run::Running { done, total, .. } => (done as f64, total as f64),
        _ => (0.0, 0.0),
    });
    let text = Signal::derive(move || match state.run.get() {
        Run::Running { total: 0, .. } => "Quantizing".to_string(),
        Run::Running { done, total, seconds, .. } => {
            let left = pace::seconds_left(done as f64, total as f64, seconds);
            let left = left.map(|left| format!(" · {} left", format::duration(left))).unwrap_or_default();
            format!(
                "{} of {} passes · {}{left}",
                format::count(done as u64),
                format::count(total as u64),
                format::duration(seconds)
            )
        }
        Run::Cancelling { .. } => "Stopping".into(),
        Run::Idle => String::new(),
    });
    view! { <Progress id="progress" label="Measuring" amount text/> }
}
