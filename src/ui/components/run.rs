//! Run, Cancel, progress.

use leptos::prelude::*;

use super::progress::Progress;
use crate::browser;
use crate::client::Client;
use crate::eta;
use crate::notifications;
use crate::protocol::{Config, Progress as Done};
use crate::queue::Queue;
use crate::report::{format, labels};
use crate::state::{Engine, Model, Run, State};

/// The buttons, what stands in the way of a run, and its progress.
#[component]
pub fn RunBar(
    /// What to run, or what is wrong with the choices, as a sentence.
    #[prop(into)]
    chosen: Signal<Result<Config, String>>,
    /// What a run will do, as a sentence.
    #[prop(into)]
    hint: Signal<String>,
    /// Whether it needs no model.
    #[prop(optional)]
    without_model: bool,
) -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let running = Memo::new(move |_| state.running());
    let config = Memo::new(move |_| -> Result<Config, String> {
        match (state.engine.get(), state.model.get()) {
            (Engine::Ready { .. }, Model::Loaded(_)) => chosen.get().and_then(|config| state.allowed(config)),
            // A run takes the place of a load.
            (Engine::Ready { .. }, Model::None | Model::Failed) if without_model => chosen.get(),
            (Engine::Ready { .. }, Model::Loading { .. }) => Err("Run can be pressed when the model is in.".into()),
            (Engine::Ready { .. }, _) => Err("Choose a model first.".into()),
            (Engine::Starting | Engine::Opening { .. } | Engine::Late, _) => {
                Err("Run can be pressed when the engine is there.".into())
            }
            (Engine::Stopped, _) => Err("The engine is not running; reload the page.".into()),
        }
    });
    let run = move |_| {
        if let Ok(config) = config.get_untracked() {
            client.run_in_turn(config);
        }
    };
    let hint = move || config.get().err().unwrap_or_else(|| hint.get());
    // What runs or waits already is not asked for twice. One memo for the button: it hangs on nothing else.
    let able = Memo::new(move |_| {
        let (config, running) = (config.get(), running.get());
        let runs = |config: &Config| running && state.running_config.with(|of| of.as_ref() == Some(config));
        let waits = |config: &Config| state.queue.with(|queue| queue.waiting().any(|of| of == config));
        config.is_ok_and(|config| !runs(&config) && !waits(&config))
    });
    // A search that was stopped goes on from its notes. They outlive the page, so only the engine knows of them.
    let idle = Memo::new(move |_| state.run.get() == Run::Idle);
    Effect::new(move |_| {
        if let (true, Ok(search @ Config::Gateway(_))) = (idle.get(), config.get()) {
            client.ask_begun(search);
        }
    });
    let resumes = Memo::new(move |_| {
        !running.get() && config.get().is_ok_and(|config| state.begun.with(|begun| begun.contains(&config)))
    });
    let label = move || match (resumes.get(), running.get() || state.queue.with(Queue::going)) {
        (true, _) => "Resume",
        (_, true) if able.get() => "Run next",
        _ => "Run",
    };
    let done = move || chosen.get().is_ok_and(|config| state.finished(config.kind()).is_some());
    view! {
        <div class="run" role="group" aria-label="Run">
            <div class="row">
                <button
                    id="run"
                    class="primary"
                    type="button"
                    disabled=move || !able.get()
                    on:click=run
                >
                    {label}
                </button>
                <button
                    id="cancel"
                    type="button"
                    disabled=move || !matches!(state.run.get(), Run::Running { .. })
                    on:click=move |_| client.cancel()
                >
                    "Cancel"
                </button>
                <Show when=notifications::possible><Notify/></Show>
                <Show when=move || done() && !running.get()>
                    <button id="to-result" class="narrow-only" type="button" on:click=|_| browser::show("result")>"To the result"</button>
                </Show>
            </div>
            <Show when=move || running.get() fallback=move || view! { <p id="run-hint" class="note">{hint}</p> }>
                <RunProgress/>
            </Show>
        </div>
    }
}

/// `#notify`: a word at the end of a run, where the page is out of sight.
#[component]
fn Notify() -> impl IntoView {
    let on = RwSignal::new(notifications::wanted());
    let press = move |_| {
        let wish = !on.get_untracked();
        leptos::task::spawn_local(async move { on.set(notifications::set_wanted(wish).await) });
    };
    view! {
        <button id="notify" type="button" class="quiet" aria-pressed=move || on.get().to_string() on:click=press>"Notify me at the end"</button>
    }
}

/// How far the run under way is.
#[component]
pub fn RunProgress() -> impl IntoView {
    let state: State = expect_context();
    let amount = Signal::derive(move || match state.run.get() {
        Run::Running { progress: Some(Done { done, total, .. }), .. } => (done as f64, total as f64),
        _ => (0.0, 0.0),
    });
    let text = Signal::derive(move || match state.run.get() {
        Run::Running { progress: None, .. } => "Reading the texts".to_string(),
        Run::Running { progress: Some(Done { step, done, total }), seconds, step_seconds, .. } => {
            let left = eta::seconds_left(done as f64, total as f64, step_seconds);
            let left = left.map(|left| format!(" · {} left", format::duration(left))).unwrap_or_default();
            format!(
                "{} of {} · {}{left}",
                format::count(done as u64),
                labels::counted_step(step, total),
                format::duration(seconds)
            )
        }
        Run::Cancelling { .. } => "Stopping".into(),
        Run::Idle => String::new(),
    });
    view! { <Progress id="progress" label="Measuring" amount text/> }
}
