//! The page without a network, and a newer version of it.

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use fairbits::model::source::sha256;
use serde_json::json;
use xtask::server::{Reply, Site};

use crate::languages::{choose, run};
use crate::page::{LOADED, Page, STARTED, dist};
use crate::weights::native;

/// Time for the browser to keep the page, the default model and the texts.
const KEPT: Duration = Duration::from_secs(60);

fn loaded(page: &Page) {
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn after_one_visit_the_page_works_without_a_network() {
    let cut = Arc::new(AtomicBool::new(false));
    let wire = cut.clone();
    let site = Site::new(dist()).hook(move |_| if wire.load(Ordering::SeqCst) { Reply::Nothing } else { Reply::File });
    let page = Page::open(site, "/#/");
    loaded(&page);
    page.wait_for("#kept[data-state=all]", KEPT);
    cut.store(true, Ordering::SeqCst);
    let reached = page.evaluate_later(
        "const done = arguments[arguments.length - 1]; fetch('nothing.json').then(() => done(true), () => done(false));",
    );
    assert_eq!(reached, serde_json::json!(false), "the network is off");
    page.reload();
    loaded(&page);
    choose(&page, &["eng", "kor"], 2);
    let shown = run(&page);
    assert_eq!(shown, serde_json::to_value(native(&shown)).unwrap(), "the same bits");
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

/// A browser that has a file in parts may hand out the whole with the status of a part, which its cache does not take.
const IN_PARTS: &str = "const asked = self.fetch; self.fetch = async (url, options) => { \
    const answer = await asked(url, options); \
    return options?.cache === 'no-cache' ? new Response(await answer.blob(), { status: 206 }) : answer; };\n";

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_file_that_the_browser_holds_in_parts_is_kept_whole() {
    let own = fs::read_to_string(dist().join("offline.js")).expect("the page is built");
    let page = Page::open(
        Site::new(dist()).hook(move |ask| match ask.path {
            "/offline.js" => Reply::Text("text/javascript", format!("{IN_PARTS}{own}")),
            _ => Reply::File,
        }),
        "/#/",
    );
    loaded(&page);
    page.wait_for("#kept[data-state=all]", KEPT);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_new_version_is_told_and_taken_when_the_person_wants_it() {
    let updated = Arc::new(AtomicBool::new(false));
    let deployed = updated.clone();
    let [script, index] =
        ["offline.js", "index.html"].map(|name| fs::read_to_string(dist().join(name)).expect("the page is built"));
    let changed = index.replace("<title>", "<meta name=\"newer\"><title>");
    // Another index.html, so another digest in the list.
    let newer = script.replacen(&sha256(index.as_bytes()), &sha256(changed.as_bytes()), 1);
    assert!(script != newer && index != changed);
    let site = Site::new(dist()).hook(move |ask| match (deployed.load(Ordering::SeqCst), ask.path) {
        (true, "/offline.js") => Reply::Text("text/javascript", newer.clone()),
        (true, "/" | "/index.html") => Reply::Text("text/html", changed.clone()),
        _ => Reply::File,
    });
    let page = Page::open(site, "/#/");
    loaded(&page);
    page.wait_for("#kept[data-state=all]", KEPT);
    updated.store(true, Ordering::SeqCst);
    page.reload();
    loaded(&page);
    // Still the version that was kept: nothing changes under the person's hands.
    let newer = || page.evaluate("return document.querySelector('meta[name=newer]') !== null", vec![]) == json!(true);
    assert!(!newer(), "the new version took the place of the old one by itself");
    page.wait_text("#kept[data-state=newer]", KEPT, |text| text == "A new version of this page is there.");
    page.click("#newer");
    page.wait("the new version", STARTED, || newer().then_some(()));
    loaded(&page);
}

/// Installs the service worker anew, under an address of its own, and gives whether it came to that, and how many kept files are not
/// what their digests say, of how many.
const INSTALL: &str = "const done = arguments[arguments.length - 1]; (async () => { \
    for (const name of await caches.keys()) await caches.delete(name); \
    const registration = await navigator.serviceWorker.register(`/offline.js?${Math.random()}`); \
    const worker = registration.installing ?? registration.waiting ?? registration.active; \
    const installed = await new Promise((ended) => { \
        const look = () => { if (worker.state !== 'installing') ended(worker.state !== 'redundant'); }; \
        worker.onstatechange = look; look(); }); \
    let wrong = 0, all = 0; \
    for (const name of await caches.keys()) { const cache = await caches.open(name); \
        for (const request of await cache.keys()) { all += 1; \
            const bytes = await (await cache.match(request)).arrayBuffer(); \
            const digest = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]; \
            const hex = digest.map((byte) => byte.toString(16).padStart(2, '0')).join(''); \
            if (new URL(request.url).searchParams.get('sha256') !== hex) wrong += 1; } } \
    return [installed, wrong, all]; })().then(done, (fault) => done([String(fault), -1, -1]));";

/// A page of a network that wants one to sign in first.
const SIGN_IN: &str = "<!doctype html><h1>Sign in</h1>";

/// Law: a wrong answer in place of any one file keeps the service worker from being installed, and is itself never kept.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn one_wrong_answer_for_any_file_is_not_kept() {
    let script = fs::read_to_string(dist().join("offline.js")).expect("the page is built");
    let list = script.split_once("new Map(").and_then(|(_, rest)| rest.split_once(");")).expect("a list of files").0;
    let files: Vec<(String, String)> = serde_json::from_str(list).expect("names and digests");
    let wrong = Arc::new(Mutex::new(None));
    let answered = wrong.clone();
    let site = Site::new(dist()).hook(move |ask| match answered.lock().unwrap().as_deref() {
        Some(file) if ask.path == format!("/{file}") => Reply::Text("text/html", SIGN_IN.into()),
        _ => Reply::File,
    });
    // Not the page itself, which would install the service worker too.
    let page = Page::open(site, "/models/catalog.json");
    assert_eq!(page.evaluate_later(INSTALL), json!([true, 0, files.len()]));
    for (file, _) in &files {
        *wrong.lock().unwrap() = Some(file.clone());
        let ended = page.evaluate_later(INSTALL);
        assert_eq!((&ended[0], &ended[1]), (&json!(false), &json!(0)), "{file}: {ended}");
        *wrong.lock().unwrap() = None;
    }
}

/// Law: a damaged cache heals on the next visit.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_damaged_cache_heals() {
    let page = Page::open(Site::new(dist()), "/#/");
    loaded(&page);
    page.wait_for("#kept[data-state=all]", KEPT);
    let damage = "const done = arguments[arguments.length - 1]; (async () => { let damaged = 0; \
        for (const name of await caches.keys()) { const cache = await caches.open(name); \
            for (const request of await cache.keys()) { \
                const html = new Response('<h1>Sign in</h1>', { headers: { 'Content-Type': 'text/html' } }); \
                await cache.put(request, html); damaged += 1; } } \
        return damaged; })().then(done, (fault) => done(String(fault)));";
    assert!(page.evaluate_later(damage).as_u64().is_some_and(|damaged| damaged > 20));
    // The service worker has looked at the files before: it is stopped, as browsers do when it idles.
    page.command("ServiceWorker.enable", &json!({}));
    page.command("ServiceWorker.stopAllWorkers", &json!({}));
    page.reload();
    loaded(&page);
    choose(&page, &["eng", "kor"], 2);
    run(&page);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

/// Law: two sites under one origin keep their own files.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn two_sites_of_one_origin_keep_their_own_files() {
    let cut = Arc::new(AtomicBool::new(false));
    let wire = cut.clone();
    let site = Site::default().mount("/a/", dist()).mount("/b/", dist());
    let site = site.hook(move |_| if wire.load(Ordering::SeqCst) { Reply::Nothing } else { Reply::File });
    let page = Page::open(site, "/a/#/");
    for path in ["/a/#/", "/b/#/"] {
        page.go(path);
        loaded(&page);
        page.wait_for("#kept[data-state=all]", KEPT);
    }
    cut.store(true, Ordering::SeqCst);
    for path in ["/a/#/", "/b/#/"] {
        page.go(path);
        loaded(&page);
        assert_eq!(page.text("#error").unwrap_or_default(), "", "{path}");
    }
}
