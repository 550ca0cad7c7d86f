//! WebGPU in the page, on Chromium's adapter in software: which backend is chosen, what it computes, and what happens when the
//! device goes.

use std::time::Duration;

use fairbits::{analysis::Report, cli};
use serde_json::{Value, json};
use xtask::server::Site;

use crate::{
    languages::choose,
    page::{LOADED, Page, STARTED, dist},
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
    let page = Page::open(Site::new(dist()), &format!("/#/?{options}"));
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
    serde_json::to_value(cli::measure(&model, dist(), &config, |_| ()).expect("the same run")).unwrap()
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
