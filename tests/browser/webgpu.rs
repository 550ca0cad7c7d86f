//! WebGPU in the page, on Chromium's adapter in software: which backend is chosen, what it computes, and what happens when the
//! device goes or its memory ends.

use std::time::Duration;

use fairbits::{cli, lab::Report};
use serde_json::{Value, json};
use xtask::server::{Reply, Site};

use crate::{
    languages::{choose, run},
    page::{LOADED, Page, STARTED, dist, with_prelude},
};

/// Kernels are compiled and checked first, in software.
const OPENED: Duration = Duration::from_secs(180);
/// A software adapter is many times slower than the CPU code.
const RUN: Duration = Duration::from_secs(600);
/// A loss of f32 logits is known to a few parts in a million, and a perplexity is the exponential of a mean of them.
const PERPLEXITY: f64 = 1e-5;
/// D is a ratio of two perplexities, less one.
const DEGRADATION: f64 = 2e-5;

fn open(options: &str) -> Page {
    opened(Site::new(dist()), options)
}

fn opened(site: Site, options: &str) -> Page {
    let page = Page::open(site, &format!("/#/?{options}"));
    page.wait_for("#status[data-state=ready]", STARTED + OPENED);
    page.wait_for("#model[data-state=loaded]", LOADED);
    page
}

fn result(page: &Page) -> Value {
    page.wait("a result", RUN, || page.text("#result"));
    page.report()
}

/// The same run by the native program, on the CPU.
fn on_the_cpu(shown: &Value) -> Value {
    let config = serde_json::from_value::<Report>(shown.clone()).expect("a report").config();
    let folder = dist().join("models").join(shown["model"].as_str().expect("the model's name"));
    let model = cli::load(folder).expect("the same model");
    serde_json::to_value(cli::measure(&model, dist(), &config).expect("the same run")).unwrap()
}

