//! The workshop: six exercises, one at a time, with a prediction before each run.

use leptos::prelude::*;

use crate::browser;
use crate::client::Client;
use crate::components::{run::RunProgress, term::Prose};
use crate::exercise_choices;
use crate::pages::LAB;
use crate::share::View;
use crate::state::{Engine, Finished, Model, State};
use crate::workshop::{EXERCISES, Exercise, Stand, Stands, judged, read, stand_told, written};

/// Under which name progress is kept.
const KEPT: &str = "fairbits-workshop";

/// The page `#/workshop`.
pub fn view() -> AnyView {
    let state: State = expect_context();
    let stands = RwSignal::new(read(&browser::kept(KEPT).unwrap_or_default()));
    let done = move || stands.with(|all| all.values().filter(|stand| stand.found.is_some()).count());
    let named = move || state.view.with(|view| view.tour.as_deref().and_then(Exercise::named));
    let at = Memo::new(move |_| named().unwrap_or(&EXERCISES[0]));
    let pinned = move || state.view.with(|view| view.pinned);
    view! {
        <h1 class="unseen-text">"The workshop"</h1>
        <div class="workshop">
            <Show when=move || !pinned()>
                <nav class="panel exercises" aria-label="Exercises">
                    <p id="stand" class="note">{move || format!("{} of {} done", done(), EXERCISES.len())}</p>
                    <ol>
                        {EXERCISES.iter().map(|own| {
                            let here = move || (at.get().name == own.name).then_some("step");
                            view! {
                                <li>
                                    <a href=address(own, false) aria-current=here>{own.title}</a>
                                    " " <span class="note">{move || stands.with(|all| stand_told(all.get(own.name)))}</span>
                                </li>
                            }
                        }).collect_view()}
                    </ol>
                </nav>
            </Show>
            {move || view! { <ExerciseView exercise=at.get() stands/> }}
        </div>
    }
    .into_any()
}

/// Fragment of an exercise; a teacher's link has no way to other pages.
fn address(exercise: &Exercise, pinned: bool) -> String {
    let view = View { pinned, tour: Some(exercise.name.into()), bare: false };
    format!("#/workshop?view={view}")
}

#[component]
fn ExerciseView(exercise: &'static Exercise, stands: RwSignal<Stands>) -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let predicted = Memo::new(move |_| stands.with(|all| all.get(exercise.name).map(|stand| stand.predicted)));
    let config = Memo::new(move |_| {
        state
            .around(|around| exercise_choices::config(exercise, &state.settings.all(), around))
            .and_then(|config| state.allowed(config))
    });
    let ready = move || matches!((state.engine.get(), state.model.get()), (Engine::Ready { .. }, Model::Loaded(_)));
    // Only a run with the exercise's own settings answers its question; whoever asked for it.
    let ran = Memo::new(move |_| -> Option<Finished> {
        let wanted = config.get().ok()?;
        let answers = |finished: &Finished| !finished.partial && finished.report.config() == wanted;
        [state.answers.of(exercise), state.finished(exercise.kind)].into_iter().flatten().find(answers)
    });
    // The button can be pressed only while nothing else runs, so there is no turn to wait for.
    let run = move |_| {
        if let Ok(config) = config.get_untracked() {
            state.answers.expect(client.run(config), exercise);
        }
    };
    let hint = move || match (predicted.get(), config.get(), ready()) {
        (None, ..) => "Predict first: what would you expect?".to_string(),
        (_, Err(sentence), _) => sentence,
        (_, _, false) => "Run can be pressed when the model is in.".into(),
        _ => String::new(),
    };
    let set = move |stand: Stand| {
        stands.update(|all| {
            all.insert(exercise.name, stand);
        });
        browser::keep(KEPT, &stands.with_untracked(written));
    };
    // What was found is kept too: whoever comes back tomorrow knows what is left.
    Effect::new(move |_| {
        let finding = ran.with(|ran| ran.as_ref().and_then(|finished| exercise.found(&finished.report)));
        if let (Some(finding), Some(predicted)) = (finding, predicted.get()) {
            set(Stand { predicted, found: Some(finding.answer) });
        }
    });
    let found = move || {
        let (finished, predicted) = (ran.get()?, predicted.get()?);
        let finding = exercise.found(&finished.report)?;
        let page = crate::share::page(exercise.kind);
        let title = LAB.iter().find(|own| own.path == page).map_or("", |own| own.title);
        let next = EXERCISES.iter().skip_while(|own| own.name != exercise.name).nth(1);
        Some(view! {
            <section id="found" class="panel" aria-labelledby="found-heading" aria-live="polite">
                <h2 id="found-heading">"What was found"</h2>
                <p id="finding" class="sentence">{finding.sentence.clone()}</p>
                <p id="agrees">{judged(predicted, &finding)} " The figures say: “" {exercise.answers[finding.answer]} "”."</p>
                <p><strong>"The theory says: "</strong> <Prose text=exercise.theory/></p>
                <p><strong>"To go on: "</strong> <Prose text=exercise.next/></p>
                <p class="row">
                    <a href=format!("#/{page}")>{format!("See the whole report on the {title} page")}</a>
                    {next.map(|next| view! { <a href=address(next, false)>{format!("Next: {}", next.title)}</a> })}
                </p>
            </section>
        })
    };
    let link = browser::address(&address(exercise, true));
    view! {
        <div class="exercise">
            <section class="panel" aria-labelledby="exercise-heading">
                <h2 id="exercise-heading">{exercise.title}</h2>
                {exercise.background.iter().map(|text| view! { <p><Prose text=text/></p> }).collect_view()}
                <fieldset id="prediction">
                    <legend>{exercise.question}</legend>
                    {exercise.answers.iter().enumerate().map(|(at, answer)| view! {
                        <label class="answer">
                            <input type="radio" name="prediction" value=at.to_string()
                                prop:checked=move || predicted.get() == Some(at)
                                disabled=move || ran.get().is_some() && predicted.get().is_some()
                                on:change=move |_| set(Stand { predicted: at, found: None })/>
                            " " {*answer}
                        </label>
                    }).collect_view()}
                </fieldset>
                <div class="run" role="group" aria-label="Run">
                    <div class="row">
                        <button id="run" class="primary" type="button" on:click=run
                            disabled=move || predicted.get().is_none() || config.get().is_err() || !ready() || state.running()>"Run"</button>
                        <button id="cancel" type="button" on:click=move |_| client.cancel() disabled=move || !state.running()>"Cancel"</button>
                    </div>
                    <Show when=move || state.running() fallback=move || view! { <p id="run-hint" class="note">{hint}</p> }>
                        <RunProgress/>
                    </Show>
                </div>
            </section>
            {found}
            <p class="note">
                "For teachers: " <a id="teacher" href=link.clone()>"this exercise alone"</a>
                ", a link that opens exactly this exercise."
            </p>
        </div>
    }
}
