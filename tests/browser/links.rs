//! Links between the page and the native program, and what a stranger's link can do to the page.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fairbits::{
    cli,
    lab::{Config, Report},
    share::{Link, Place, Verdict, View, compare},
};
use serde_json::json;
use xtask::server::{Reply, Site};

use crate::languages::{choose, run};
use crate::page::{LOADED, Page, STARTED, dist};
use crate::small::configs;
use crate::weights::{open, saved};

/// A small run of any analysis.
const RUN: Duration = Duration::from_secs(240);

pub fn natively(config: &Config) -> Report {
    cli::measure(&cli::load(dist().join("models/skew-skew")).expect("the model"), dist(), config).expect("a run")
}

fn link(report: &Report) -> Link {
    Link::of(report, Place::catalog("skew-skew").unwrap(), View::default()).unwrap()
}

/// A short run of the first page.
fn small() -> Report {
    natively(&configs()[0])
}

/// Opens a link in a page that is there already.
fn visit(page: &Page, link: &impl std::fmt::Display) {
    page.evaluate("location.hash = arguments[0]", vec![json!(link.to_string())]);
}

fn verdict(page: &Page) -> String {
    page.wait_for("#opened[data-state=done] #verdict", RUN);
    let word = page.evaluate("return document.querySelector('#verdict').dataset.verdict", vec![]);
    word.as_str().expect("a word").to_string()
}

/// Law: whoever computes, the digest is the same, in both directions and for every analysis.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn links_of_every_analysis_reproduce_between_the_page_and_the_native_program() {
    let page = open("");
    for config in configs() {
        let native = natively(&config);
        let made = link(&native);
        visit(&page, &made);
        page.wait_for(&format!("#opened[data-page='{}'][data-state=done]", fairbits::share::page(config.kind())), RUN);
        assert_eq!(verdict(&page), "exact", "{made}");
        let theirs = page.evaluate("return document.querySelector('#share-link').value", vec![]);
        let theirs = Link::parse(theirs.as_str().expect("a link")).expect("a link that reads");
        assert_eq!(compare(&theirs.run, &native), Verdict::ReproducedExactly);
    }
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_link_that_does_not_reproduce_says_in_what() {
    let page = open("");
    let report = small();
    let mut altered = link(&report);
    altered.run.figures[0].value += 1e-9;
    altered.run.digest = Some("0".repeat(64));
    visit(&page, &altered);
    assert_eq!(verdict(&page), "differs");
    let name = &altered.run.figures[0].name;
    let row = page.text(&format!("#differences tr[data-row='{name}']")).expect("a row");
    assert!(row.contains(&altered.run.figures[0].value.to_string()), "{row}");
    assert_eq!(page.texts("#differences tbody tr").len(), 1);

    let mut other = link(&report);
    other.run.model.as_mut().unwrap().tokenizer = Some("1".repeat(64));
    visit(&page, &other);
    page.wait_text("#verdict[data-verdict=incomparable]", RUN, |text| text.contains("tokenizer.json"));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn another_host_is_asked_for_nothing_before_the_person_agrees() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let elsewhere = Site::new(dist()).hook(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Reply::Status(404)
    });
    let elsewhere = elsewhere.serve(0).expect("a free port");
    let mut stranger = link(&small());
    stranger.run.model.as_mut().unwrap().place = Place::parse(&elsewhere.url("/models/skew-skew")).unwrap();
    stranger.run.model.as_mut().unwrap().name = "<img src=x onerror=alert(1)>".into();
    let page = Page::open(Site::new(dist()), &format!("/{stranger}"));
    page.wait_for("#opened[data-state=asking]", STARTED);
    page.wait_for("#status[data-state=ready]", STARTED);
    let told = page.text("#opened-told").unwrap();
    assert!(told.contains("<img src=x onerror=alert(1)>") && told.contains(&elsewhere.address().to_string()), "{told}");
    assert!(!page.shows("#opened img"), "a name is never markup");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    page.click("#open-run");
    page.wait_for("#opened[data-state=stopped]", LOADED);
    assert!(asked.load(Ordering::SeqCst) > 0);
    assert_ne!(page.text("#error").unwrap_or_default(), "");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn what_is_no_link_is_a_sentence() {
    let page = open("");
    for (wrong, said) in [
        ("#/?run=1.AAAA", "damaged"),
        ("#/?run=9.AAAA", "version"),
        ("#/nowhere?run=1.AAAA", "no such page"),
        ("#/?view=naked", "=naked is not a view"),
    ] {
        visit(&page, &wrong);
        page.wait(wrong, STARTED, || page.text("#app").filter(|text| text.contains(said)));
    }
    visit(&page, &"#/");
    page.wait_for("#model[data-state=loaded]", LOADED + STARTED);
}

