//! From load to result, as a person does it.

use std::{collections::BTreeSet, time::Duration};

use fairbits::{cli, lab::Report};
use serde_json::{Value, json};
use xtask::server::Site;

use crate::page::{LOADED, Page, STARTED, dist};

/// A run of a few languages on a shared machine.
const RUN: Duration = Duration::from_secs(180);
/// Cancel answers within this, measured inside the page from click to idle.
const CANCEL: f64 = 500.0;
/// Figures that stand in the table and in the report under the same name.
const FIGURES: [&str; 4] = ["perplexity_full", "perplexity_quantized", "degradation", "delta_bits_per_byte"];

/// Opens the start page with so many pool members and waits for the default model.
fn open(workers: usize) -> Page {
    let page = Page::open(Site::new(dist()), &format!("/#/?workers={workers}"));
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    page
}

/// Ticks exactly these languages and sets the size of the run.
pub fn choose(page: &Page, languages: &[&str], units: usize) {
    page.click("#languages-none");
    for code in languages {
        page.click(&format!("label:has(> input[name=language][value={code}])"));
    }
    page.fill("#units", &units.to_string());
    page.fill("#resamples", "200");
    page.click("label:has(> input[name=bits][value='3'])");
}

/// Presses Run and waits for the report of a run that was not there before.
pub fn run(page: &Page) -> Value {
    let number = |page: &Page| page.evaluate("return document.querySelector('#result')?.dataset.run ?? null", vec![]);
    let before = number(page);
    page.click("#run");
    // A quick look may come to its end just before.
    let own = |now: &Value| !now.is_null() && *now != before && !page.shows("#quick");
    page.wait("a new result", RUN, || Some(number(page)).filter(own));
    page.report()
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_person_gets_from_load_to_result() {
    let page = open(0);
    assert!(page.text("#status").unwrap().contains("CPU"), "{:?}", page.text("#status"));
    let kurtosis = page.texts("#layers td[data-layer][data-figure=kurtosis]");
    assert!(kurtosis.len() == 12 && kurtosis.iter().all(|figure| !figure.is_empty()), "each layer's κ: {kurtosis:?}");
    let languages = ["eng", "fra", "kor", "eus"];
    choose(&page, &languages, 3);
    let report = run(&page);
    let rows = report["rows"].as_array().expect("rows");
    let codes: BTreeSet<_> = rows.iter().map(|row| row["code"].as_str().unwrap()).collect();
    assert_eq!(codes, BTreeSet::from(languages));
    assert_eq!(report["config"]["quantizer"]["bits"], json!(3));
    let shown = page.figures();
    for row in rows {
        let code = row["code"].as_str().unwrap();
        assert!(page.shows(&format!("#chart [data-key={code}]")), "{code} is not in the chart");
        for figure in FIGURES {
            assert_eq!(shown[code][figure].as_f64(), row[figure]["value"].as_f64(), "{code}: {figure}");
        }
    }
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("languages");
}

/// Nothing is pressed: a result stands there, says that it is a quick look, and leaves the address as it is. It follows what is
/// chosen until the person has a result of their own.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_quick_look_stands_there_before_anything_is_pressed_and_follows_the_choices() {
    let page = open(0);
    page.wait_for("#quick", RUN);
    assert!(page.text("#sentence").unwrap().starts_with("At 3 bits"), "{:?}", page.text("#sentence"));
    // By another measure it is another sentence, another title, and the same run.
    let by_kl = page.text("#sentence").unwrap();
    assert!(by_kl.contains("bits per text"), "{by_kl}");
    page.choose("#measure", "degradation");
    page.wait_text("#sentence", RUN, |text| text.contains("perplexity"));
    page.wait_text("#result h3", RUN, |text| text.contains("by D"));
    page.choose("#measure", "kl_per_text");
    assert_eq!(page.wait_text("#sentence", RUN, |text| text.contains("bits per text")), by_kl);
    assert_eq!(page.evaluate("return location.hash", vec![]), json!("#/?workers=0"));
    let report = page.report();
    assert_eq!((&report["config"]["texts"]["units"], report["rows"].as_array().unwrap().len()), (&json!(3), 12));
    // Another width and back again: nothing is pressed but the width.
    for bits in ["4", "3"] {
        page.click(&format!("label:has(> input[name=quick-bits][value='{bits}'])"));
        page.wait_text("#sentence", RUN, |text| text.starts_with(&format!("At {bits} bits")));
        assert_eq!(page.report()["config"]["quantizer"]["bits"], json!(bits.parse::<u8>().unwrap()));
        assert!(page.shows("#quick") && !page.shows("#stale"), "at {bits} bits");
    }
    assert_eq!(page.report(), report, "the same look, the same bits");
    page.choose("#model-picker", "bal-bal");
    page.wait_text("#result h3", RUN, |text| text.contains("bal-bal"));
    assert_eq!(page.evaluate("return location.hash", vec![]), json!("#/?workers=0"));
    choose(&page, &["eng", "kor"], 2);
    assert_eq!(run(&page)["rows"].as_array().unwrap().len(), 2);
    assert!(!page.shows("#quick"));
    // A result of the person's own is not taken from them.
    page.click("label:has(> input[name=bits][value='5'])");
    page.wait_for("#stale", RUN);
    assert_eq!(page.report()["config"]["quantizer"]["bits"], json!(3));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_browser_and_the_native_program_give_the_same_bits() {
    let page = open(0);
    choose(&page, &["eng", "ell", "kor"], 2);
    let shown = run(&page);
    let config = serde_json::from_value::<Report>(shown.clone()).expect("a report").config();
    let folder = dist().join("models").join(shown["model"].as_str().expect("the model's name"));
    let model = cli::load(folder).expect("the same model");
    let native = cli::measure(&model, dist(), &config).expect("the same run");
    // Shortest round-trip decimals: equal text means equal bits.
    assert_eq!(shown, serde_json::to_value(&native).unwrap());
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_number_of_workers_does_not_change_a_bit() {
    let reports: Vec<Value> = [1, 2]
        .map(|workers| {
            let page = open(workers);
            choose(&page, &["eng", "rus", "jpn"], 2);
            run(&page)
        })
        .into();
    // Parsed numbers keep every bit: serde_json reads and writes shortest round-trip decimals.
    assert_eq!(reports[0], reports[1]);
}

/// Measures time: `cargo xtask test` runs it when nothing else does.
mod alone {
    use super::*;

    #[test]
    #[ignore = "needs Chromium: cargo xtask test"]
    fn cancel_answers_within_half_a_second_and_the_page_goes_on() {
        let page = open(0);
        page.click("#languages-trained");
        page.fill("#units", "30");
        page.click("#run");
        page.wait_text("#progress-text", RUN, |text| text.starts_with(|c: char| ('1'..='9').contains(&c)));
        let script = "const done = arguments[arguments.length - 1], start = performance.now(); \
                      document.querySelector('#cancel').click(); \
                      const look = setInterval(() => { \
                        if (!document.querySelector('#run-hint')) return; \
                        clearInterval(look); done(performance.now() - start); }, 5);";
        let milliseconds = page.evaluate_later(script).as_f64().expect("a time");
        assert!(milliseconds < CANCEL, "Cancel answered after {milliseconds} ms");
        // A quick look may have come to its end before it gave way.
        assert!(page.text("#result").is_none() || page.shows("#quick"), "a cancelled run leaves no result");
        choose(&page, &["eng"], 2);
        assert_eq!(run(&page)["rows"].as_array().unwrap().len(), 1);
    }
}
