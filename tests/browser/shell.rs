//! The page before, around and without its engine.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use brotli::enc::BrotliEncoderParams;
use fairbits::model::source::sha256;
use serde_json::json;
use xtask::server::{Reply, Site};

use crate::page::{LOADED, Page, STARTED, dist};

/// How long the worker's program is held back in the test of the first paint.
const HELD_BACK: Duration = Duration::from_secs(4);
/// Release wasm under Brotli, as hosts and content networks send it to every browser that runs this page.
const LARGEST_UI: usize = 1_000_000;
const LARGEST_WORKER: usize = 2_000_000;

/// Measures time: `cargo xtask test` runs it when nothing else does.
mod alone {
    use super::*;

    #[test]
    #[ignore = "needs Chromium: cargo xtask test"]
    fn the_first_paint_does_not_wait_for_the_worker() {
        let site = Site::new(dist()).hook(|ask| {
            let of_worker = ask.path.contains("worker") && ask.path.ends_with(".wasm");
            if of_worker { Reply::Late(HELD_BACK) } else { Reply::File }
        });
        let page = Page::open(site, "/");
        let painted = page.wait("the first paint", HELD_BACK, || {
            let script = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null";
            page.evaluate(script, vec![]).as_f64()
        });
        assert!(painted < HELD_BACK.as_secs_f64() * 1000.0, "painted after {painted} ms");
        page.wait("the shell", HELD_BACK / 2, || (page.shows("#status") && page.shows("#run")).then_some(()));
        let state = page.evaluate("return document.querySelector('#status').dataset.state", vec![]);
        assert_eq!(state, json!("starting"), "the engine is still held back");
        page.wait_for("#status[data-state=ready]", HELD_BACK + STARTED);
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_page_works_under_a_sub_path() {
    let page = Page::open(Site::default().mount("/deep/lab/", dist()), "/deep/lab/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    assert!(page.text("#licence").expect("the card's licence").contains("MPL-2.0"));
    page.click("#licences");
    page.wait_text("body", STARTED, |text| text.contains("leptos") && text.contains("Mozilla Public License"));
}

/// Law: what the page asks for of its worker's programs is named by what is in it, so that no copy of an older build is taken for
/// it.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_worker_is_named_by_what_is_in_it() {
    let asked = Arc::new(Mutex::new(BTreeSet::new()));
    let heard = asked.clone();
    let site = Site::new(dist()).hook(move |ask| {
        if ask.path.starts_with("/worker") {
            heard.lock().unwrap().insert(ask.path.trim_start_matches('/').to_owned());
        }
        Reply::File
    });
    let page = Page::open(site, "/");
    page.wait_for("#status[data-state=ready]", STARTED);
    let asked = asked.lock().unwrap();
    let named = |name: &String| {
        let digest = sha256(&fs::read(dist().join(name)).unwrap());
        name.strip_prefix("worker-").is_some_and(|rest| rest.starts_with(&digest[..16]))
    };
    assert!(asked.len() == 2 && asked.iter().all(named), "{asked:?}");
}

#[test]
#[ignore = "needs the built page: cargo xtask test"]
fn the_wasm_is_small() {
    let mut sizes = Vec::new();
    for file in fs::read_dir(dist()).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "wasm") {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let limit = if name.contains("worker") { LARGEST_WORKER } else { LARGEST_UI };
            sizes.push((name, compressed(&file), limit));
        }
    }
    assert_eq!(sizes.len(), 2, "one program for the page and one for the worker: {sizes:?}");
    println!("wasm under Brotli, with its limit: {sizes:?}");
    assert!(sizes.iter().all(|(_, size, limit)| size < limit), "{sizes:?}");
}

/// Bytes of a file under Brotli at its best.
fn compressed(file: &Path) -> usize {
    let settings = BrotliEncoderParams { quality: 11, ..BrotliEncoderParams::default() };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut fs::File::open(file).unwrap(), &mut compressed, &settings).unwrap();
    compressed.len()
}
