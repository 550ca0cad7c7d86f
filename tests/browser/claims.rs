//! The Claims page and the workshop, as a person uses them.

use std::time::Duration;

use fairbits::claims::CLAIMS;
use fairbits::workshop::EXERCISES;
use serde_json::json;
use xtask::server::Site;

use crate::{
    languages::{self, choose},
    page::{LOADED, Page, STARTED, dist},
    way::{stands, wait_until},
};

/// A few analyses of a few texts on a shared machine.
const RUN: Duration = Duration::from_secs(240);

fn open(fragment: &str) -> Page {
    let page = Page::open(Site::new(dist()), &format!("/#/{fragment}"));
    page.wait_for("#status[data-state=ready]", STARTED + LOADED);
    page
}

fn ruling(page: &Page, id: &str) -> String {
    let script = "return document.querySelector(arguments[0]).dataset.ruling";
    page.evaluate(script, vec![json!(format!("#claim-{id}"))]).as_str().expect("a ruling").to_owned()
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_claim_is_measured_and_judged() {
    let page = open("claims");
    assert_eq!(page.texts("article.claim").len(), CLAIMS.len());
    assert!(page.texts("article.claim .ruling").iter().all(|text| text == "not measured yet"));
    page.wait("the model", LOADED, || (!page.shows("#run-all[disabled]")).then_some(()));
    choose(&page, &["eng", "fra", "kor", "eus"], 2);
    page.click("#claim-K2 button");
    page.wait("a verdict on K2", RUN, || Some(ruling(&page, "K2")).filter(|word| word != "open"));
    // The same report speaks of other claims too; one that another analysis measures is still open.
    assert_ne!(ruling(&page, "K3"), "open");
    assert_eq!(ruling(&page, "G1"), "open");
    assert!(page.text("#claim-K2").unwrap().contains("2 texts of each of 4 languages from udhr"));
    assert_eq!(page.evaluate("return location.hash", vec![]), json!("#/claims"), "the address stays");
    // Its link leads to the page that measures, with the run in it.
    let link = page.evaluate("return document.querySelector('#claim-K2 a.reproduce').hash", vec![]);
    assert!(link.as_str().unwrap().starts_with("#/activation?run=1."), "{link}");
    page.screenshot("claims");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn runs_are_stopped_and_resumed_as_one() {
    let page = open("claims");
    page.wait("the model", LOADED, || (!page.shows("#run-all[disabled]")).then_some(()));
    choose(&page, &["eng", "kor"], 2);
    page.click("#run-all");
    page.wait_for("#progress-text", RUN);
    page.click("#cancel");
    page.wait_text("#run-all", RUN, |text| text == "Resume");
    page.click("#run-all");
    page.wait("a verdict", RUN, || Some(ruling(&page, "T2")).filter(|word| word != "open"));
    page.wait_for("#queue", RUN);
    page.click("#cancel");
    page.wait_text("#run-all", RUN, |text| text == "Resume");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn an_exercise_goes_from_prediction_to_finding() {
    let page = open("workshop?view=pinned.tour-heavy-tails");
    let exercise = EXERCISES.iter().find(|exercise| exercise.name == "heavy-tails").unwrap();
    assert_eq!(page.text("#exercise-heading").as_deref(), Some(exercise.title));
    assert!(!page.shows("header nav"), "a teacher's link has no way to other pages");
    page.wait("the model", LOADED, || page.text("#run-hint").filter(|text| text.starts_with("Predict first")));
    assert!(page.shows("#run[disabled]"), "nothing runs before a prediction");
    page.click("#prediction label:nth-of-type(2)");
    page.wait("the model", LOADED, || (!page.shows("#run[disabled]")).then_some(()));
    page.click("#run");
    page.wait_for("#finding", RUN);
    let agrees = page.text("#agrees").unwrap();
    assert!(exercise.answers.iter().any(|answer| agrees.contains(answer)), "{agrees}");
    page.screenshot("workshop");
    // The prediction is there on the next visit.
    page.reload();
    let checked = "return document.querySelector('#prediction input:checked')?.value ?? null";
    page.wait("the prediction", STARTED, || Some(page.evaluate(checked, vec![])).filter(|value| *value == json!("1")));
}

/// Law: what an exercise measured raises no alarm about a page on which nothing was chosen, and stays its answer whatever is run
/// there.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn an_exercise_raises_no_alarm_and_keeps_its_answer() {
    const EXERCISE: &str = "/#/workshop?view=tour-where-to-clip";
    let page = open("");
    page.wait_for("#model[data-state=loaded]", LOADED);
    choose(&page, &["eng", "kor", "eus"], 2);
    page.go(EXERCISE);
    page.wait_for("#prediction", STARTED);
    page.click("#prediction label:nth-of-type(1)");
    page.wait("the model", LOADED, || (!page.shows("#run[disabled]")).then_some(()));
    page.click("#run");
    let found = page.wait_for("#finding", RUN);
    assert_eq!(stands(&page, "clipping"), "done");
    assert!(!page.shows("#rerun-all"), "{:?}", page.text("#way"));
    // Another language: the exercise would measure something else, and nobody is asked to run the Clipping page.
    page.go("/#/");
    page.click("label:has(> input[name=language][value=fra])");
    wait_until(&page, "clipping", "stale");
    assert!(!page.text("#way").unwrap_or_default().contains("Clipping"), "{:?}", page.text("#way"));
    page.click("label:has(> input[name=language][value=fra])");
    wait_until(&page, "clipping", "done");
    // The page of the same analysis, with its own settings.
    page.go("/#/clipping");
    page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Run");
    languages::run(&page);
    page.go(EXERCISE);
    assert_eq!(page.wait_for("#finding", STARTED), found);
}
