//! The model panel: which model, how it streams in, its size.

use leptos::prelude::*;

use super::model_preview::{FromHere, KeptModels, PreviewPanel};
use super::progress::Progress;
use crate::client::Client;
use crate::consent;
use crate::eta;
use crate::lab::preview::{LOOKED_THROUGH, PACKED, no_tokenizer};
use crate::protocol::{How, Loaded};
use crate::report::format;
use crate::share::Place;
use crate::state::{Engine, Model, State};

/// The picker's entry for a folder typed in.
const OTHER: &str = "other";

/// Choice, loading, figures.
#[component]
pub fn ModelPanel() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let word = move || match state.model.get() {
        Model::None => "none",
        Model::Loading { .. } => "loading",
        Model::Loaded(_) => "loaded",
        Model::Failed => "failed",
    };
    let loading = Memo::new(move |_| matches!(state.model.get(), Model::Loading { .. }));
    view! {
        <section class="panel" id="model" data-state=word aria-labelledby="model-heading">
            <h2 id="model-heading">"Model"</h2>
            <Picker/>
            <p class="note">{move || state.card().map(|card| card.description)}</p>
            <Show when=move || loading.get()>
                <div class="loading">
                    <LoadProgress/>
                    <button id="load-cancel" class="quiet" type="button" on:click=move |_| client.cancel()>"Cancel"</button>
                </div>
            </Show>
            <Figures/>
            {move || {
                let Model::Loaded(loaded) = state.model.get() else { return None };
                let missing = loaded.files.tokenizer_sha256.is_none();
                missing.then(|| view! { <p id="no-tokenizer" class="note">{no_tokenizer()}</p> })
            }}
            {move || {
                let Model::Loaded(loaded) = state.model.get() else { return None };
                match loaded.how {
                    How::Weights => Some(view! { <p id="looked-through" class="note">{LOOKED_THROUGH}</p> }.into_any()),
                    How::Packed(_) => Some(view! { <p id="held-packed" class="note">{PACKED}</p> }.into_any()),
                    How::Whole | How::Fewer(_) => None,
                }
            }}
        </section>
    }
}

#[component]
fn Picker() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let ready = move || matches!(state.engine.get(), Engine::Ready { .. });
    // The page was loaded again with a host that the person allowed: it goes on where it was.
    let agreed = state.agreed.get_value().filter(|_| state.opened.with_untracked(Option::is_none));
    let other = RwSignal::new(agreed.is_some());
    let typed = RwSignal::new(agreed.clone().unwrap_or_default());
    // Not before the default model is in, whose load would take the preview's place.
    let settled = move || ready() && matches!(state.model.get(), Model::Loaded(_) | Model::Failed);
    Effect::new(move |gone: Option<bool>| match &agreed {
        Some(url) if gone != Some(true) && settled() && state.agreed.get_value().as_ref() == Some(url) => {
            state.agreed.set_value(None);
            client.preview(url.clone());
            true
        }
        _ => gone == Some(true),
    });
    let models = move || state.catalog.get().map(|catalog| catalog.models.clone()).unwrap_or_default();
    let chosen = move || {
        let known = state.model_url.get().and_then(|url| url.strip_prefix("models/").map(String::from));
        match state.model_url.get() {
            _ if other.get() => OTHER.to_string(),
            None => String::new(),
            Some(_) => known.unwrap_or_else(|| OTHER.into()),
        }
    };
    let pick = move |name: String| {
        other.set(name == OTHER);
        if name != OTHER {
            client.load(&format!("models/{name}"));
        }
    };
    let load_typed = move || {
        let text = typed.get_untracked().trim().to_string();
        if !text.is_empty() {
            // What is no place at all is left to the engine, which says what is wrong with it.
            let url = Place::typed(&text).map_or(text, |place| place.to_string());
            // The site's own models need no asking.
            if matches!(Place::parse(&url), Ok(Place::Site(_))) { client.load(&url) } else { client.preview(url) }
        }
    };
    view! {
        <label class="field" for="model-picker">"Model to measure"</label>
        <select
            id="model-picker"
            disabled=move || !ready()
            on:change=move |ev| pick(event_target_value(&ev))
        >
            <option value="" disabled=true hidden=true prop:selected=move || chosen().is_empty()>"Choose a model"</option>
            {move || models().into_iter().map(|card| {
                let (name, own) = (card.name.clone(), card.name.clone());
                view! { <option value=name prop:selected=move || chosen() == own>{card.title}</option> }
            }).collect_view()}
            <option value=OTHER prop:selected=move || chosen() == OTHER>"Another model…"</option>
        </select>
        <Show when=move || chosen() == OTHER>
            <form class="inline" on:submit=move |ev| { ev.prevent_default(); load_typed(); }>
                <label class="field" for="model-url">"Model of the hub, owner/name or owner/name@revision; or URL of a folder with config.json, tokenizer.json and model.safetensors"</label>
                <input
                    id="model-url"
                    type="text"
                    inputmode="url"
                    placeholder="owner/name or https://…/my-gpt2"
                    autocomplete="off"
                    prop:value=move || typed.get()
                    on:input=move |ev| typed.set(event_target_value(&ev))
                />
                <label class="field" for="hub">"Address of the hub, or of a mirror of it"</label>
                <input
                    id="hub"
                    type="url"
                    autocomplete="off"
                    prop:value=move || state.hub.get()
                    on:change=move |ev| {
                        let address = event_target_value(&ev);
                        if !consent::is_refused(state, &address) {
                            state.use_hub(&address);
                        }
                    }
                />
                <button id="model-load" type="submit" disabled=move || !ready()>"Look it up"</button>
            </form>
            <FromHere/>
            <PreviewPanel/>
            <KeptModels/>
        </Show>
    }
}