/// Back and Forward lead from report to report, without another run.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn back_and_forward_show_the_reports_of_their_addresses() {
    let page = open("");
    choose(&page, &["eng", "kor"], 2);
    let first = run(&page);
    let address = |page: &Page| page.evaluate("return location.hash", vec![]).as_str().unwrap().to_string();
    let first_address = address(&page);
    assert!(first_address.starts_with("#/?run=1."), "{first_address}");
    assert!(first_address.len() < 1500);
    page.click("label:has(> input[name=bits][value='4'])");
    let second = run(&page);
    assert_ne!(address(&page), first_address);
    let bits = |page: &Page| page.evaluate("return document.querySelector('input[name=bits]:checked').value", vec![]);
    page.evaluate("history.back()", vec![]);
    page.wait("the first report", STARTED, || (page.report() == first).then_some(()));
    assert_eq!((address(&page), bits(&page)), (first_address, json!("3")));
    page.evaluate("history.forward()", vec![]);
    page.wait("the second report", STARTED, || (page.report() == second).then_some(()));
    assert_eq!(bits(&page), json!("4"));
    assert!(!page.shows("#opened"));
}

/// A teacher's link: one page, one button.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_teachers_link_leaves_what_the_teacher_wants() {
    let report = small();
    let view = View { bare: true, pinned: true, tour: None };
    let link = Link::of(&report, Place::catalog("skew-skew").unwrap(), view).unwrap();
    let page = Page::open(Site::new(dist()), &format!("/{link}"));
    assert_eq!(verdict(&page), "exact");
    assert!(page.shows("#run") && !page.shows("#units") && !page.shows("#model-picker") && !page.shows("nav"));
    // What is shared from there can be plain again.
    page.click("label:has(> #share-pinned)");
    let shared = page.evaluate("return document.querySelector('#share-link').value", vec![]);
    let shared = Link::parse(shared.as_str().expect("a link")).unwrap();
    assert_eq!(shared.view, View { pinned: true, ..View::default() });
}

/// A report that was saved is shown again without a run, on whatever page it belongs.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_saved_report_is_shown_without_computing() {
    let report = natively(&configs()[3]);
    let page = open("");
    let text = serde_json::to_string(&report).unwrap();
    let give = |page: &Page, text: &str| {
        let script = "const files = new DataTransfer(); files.items.add(new File([arguments[0]], 'report.json')); \
                      const input = document.querySelector('#import'); input.files = files.files; \
                      input.dispatchEvent(new Event('change', { bubbles: true }));";
        page.evaluate(script, vec![json!(text)]);
    };
    give(&page, &text);
    page.wait_text("#came", STARTED, |text| text.contains("read from a file"));
    assert_eq!(page.report(), serde_json::to_value(&report).unwrap());
    assert!(!page.shows("#share-link"));
    let (name, fair) = saved(&page, "#download-fairness-html");
    assert!(name.ends_with(".html") && fair.contains("<!"), "{name}");
    give(&page, "{\"analysis\": \"weights\"}");
    page.wait_text("#error", STARTED, |text| text.contains("report.json"));
}

/// A chart as a picture.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_chart_is_saved_as_png() {
    let page = open("");
    choose(&page, &["eng", "kor"], 2);
    run(&page);
    let script = "const made = URL.createObjectURL; \
                  URL.createObjectURL = (blob) => { if (blob.type === 'image/png') window.png = blob; return made.call(URL, blob); }; \
                  HTMLAnchorElement.prototype.click = function () { window.file = this.download; };";
    page.evaluate(script, vec![]);
    page.click("#chart-png");
    page.wait("the picture", STARTED, || (page.evaluate("return !!window.png", vec![]) == json!(true)).then_some(()));
    let size = page.evaluate_later(
        "const done = arguments[arguments.length - 1]; createImageBitmap(window.png).then((image) => done([image.width, image.height]));",
    );
    assert_eq!(size[0], json!(2580), "three pixels for each of the figure's");
    assert!(size[1].as_u64().expect("a height") > 300);
    let dark = "const done = arguments[arguments.length - 1]; createImageBitmap(window.png).then((image) => { \
                const canvas = new OffscreenCanvas(image.width, image.height); const pen = canvas.getContext('2d'); \
                pen.drawImage(image, 0, 0); const data = pen.getImageData(0, 0, image.width, image.height).data; \
                let count = 0; for (let i = 0; i < data.length; i += 4) if (data[i] < 128) count++; done(count); });";
    assert!(page.evaluate_later(dark).as_u64().expect("a count") > 1000, "something is drawn");
}
