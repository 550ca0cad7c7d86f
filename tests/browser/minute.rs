//! The first minute: what comes over the network before the first result stands, what moves meanwhile, and whether the page
//! ever stops answering. The time itself is the bench's affair.

use std::time::Duration;

use serde_json::json;
use xtask::minute::{LONGEST_TASK, MOST_BYTES, MOST_SHIFT, Seen, visit};
use xtask::server::Site;

use crate::languages::run;
use crate::page::{Page, dist};

/// Time for the first result, on a machine that does other things too.
const FIRST: Duration = Duration::from_secs(60);
/// Tests share their two cores with the engine's workers and whatever else runs; the bench is held to the bar itself.
const LENIENCE: f64 = 5.0;

fn longest_since(page: &Page, moment: f64) -> f64 {
    let script =
        "return Math.max(0, ...minute.tasks.filter(([begin]) => begin > arguments[0]).map(([, length]) => length))";
    page.evaluate(script, vec![json!(moment)]).as_f64().expect("a time")
}

/// Measures time: `cargo xtask test` runs it when nothing else does.
mod alone {
    use super::*;

    #[test]
    #[ignore = "needs Chromium: cargo xtask test"]
    fn the_first_result_is_light_and_steady_and_the_page_goes_on_answering() {
        let (site, watcher) = visit(&dist()).expect("the page is built");
        let page = Page::open(site, "/");
        let Seen { seconds, longest, shift, bytes, detail } =
            watcher.wait(FIRST).unwrap_or_else(|fault| page.fail(&fault.to_string()));
        println!("first result after {seconds:.2} s, longest task {longest} ms, layout shift {shift}, {bytes} bytes");
        assert!(bytes < MOST_BYTES, "{bytes} bytes before the first result");
        assert!(shift < MOST_SHIFT, "layout shift {shift}: {}", detail["shifts"]);
        assert!(longest < LENIENCE * LONGEST_TASK, "the page did not answer for {longest} ms: {}", detail["tasks"]);
        // One sentence, in plain words, with an interval.
        let sentence = page.text("#sentence").expect("a sentence");
        assert!(sentence.starts_with("At 3 bits") && sentence.contains('[') && sentence.contains(']'), "{sentence}");

        // A run of the person's own, of every language.
        let now = page.evaluate("return performance.now()", vec![]).as_f64().expect("a time");
        run(&page);
        let longest = longest_since(&page, now);
        println!("longest task of a run: {longest} ms");
        assert!(longest < LENIENCE * LONGEST_TASK, "the page did not answer for {longest} ms during a run");
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn on_a_phone_the_result_comes_before_the_choices() {
    let page = Page::open(Site::new(dist()), "/#/?backend=cpu");
    page.emulate(390, "light");
    page.wait_for("#result", FIRST);
    let top = |selector: &str| {
        let script = "return document.querySelector(arguments[0]).getBoundingClientRect().top";
        page.evaluate(script, vec![json!(selector)]).as_f64().expect("a place")
    };
    assert!(
        top("#sentence") < 1000.0 && top("#sentence") < top("#choose"),
        "{} and {}",
        top("#sentence"),
        top("#choose")
    );
    let focused = || page.evaluate("return document.activeElement.id", vec![]);
    page.click("#to-choices");
    assert_eq!(focused(), json!("choose"));
    assert!(top("#choose").abs() < 60.0 && page.shows("#run"), "{}", top("#choose"));
    page.click("#to-result");
    assert_eq!(focused(), json!("result"));
    assert!(top("#result").abs() < 60.0, "{}", top("#result"));
    // Beside each other there is nowhere to go.
    page.emulate(1440, "light");
    assert!(!page.shows("#to-choices") && !page.shows("#to-result"));
    assert!(top("#quick") < top("#choose") + 60.0 && top("#result") < top("#choose") + 200.0);
}
