//! The Gateway page: search, stop, come back, go on, and what is shown in the end is what the native program reports.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use fairbits::lab::{
    Report,
    gateway::{self, Branch, Family},
};
use safetensors::SafeTensors;
use serde_json::{Value, json};
use xtask::server::Site;

use crate::architectures::{tokenizer, wait_for_tiny};
use crate::hub::load_typed;
use crate::page::{LOADED, Page, STARTED, dist};
use crate::weights::{figure, native, open, saved};

/// Time for a search of a hundred sets over six texts, on a machine that does other things too.
const SEARCHED: Duration = Duration::from_secs(240);
const LANGUAGES: [&str; 3] = ["eng", "kor", "ell"];

/// Pairs of layers and the sweeps, on six texts.
fn choose(page: &Page) {
    page.click("#languages-none");
    for code in LANGUAGES {
        page.click(&format!("label:has(> input[name=language][value={code}])"));
    }
    page.fill("#units", "2");
    page.fill("#resamples", "200");
    page.click("label:has(> input[name=budgets][value='3'])");
    assert_eq!(page.text("#run-hint").as_deref(), Some("Choose at least one number of layers to protect."));
    page.click("label:has(> input[name=budgets][value='2'])");
}

/// Keeps every text that the progress had.
fn watch_progress(page: &Page) {
    let script = "window.seen = []; new MutationObserver(() => { \
                  const text = document.querySelector('#progress-text')?.textContent; \
                  if (text && window.seen.at(-1) !== text) window.seen.push(text); \
                  }).observe(document.body, { subtree: true, childList: true, characterData: true });";
    page.evaluate(script, vec![]);
}

/// How many walks were done in each of the texts, in their order.
fn walks(page: &Page) -> Vec<u64> {
    let seen: Vec<String> = serde_json::from_value(page.evaluate("return window.seen", vec![])).expect("texts");
    let done = |text: &String| {
        text.split_once(" of ").filter(|(_, rest)| rest.contains("walks")).map(|(done, _)| done.replace(',', ""))
    };
    seen.iter().filter_map(done).map(|done| done.parse().expect("a count")).collect()
}

/// Waits for part of a result of a run that goes on, and stops it.
fn stop_at_a_part(page: &Page) {
    page.wait_for("#result[data-state=partial]", SEARCHED);
    page.click("#cancel");
    page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Resume");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_search_goes_on_where_it_stopped_and_ends_with_the_bits_of_the_native_program() {
    let page = open("gateway");
    choose(&page);
    let steps = Family::new(12, [0, 1, 2, 11, 12]).steps(Branch::ROOT);
    let hint = page.text("#run-hint").unwrap();
    assert!(
        hint.starts_with(&format!("92 sets × 6 texts: {steps} layer evaluations of each text instead of 1,104")),
        "{hint}"
    );

    // Stopped: what is there stays, and says that it is a part.
    watch_progress(&page);
    page.click("#run");
    stop_at_a_part(&page);
    let told = page.text("#sentence").unwrap();
    assert!(told.contains(" of 92 sets so far; the ranking can still change."), "{told}");
    assert!(page.shows("#waiting") && !page.shows("#interactions") && !page.shows("#picks"));
    let part = page.report();
    assert!(part["rows"].as_array().expect("rows").len() < 92);
    // Other choices are another search.
    page.fill("#units", "3");
    page.wait_text("#run", STARTED, |text| text == "Run");
    page.fill("#units", "2");
    page.wait_text("#run", STARTED, |text| text == "Resume");
    let before = *walks(&page).last().expect("some walks were done");
    assert!(before > 0);

    // A page that was closed: the search begins where it was left.
    page.reload();
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    assert!(!page.shows("#result"));
    // What was chosen is chosen again.
    page.wait_text("#run-hint", STARTED, |text| text.starts_with("92 sets × 6 texts"));
    // Nothing is shown of the search, and the page has found its notes all the same.
    page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Resume");
    watch_progress(&page);
    page.click("#run");
    stop_at_a_part(&page);
    let after = walks(&page);
    assert!(after[0] >= 6, "the first tenth was noted, and the first progress is {after:?}");

    // Resumed: the same bits as a search that was never stopped.
    page.click("#run");
    page.wait_for("#result[data-state=whole]", SEARCHED);
    assert_eq!(page.text("#run").as_deref(), Some("Run"));
    let shown = page.report();
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Gateway(report) = native else { panic!("another analysis") };
    compare(&page, &report);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    // What goes on from its notes shows one part after another at once, each in place of the one before.
    assert_eq!(page.broken(), None);
    page.screenshot("gateway");
}

/// Every set of twelve layers, on four texts.
const ALL_SEARCHED: Duration = Duration::from_secs(300);
/// Ten times in the search the page lays out thousands of sets, beside two workers that have both cores; on a machine that was
/// five times overbooked it was away for 1.8 s once, and less than that leaves a person in no doubt that it lives.
const LONGEST_STALL_MS: f64 = 2000.0;