#[component]
fn LoadProgress() -> impl IntoView {
    let state: State = expect_context();
    let amount = Signal::derive(move || match state.model.get() {
        Model::Loading { bytes, total, .. } => (bytes as f64, total.unwrap_or(0) as f64),
        _ => (0.0, 0.0),
    });
    let text = Signal::derive(move || {
        let Model::Loading { bytes, total, seconds } = state.model.get() else { return String::new() };
        let mut text = match total {
            Some(total) => format!("{} of {}", format::bytes(bytes), format::bytes(total)),
            None => format::bytes(bytes),
        };
        if seconds > 0.0 && bytes > 0 {
            text += &format!(" · {}/s", format::bytes((bytes as f64 / seconds) as u64));
        }
        if let Some(left) = total.and_then(|total| eta::seconds_left(bytes as f64, total as f64, seconds)) {
            text += &format!(" · {} left", format::duration(left));
        }
        text
    });
    let landed = move || match state.landed.get() {
        (0, _) => String::new(),
        (count, last) => format!("{}, last: {last}", format::counted(count as u64, "tensor")),
    };
    view! {
        <Progress id="load-progress" label="Loading the model" amount text/>
        <p class="note mono">{landed}</p>
    }
}

#[component]
fn Figures() -> impl IntoView {
    let state: State = expect_context();
    move || {
        let Model::Loaded(loaded) = state.model.get() else { return None };
        Some(view! {
            <dl class="facts">
                <div><dt>"Parameters"</dt><dd>{format::count(loaded.parameters)}</dd></div>
                <div><dt>"Layers × width"</dt><dd>{format!("{} × {}", loaded.layers, format::count(loaded.width as u64))}</dd></div>
                <div><dt>"Vocabulary"</dt><dd>{format::count(loaded.vocabulary as u64)}</dd></div>
                <div><dt>"Context"</dt><dd>{format::count(loaded.context as u64)}</dd></div>
                <div><dt>"Architecture"</dt><dd>{loaded.architecture.clone()}</dd></div>
                {commit(&loaded).map(|commit| view! { <div><dt>"Commit"</dt><dd id="commit" class="mono" title=commit.clone()>{commit.chars().take(12).collect::<String>()}</dd></div> })}
                <div><dt>"Loaded"</dt><dd>{format!("{} in {}", format::bytes(loaded.bytes), format::duration(loaded.seconds))}</dd></div>
            </dl>
        })
    }
}

/// The commit of a model of a hub.
fn commit(loaded: &Loaded) -> Option<String> {
    match Place::parse(loaded.found.as_deref()?) {
        Ok(Place::Hub(reference)) => Some(reference.revision().to_string()),
        _ => None,
    }
}
