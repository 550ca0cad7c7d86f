//! A model before it is loaded: what it is, whether it fits, one click to go on; files of this device; what is kept.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, FileList, HtmlInputElement};

use crate::browser;
use crate::client::Client;
use crate::dropped;
use crate::lab::preview;
use crate::protocol::{How, Keeping, LOCAL, Previewed};
use crate::report::format;
use crate::state::{NextModel, State};

/// `#preview`, with `#load-whole`, `#load-packed`, `#load-weights`, `#load-not` and, where there is no room to keep it, `#evict`.
#[component]
pub fn PreviewPanel() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    move || match state.ahead.get() {
        NextModel::Nothing => None,
        NextModel::Asked => Some(view! { <p class="note" role="status">"Reading what the model is…"</p> }.into_any()),
        NextModel::Told(ahead) => Some(told(state, client, &ahead)),
    }
}

fn told(state: State, client: Client, ahead: &Previewed) -> AnyView {
    let Previewed { url, name, preview, room } = ahead;
    let local = url.starts_with(LOCAL);
    let button = |id: &'static str, label: String, primary: bool, how: How| {
        let url = url.clone();
        let load = move |_| {
            if !local {
                browser::persist();
            }
            client.load_as(&url, how);
        };
        view! { <button id=id type="button" class:primary=primary on:click=load>{label}</button> }
    };
    let best = preview.best(room);
    let whole = match best {
        Some(How::Whole) => Some(button("load-whole", "Load it".into(), true, How::Whole)),
        Some(how @ How::Fewer(workers)) => {
            let label = format!("Load it with {}", format::counted(workers as u64, "worker"));
            Some(button("load-whole", label, true, how))
        }
        _ => None,
    };
    let packed = preview.packed_by(room).map(|workers| {
        let how = How::Packed(workers);
        button("load-packed", "Hold it packed only".into(), best == Some(how), how)
    });
    let looks = best
        .map(|best| button("load-weights", "Look through its weights only".into(), best == How::Weights, How::Weights));
    let bytes = preview.bytes;
    let storage = (!local).then_some(move || room_to_keep(&state.keeping.get(), bytes, client));
    view! {
        <div id="preview" class="inline" role="group" aria-label="Before the model is loaded">
            <p><strong>{name.clone()}</strong> " · " {preview::told(preview)}</p>
            <p class="note">{preview::fit(preview, room)}</p>
            {(!preview.tokenizer).then(|| view! { <p id="preview-no-tokenizer" class="note">{preview::no_tokenizer()}</p> })}
            <div class="row">
                {whole}
                {packed}
                {looks}
                <button id="load-not" type="button" on:click=move |_| state.ahead.set(NextModel::Nothing)>"Not now"</button>
            </div>
            // It comes later, and must not move a button from under the pointer.
            {storage}
        </div>
    }
    .into_any()
}

/// Whether the browser has room to keep a model for the next visit; where it has not, the model that was read longest ago may
/// leave.
fn room_to_keep(keeping: &Keeping, bytes: u64, client: Client) -> Option<AnyView> {
    let left = keeping.allowed?.saturating_sub(keeping.used?);
    if bytes <= left {
        let said = format!("The browser has room to keep it for the next visit: {} are left.", format::bytes(left));
        return Some(view! { <p class="note">{said}</p> }.into_any());
    }
    let said = format!(
        "The browser leaves {} for what is kept, so not all of this model would be kept for the next visit.",
        format::bytes(left)
    );
    Some(view! { <p class="note">{said}</p> {evict("evict", keeping, client)} }.into_any())
}

/// Asks whether the model that was read longest ago may leave; never the one that room is made for.
fn evict(id: &'static str, keeping: &Keeping, client: Client) -> Option<impl IntoView + use<>> {
    let oldest = keeping.models.iter().find(|model| keeping.unkept.as_ref() != Some(&model.name))?;
    let names = vec![oldest.name.clone()];
    let label = format!("Remove {} ({}), which was read longest ago", oldest.name, format::bytes(oldest.bytes));
    Some(view! { <button id=id type="button" on:click=move |_| client.remove(names.clone())>{label}</button> })
}

/// `#folder` and `#files`, and a place to drop files and folders on, `#drop`.
#[component]
pub fn FromHere() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let take = move |files: Option<FileList>| client.preview_files(chosen(files));
    let picked = move |ev: web_sys::Event| take(event_target::<HtmlInputElement>(&ev).files());
    let dropped = move |ev: web_sys::Event| {
        ev.prevent_default();
        let entries = dropped::entries(&ev);
        spawn_local(async move {
            match dropped::files(entries).await {
                Ok(files) => client.preview_files(files),
                Err(sentence) => state.error.set(Some(sentence)),
            }
        });
    };
    view! {
        <div id="drop" class="inline" on:dragover=|ev| ev.prevent_default() on:drop=move |ev| dropped(ev.into())>
            <label class="field" for="folder">"Or a folder of this device, read in place: nothing is uploaded"</label>
            <input id="folder" type="file" multiple prop:webkitdirectory=true on:change=picked/>
            <label class="field" for="files">"Or its files: choose them together, or drop them or their folder here"</label>
            <input id="files" type="file" multiple on:change=picked/>
        </div>
    }
    .into_any()
}

/// Files with their paths inside the folder that was chosen.
fn chosen(files: Option<FileList>) -> Vec<(String, File)> {
    let Some(files) = files else { return Vec::new() };
    let path = |file: &File| {
        let path = js_sys::Reflect::get(file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
        path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name())
    };
    (0..files.length()).filter_map(|at| files.get(at)).map(|file| (path(&file), file)).collect()
}

/// `#kept-models`: what is kept, how much the browser allows, and a button to remove each; where there was no room for the model
/// that was loaded last, `#make-room`.
#[component]
pub fn KeptModels() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    move || {
        let keeping = state.keeping.get();
        let no_room = keeping.unkept.as_ref().map(|name| {
            let said = format!(
                "There was no room to keep all of {name}: what is missing will be fetched again at the next visit."
            );
            view! { <p class="note">{said}</p> {evict("make-room", &keeping, client)} }
        });
        let Keeping { models, used, allowed, .. } = keeping.clone();
        if models.is_empty() {
            return None;
        }
        let bytes = models.iter().map(|model| model.bytes).sum();
        let allowed = match (used, allowed) {
            (Some(used), Some(allowed)) => {
                format!("; the site has {} of the {} that it may have", format::bytes(used), format::bytes(allowed))
            }
            _ => String::new(),
        };
        let row = |model: crate::protocol::KeptModel| {
            let names = vec![model.name.clone()];
            view! {
                <li>
                    {format!("{}, {} ", model.name, format::bytes(model.bytes))}
                    <button type="button" on:click=move |_| client.remove(names.clone())>"Remove"</button>
                </li>
            }
        };
        Some(
            view! {
                {no_room}
                <details id="kept-models">
                    <summary>{format!("Kept in this browser: {} in {}{allowed}", format::bytes(bytes), format::counted(models.len() as u64, "model"))}</summary>
                    <ul>{models.into_iter().map(row).collect_view()}</ul>
                </details>
            }
            .into_any(),
        )
    }
}
