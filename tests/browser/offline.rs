//! The page without a network, and a newer version of it.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

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

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_new_version_is_told_and_taken_when_the_person_wants_it() {
    let updated = Arc::new(AtomicBool::new(false));
    let deployed = updated.clone();
    let [script, index] =
        ["offline.js", "index.html"].map(|name| fs::read_to_string(dist().join(name)).expect("the page is built"));
    // Another index.html, so another digest in the list.
    let newer = script.replacen("[\"index.html\",\"", "[\"index.html\",\"0", 1);
    assert_ne!(script, newer);
    let changed = index.replace("<title>", "<meta name=\"newer\"><title>");
    assert_ne!(index, changed);
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
