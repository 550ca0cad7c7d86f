//! The way through: how each page stands, what waits, what is stale after a change; and the page's manners around long work.

use std::time::Duration;

use serde_json::json;

use crate::languages::{choose, run};
use crate::page::{LOADED, Page, STARTED};
use crate::weights::open;

/// Small runs, one after another.
const RUN: Duration = Duration::from_secs(120);

/// How a page stands, by its place in the navigation.
pub fn stands(page: &Page, path: &str) -> String {
    let script = "return document.querySelector(`header nav a[href='#/${arguments[0]}']`)?.dataset.state ?? 'none'";
    page.evaluate(script, vec![json!(path)]).as_str().expect("a word").to_owned()
}

pub fn wait_until(page: &Page, path: &str, word: &str) {
    page.wait(&format!("#/{path} as {word}"), RUN, || (stands(page, path) == word).then_some(()));
}

/// What `beforeunload` is answered with.
fn warns(page: &Page) -> bool {
    page.evaluate("return !dispatchEvent(new Event('beforeunload', { cancelable: true }))", vec![]) == json!(true)
}

/// Law: a result is stale as soon as what it depends on changes, and no other is; one click measures it again; a change back makes
/// it fit again without a run.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_change_makes_results_stale_and_one_click_renews_them() {
    let page = open("weights");
    run(&page);
    assert_eq!(stands(&page, "weights"), "done");
    page.go("/#/");
    choose(&page, &["eng", "kor"], 2);
    run(&page);
    assert_eq!((stands(&page, ""), stands(&page, "activation")), ("done".into(), "none".into()));
    assert!(!page.shows("#stale") && !page.shows("#rerun-all"));
    page.click("label:has(> input[name=bits][value='4'])");
    wait_until(&page, "", "stale");
    assert_eq!(stands(&page, "weights"), "done", "weights do not depend on the width");
    assert!(page.shows("#stale") && page.text("#way").unwrap().contains("The result of Languages no longer fits"));
    page.click("label:has(> input[name=bits][value='3'])");
    wait_until(&page, "", "done");
    page.click("label:has(> input[name=bits][value='4'])");
    page.click("#rerun-all");
    wait_until(&page, "", "done");
    assert_eq!(page.report()["config"]["quantizer"]["bits"], json!(4));
    // Another model makes both stale.
    page.choose("#model-picker", "bal-bal");
    page.wait_for("#model[data-state=loaded]", LOADED);
    wait_until(&page, "weights", "stale");
    wait_until(&page, "", "stale");
    page.click("#rerun");
    wait_until(&page, "", "done");
    assert_eq!(page.report()["model"], json!("bal-bal"));
    assert_eq!(stands(&page, "weights"), "stale");
}

/// Law: what is asked for while something runs waits for its turn and comes then, once; the page asks before the tab closes on it, and
/// only then.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn runs_wait_for_their_turn_and_the_tab_does_not_close_on_them() {
    let page = open("");
    choose(&page, &["eng", "kor", "rus", "fra", "jpn", "ell"], 12);
    assert!(!warns(&page));
    page.click("#run");
    wait_until(&page, "", "running");
    assert!(warns(&page), "a run is under way");
    assert!(page.shows("#run:disabled"), "the same run is not asked for twice");
    page.go("/#/activation");
    page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Run next");
    page.click("#run");
    wait_until(&page, "activation", "queued");
    assert!(page.text("#way").unwrap().contains("Next: Activation."), "{:?}", page.text("#way"));
    page.go("/#/weights");
    page.click("#run");
    wait_until(&page, "weights", "queued");
    page.click("#clear-queue");
    page.wait("an empty queue", STARTED, || (stands(&page, "weights") == "none").then_some(()));
    page.click("#run");
    wait_until(&page, "", "done");
    wait_until(&page, "weights", "done");
    assert_eq!(stands(&page, "activation"), "none", "what was dropped does not come");
    assert!(!warns(&page));
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

/// A word at the end of a run, where the person asked for it and looks elsewhere; settings stay from visit to visit.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_person_is_told_at_the_end_and_settings_stay() {
    let page = open("");
    let stub = "window.told = []; window.Notification = class { constructor(title, { body }) { told.push(body); } \
                static permission = 'default'; \
                static requestPermission() { this.permission = 'granted'; return Promise.resolve('granted'); } };";
    page.evaluate(stub, vec![]);
    choose(&page, &["eng", "kor"], 2);
    run(&page);
    page.click("#notify");
    page.wait("the wish", STARTED, || page.shows("#notify[aria-pressed=true]").then_some(()));
    run(&page);
    assert_eq!(page.evaluate("return told", vec![]), json!([]), "nobody is told who looks on");
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })", vec![]);
    run(&page);
    page.wait("a word", STARTED, || {
        Some(page.evaluate("return told", vec![])).filter(|told| *told == json!(["Languages is measured."]))
    });

    page.click("label:has(> input[name=bits][value='5'])");
    page.fill("#units", "4");
    page.evaluate_later("const done = arguments[arguments.length - 1]; setTimeout(done, 800);");
    page.go("/?again#/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    let chosen = "return [document.querySelector('input[name=bits]:checked').value, document.querySelector('#units').value, \
                  [...document.querySelectorAll('input[name=language]:checked')].map((input) => input.value).sort()]";
    let kept = json!(["5", "4", ["eng", "kor"]]);
    page.wait("what was chosen", STARTED, || Some(page.evaluate(chosen, vec![])).filter(|chosen| *chosen == kept));
    page.click("#forget-settings");
    page.wait("the usual settings", STARTED, || {
        Some(page.evaluate(chosen, vec![])).filter(|chosen| chosen[0] == json!("3"))
    });
}

/// Law: whoever follows a link begins at the top of the page that it leads to; whoever goes back is where they were.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_link_leads_to_the_top_of_its_page() {
    let page = open("");
    let height = || page.evaluate("return Math.round(scrollY)", vec![]).as_u64().expect("a height");
    page.wait_for("#result", STARTED + LOADED);
    page.evaluate("scrollTo({ top: 300, behavior: 'instant' })", vec![]);
    assert_eq!(height(), 300);
    page.evaluate("document.querySelector('header nav a[href=\"#/weights\"]').click()", vec![]);
    page.wait("the other page", STARTED, || {
        (page.evaluate("return location.hash", vec![]) == json!("#/weights")).then_some(())
    });
    page.wait("its top", STARTED, || (height() == 0).then_some(()));
}