fn agree(ours: &Value, exact: &Value) {
    let rows = |report: &Value| report["rows"].as_array().expect("rows").clone();
    assert_eq!(rows(ours).len(), rows(exact).len());
    for (ours, exact) in rows(ours).iter().zip(rows(exact)) {
        let pair = |figure: &str| (ours[figure]["value"].as_f64().unwrap(), exact[figure]["value"].as_f64().unwrap());
        for figure in ["perplexity_full", "perplexity_quantized"] {
            let (ours, exact) = pair(figure);
            assert!((ours - exact).abs() <= PERPLEXITY * exact, "{figure}: {ours} against {exact}");
        }
        let (ours, exact) = pair("degradation");
        assert!((ours - exact).abs() <= DEGRADATION * (1.0 + exact.abs()), "D: {ours} against {exact}");
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn an_adapter_in_software_is_passed_over_and_the_page_says_so() {
    let page = open("");
    let status = page.text("#status").unwrap();
    assert!(status.contains("CPU") && status.contains("software"), "{status}");
    page.go("/#/?backend=cpu");
    let status = page.wait_text("#status", STARTED, |text| text.contains("as the link asks"));
    assert!(status.contains("CPU"), "{status}");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_analysis_agrees_with_the_cpu_and_its_time_is_shown() {
    let page = open("backend=webgpu&profile=1");
    let status = page.text("#status").unwrap();
    assert!(status.contains("WEBGPU with 1 worker"), "{status}");
    choose(&page, &["eng", "ell", "kor"], 2);
    page.click("#run");
    let report = result(&page);
    assert_eq!(report["backend"], json!("webgpu"));
    agree(&report, &on_the_cpu(&report));
    for kernel in ["matmul", "matmul_packed", "attention", "loss"] {
        let milliseconds = page.text(&format!("#profile tr[data-kernel={kernel}] td[data-figure=milliseconds]"));
        assert!(milliseconds.is_some_and(|text| text != "0"), "{kernel} was not timed");
    }
    page.screenshot("profile");
}

/// The CPU with fused products is no exact mode either: it is labelled, on every worker, and agrees.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn fused_products_agree_with_exact_mode_and_are_labelled() {
    let page = open("backend=fused&workers=2");
    let status = page.text("#status").unwrap();
    assert!(status.contains("fused products, with 2 workers"), "{status}");
    choose(&page, &["eng", "ell", "kor"], 2);
    let report = run(&page);
    assert_eq!(report["backend"], json!("fused"));
    let exact = on_the_cpu(&report);
    agree(&report, &exact);
    assert_ne!(report["rows"], exact["rows"], "not the bits of exact mode");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_run_outlives_its_device() {
    let page = open("backend=webgpu");
    choose(&page, &["eng", "ell", "kor"], 3);
    page.click("#run");
    let passes = |text: &str| text.contains("pass") && text.starts_with(|c: char| ('1'..='9').contains(&c));
    page.wait_text("#progress-text", RUN, passes);
    page.crash_gpu();
    let notice = page.wait_text("#notice", RUN, |text| text.contains("continues"));
    println!("{notice}");
    let report = result(&page);
    let backend = report["backend"].as_str().expect("a backend");
    assert!(backend.starts_with("webgpu, then "), "{backend}");
    agree(&report, &on_the_cpu(&report));
}

/// Put before the worker's own script. Once the page has said so, a buffer of so many bytes or more is asked for as the largest
/// that the device may have: this adapter has no memory for that, and says so itself.
const SCARCE: &str = "\
    const create = GPUDevice.prototype.createBuffer;
    let scarce = Infinity;
    new BroadcastChannel('memory').onmessage = ({ data }) => { scarce = data; };
    GPUDevice.prototype.createBuffer = function (wanted) {
        return create.call(this, wanted.size < scarce ? wanted : { ...wanted, size: this.limits.maxBufferSize });
    };
";

/// A page under way with a run on WebGPU, some passes of it done, in whose workers memory can be made scarce. It writes down
/// what it says of its progress from then on.
fn with_scarce_memory() -> Page {
    let page = opened(with_prelude(SCARCE, |_| Reply::File), "backend=webgpu");
    choose(&page, &["eng", "ell", "kor"], 3);
    page.click("#run");
    page.wait_text("#progress-text", RUN, |text| passes(text).is_some_and(|passes| passes >= 2));
    let watch = "window.told = []; window.memory = new BroadcastChannel('memory'); const tell = () => { \
                 const text = document.querySelector('#progress-text')?.textContent; \
                 if (text && text !== told.at(-1)) told.push(text); }; tell(); \
                 new MutationObserver(tell).observe(document.body, { subtree: true, childList: true, characterData: true });";
    page.evaluate(watch, vec![]);
    page
}

/// Waits until the page says where the run goes on; a run that ends instead says why.
fn moved(page: &Page, place: &str) -> String {
    page.wait("the notice", RUN, || {
        assert_eq!(page.text("#error").unwrap_or_default(), "");
        page.text("#notice").filter(|text| text.contains(place))
    })
}

/// Passes done, of a text such as `3 of 18 passes, …`.
fn passes(text: &str) -> Option<usize> {
    text.split_once(" of ").filter(|(_, rest)| rest.contains("pass"))?.0.parse().ok()
}

/// The run has ended, has the right figures, and no pass of it was made twice.
fn ends_well(page: &Page, backends: &str) {
    let report = result(page);
    assert_eq!(report["backend"], json!(backends));
    let told: Vec<String> = serde_json::from_value(page.evaluate("return told", vec![])).expect("texts");
    let told: Vec<usize> = told.iter().filter_map(|text| passes(text)).collect();
    assert!(told[0] >= 2 && told.is_sorted(), "passes went {told:?}");
    agree(&report, &on_the_cpu(&report));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_run_outlives_the_memory_of_its_devices() {
    let page = with_scarce_memory();
    // No further buffer: once for this device, once for the next.
    for place in ["on a new device", "on the CPU"] {
        page.evaluate("memory.postMessage(0)", vec![]);
        let notice = moved(&page, place);
        println!("{notice}");
        assert!(notice.starts_with("The device ran out of memory: it has no room for another "), "{notice}");
        assert!(notice.contains("the run continues") && notice.contains("from its last finished text"), "{notice}");
        assert!(!notice.contains("lost"), "{notice}");
    }
    ends_well(&page, "webgpu, then webgpu, then cpu");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_run_goes_on_on_the_cpu_where_no_other_device_has_room() {
    let page = with_scarce_memory();
    // Enough for the parameters (64 KiB) and the check of every kernel, too little for a long text (rows · 2 KiB) or the model.
    page.evaluate("setInterval(() => memory.postMessage(96 << 10), 20)", vec![]);
    let notice = moved(&page, "on the CPU");
    assert!(notice.starts_with("The device ran out of memory"), "{notice}");
    let status = page.text("#status").unwrap();
    assert!(status.contains("no other device took the model"), "{status}");
    ends_well(&page, "webgpu, then cpu");
}

/// Places that are compared.
const BEST: usize = 20;

/// Disparity is the difference of two D, so a place may go to any set whose disparity lies within this of the exact one's.
fn disparity_tolerance(exact: f64) -> f64 {
    4.0 * DEGRADATION * (1.0 + exact)
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_best_protection_sets_are_those_of_the_cpu() {
    let page = Page::open(Site::new(dist()), "/#/gateway?backend=webgpu");
    page.wait_for("#status[data-state=ready]", STARTED + OPENED);
    page.wait_for("#model[data-state=loaded]", LOADED);
    // Its texts are the shortest: in software each takes seconds of every set.
    page.click("label:has(> input[name=corpus][value=help])");
    choose(&page, &["eng", "ell"], 2);
    for choice in ["input[name=budgets][value='3']", "input[name=budgets][value='2']", "#sweeps", "#others"] {
        page.click(&format!("label:has(> {choice})"));
    }
    page.click("#run");
    page.wait_for("#result[data-state=whole]", RUN);
    let ours = page.report();
    assert_eq!(ours["backend"], json!("webgpu"));
    let exact = on_the_cpu(&ours);
    let ranked = |report: &Value| {
        let row = |row: &Value| (row["set"].clone(), row["cost"]["disparity"]["value"].as_f64().expect("a disparity"));
        report["rows"].as_array().expect("rows").iter().map(row).collect::<Vec<_>>()
    };
    let (ours, exact) = (ranked(&ours), ranked(&exact));
    assert_eq!((ours.len(), exact.len()), (66, 66));
    for (place, ((set, disparity), (_, there))) in ours.iter().zip(&exact).take(BEST).enumerate() {
        let (_, own) = exact.iter().find(|(known, _)| known == set).expect("the same sets");
        let tolerance = disparity_tolerance(*own);
        assert!((disparity - own).abs() <= tolerance, "{set}: disparity {disparity} against {own}");
        assert!((own - there).abs() <= tolerance, "place {}: {set} has {own}, the CPU's has {there}", place + 1);
    }
}
