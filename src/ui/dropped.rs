//! What is dropped onto the page: files, and folders with what is in them.

use std::collections::VecDeque;

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

/// Folders inside folders are looked into this deep: a model's files lie in its folder, which may lie in another.
const DEEPEST: usize = 3;
/// Files and folders that are looked at: more than any checkpoint has. Whoever drops a whole disk is told so.
const MOST_ENTRIES: usize = 4000;

fn get(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or_default()
}

fn call(of: &JsValue, method: &str, arguments: &[&JsValue]) -> Result<JsValue, JsValue> {
    get(of, method).dyn_into::<Function>()?.apply(of, &arguments.iter().copied().collect())
}

/// The answer of a method that takes a callback for it and one for a fault.
async fn answered(of: &JsValue, method: &str) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        if let Err(fault) = call(of, method, &[&resolve, &reject]) {
            let _ = reject.call1(&JsValue::NULL, &fault);
        }
    });
    JsFuture::from(promise).await
}

/// Files and folders of a drop. To be asked for while the event is being handled: after it they are gone.
pub fn entries(event: &JsValue) -> Vec<JsValue> {
    let items = get(&get(event, "dataTransfer"), "items");
    let count = get(&items, "length").as_f64().unwrap_or_default() as u32;
    let entry = |at: u32| call(&Reflect::get_u32(&items, at).ok()?, "webkitGetAsEntry", &[]).ok();
    (0..count).filter_map(entry).filter(|entry| entry.is_object()).collect()
}

/// The files of them, with their paths. What is hidden is left out, and so is what lies too deep.
pub async fn files(entries: Vec<JsValue>) -> Result<Vec<(String, File)>, String> {
    let told =
        |_| "This browser did not hand over what was dropped; choose the folder with the button instead.".to_string();
    let mut waiting: VecDeque<(JsValue, usize)> = entries.into_iter().map(|entry| (entry, 0)).collect();
    let (mut files, mut seen) = (Vec::new(), waiting.len());
    while let Some((entry, depth)) = waiting.pop_front() {
        if seen > MOST_ENTRIES {
            return Err(format!("More than {MOST_ENTRIES} files were dropped; drop the folder of one model."));
        }
        let name = get(&entry, "name").as_string().unwrap_or_default();
        if name.is_empty() || name.starts_with('.') {
            continue;
        }
        if get(&entry, "isFile").is_truthy() {
            let path = get(&entry, "fullPath").as_string().unwrap_or(name);
            let file: File = answered(&entry, "file").await.map_err(told)?.unchecked_into();
            files.push((path.trim_start_matches('/').to_string(), file));
        } else if depth < DEEPEST {
            let reader = call(&entry, "createReader", &[]).map_err(told)?;
            // They come a hundred at a time; none are the end.
            loop {
                let some: Array = answered(&reader, "readEntries").await.map_err(told)?.unchecked_into();
                seen += some.length() as usize;
                waiting.extend(some.iter().map(|entry| (entry, depth + 1)));
                if some.length() == 0 || seen > MOST_ENTRIES {
                    break;
                }
            }
        }
    }
    Ok(files)
}