/// The tiny GPT-2 with each of its three layers four times: what is tried is how the page takes thousands of sets, and those of
/// the default model would take both cores for minutes.
fn twelve_layers() -> PathBuf {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gpt2-tiny");
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("twelve");
    let folder = root.join("gpt2-twelve");
    fs::create_dir_all(&folder).unwrap();
    let mut config: Value = serde_json::from_slice(&fs::read(tiny.join("config.json")).unwrap()).unwrap();
    let own = config["n_layer"].as_u64().expect("a number") as usize;
    config["n_layer"] = json!(LAYERS);
    let bytes = fs::read(tiny.join("model.safetensors")).unwrap();
    let mut tensors = Vec::new();
    for (name, view) in SafeTensors::deserialize(&bytes).unwrap().tensors() {
        match name.split_once("h.").and_then(|(before, rest)| Some((before, rest.split_once('.')?))) {
            Some((before, (layer, part))) => {
                let first: usize = layer.parse().expect("a layer's number");
                let layers = (first..LAYERS).step_by(own);
                tensors.extend(layers.map(|layer| (format!("{before}h.{layer}.{part}"), view.clone())));
            }
            None => tensors.push((name, view)),
        }
    }
    fs::write(folder.join("model.safetensors"), safetensors::serialize(tensors, None).unwrap()).unwrap();
    fs::write(folder.join("config.json"), config.to_string()).unwrap();
    fs::write(folder.join("tokenizer.json"), tokenizer()).unwrap();
    root
}

const LAYERS: usize = 12;

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn all_4096_sets_run_to_the_end_and_the_page_keeps_answering() {
    let page = Page::open(Site::new(dist()).mount("/tiny/", twelve_layers()), "/#/?backend=cpu");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    load_typed(&page, "/tiny/gpt2-twelve");
    wait_for_tiny(&page);
    page.go("/#/gateway?backend=cpu");
    page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Run");
    page.click("#languages-none");
    for code in ["eng", "rus"] {
        page.click(&format!("label:has(> input[name=language][value={code}])"));
    }
    page.fill("#units", "2");
    page.fill("#resamples", "100");
    for choice in ["#every", "#others"] {
        page.click(&format!("label:has(> {choice})"));
    }
    // A timer that comes late was kept waiting by the page.
    let watch = "window.stall = 0; let last = performance.now(); setInterval(() => { \
                 const now = performance.now(); window.stall = Math.max(window.stall, now - last - 20); last = now; }, 20);";
    page.evaluate(watch, vec![]);
    page.click("#run");
    page.wait_for("#result[data-state=whole]", ALL_SEARCHED);
    let stall = page.evaluate("return window.stall", vec![]).as_f64().expect("milliseconds");
    assert!(stall < LONGEST_STALL_MS, "the page did not answer for {stall} ms");
    let Report::Gateway(report) = serde_json::from_value(page.report()).expect("a report") else {
        panic!("another analysis")
    };
    assert_eq!(report.rows.len(), 4096);
    let all = (0..LAYERS).collect();
    assert_eq!(report.row(all).expect("every set").cost.disparity.expect("two languages").value, 0.0);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

/// What the page shows, against the report.
fn compare(page: &Page, report: &gateway::Report) {
    assert_eq!(page.text("#sentence"), Some(gateway::sentence(report, 2)));
    for (at, row) in report.of_size(2).enumerate() {
        let key = gateway::set_key(row.set);
        assert_eq!(
            figure(page, "table", &key, "disparity"),
            row.cost.disparity.expect("three languages").value,
            "{key}"
        );
        assert_eq!(figure(page, "table", &key, "bytes"), row.bytes as f64, "{key}");
        assert_eq!(figure(page, "table", &key, "compression"), report.compression(row), "{key}");
        assert_eq!(figure(page, "table", &key, "place"), (at + 1) as f64, "{key}");
        assert!(page.shows(&format!("#pairs [data-key='{key}']")), "{key}");
    }
    for pick in report.picks.iter().filter(|pick| pick.set.len() == 2) {
        let key = gateway::picker_key(pick.picker);
        assert_eq!(figure(page, "picks", key, "place"), pick.rank.value, "{key}");
        assert_eq!(figure(page, "picks", key, "regret"), pick.regret.value, "{key}");
    }
    assert_eq!(report.picks.len(), 7, "everyone but the theory, whose set has three layers");
    for of in &report.interactions {
        assert!(page.shows(&format!("#interactions [data-key='{}-{}']", of.layers.0, of.layers.1)));
    }
    for (layer, of) in report.layers.iter().enumerate() {
        assert_eq!(figure(page, "layers-table", &layer.to_string(), "variance"), of.variance);
        let only = report.row([layer].into_iter().collect()).and_then(|row| row.cost.disparity).expect("swept").value;
        assert_eq!(figure(page, "sweeps-table", &layer.to_string(), "only"), only);
        assert!(
            page.shows(&format!("#only [data-key='{layer}']")) && page.shows(&format!("#all-but [data-key='{layer}']"))
        );
        assert!(page.shows(&format!("#top [data-key='top_10-{layer}']")));
    }
    // Only what contains a layer; another size; a bound on memory; files.
    let rows = |page: &Page| page.evaluate("return document.querySelectorAll('#table tr[data-row]').length", vec![]);
    assert_eq!(rows(page), json!(66));
    page.choose("#holds", "4");
    page.wait("eleven pairs with layer 4", STARTED, || (rows(page) == json!(11)).then_some(()));
    page.choose("#size", "1");
    page.wait("the one set of one layer that holds it", STARTED, || (rows(page) == json!(1)).then_some(()));
    page.choose("#holds", "any");
    page.wait("every layer alone", STARTED, || (rows(page) == json!(12)).then_some(()));
    let (low, high) = gateway::reach(report).expect("sets are there");
    page.fill("#least", "200");
    page.wait_text("#within", STARTED, |text| text == gateway::within(report, high));
    page.fill("#least", "0");
    page.wait_text("#within", STARTED, |text| text == gateway::within(report, low));
    assert_eq!(saved(page, "#table-csv").1.lines().count(), 1 + 12);
    let (name, csv) = saved(page, "#front-csv");
    assert!(name.ends_with("-gateway-3bit-front.csv"), "{name}");
    assert_eq!(csv.lines().count(), 1 + report.rows.len());
    assert!(saved(page, "#interactions-svg").1.contains("95% interval without 0"));
}
