//! What the page's policy refuses, in the page and in its engine, and what it lets through once the person agrees; and what a
//! browser that cannot run the page is shown.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::json;
use xtask::server::{Reply, Server, Site};

use crate::languages::{choose, run};
use crate::page::{LOADED, Page, STARTED, dist};

/// Another host with the page's models, which lets other pages read them, and how often it was asked for anything.
fn elsewhere() -> (Server, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let site = Site::new(dist()).shared().hook(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Reply::File
    });
    (site.serve(0).expect("a free port"), asked)
}

/// Whether the page's own thread reaches an address.
fn reaches(page: &Page, url: &str) -> bool {
    let script =
        "const done = arguments[arguments.length - 1]; fetch('ADDRESS').then(() => done(true), () => done(false));";
    page.evaluate_later(&script.replace("ADDRESS", url)) == json!(true)
}

/// Has the engine itself, behind the page's back, look a model up.
fn let_the_engine_ask(page: &Page, url: &str) {
    let capture = "const post = Worker.prototype.postMessage; \
                   Worker.prototype.postMessage = function (...all) { window.engine = this; return post.apply(this, all); };";
    page.evaluate(capture, vec![]);
    choose(page, &["eng"], 2);
    run(page);
    page.evaluate(
        "engine.postMessage(JSON.stringify({ Preview: { url: arguments[0], hub: location.origin } }))",
        vec![json!(url)],
    );
    page.wait_text("#error", LOADED, |text| !text.is_empty());
    page.click("#dismiss");
}

fn loaded(page: &Page) {
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
}

/// Law: neither the page nor its engine reaches a host that the person has not allowed; once allowed, that host and no other.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn no_other_host_is_reached_until_the_person_allows_it() {
    let ((first, asked), (second, never)) = (elsewhere(), elsewhere());
    let folder = first.url("/models/bal-bal");
    let page = Page::open(Site::new(dist()), "/");
    loaded(&page);
    assert!(reaches(&page, "/models/catalog.json"));
    assert!(!reaches(&page, &first.url("/models/catalog.json")));
    let_the_engine_ask(&page, &folder);
    assert_eq!(asked.load(Ordering::SeqCst), 0, "the engine is bound by the page's policy");

    // As a person asks: first for leave, then for the model.
    page.choose("#model-picker", "other");
    page.fill("#model-url", &folder);
    page.click("#model-load");
    let told = page.wait_for("#asking", STARTED);
    assert!(told.contains(&first.address().to_string()), "{told}");
    page.screenshot("asking");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    page.click("#allow");
    page.wait_for("#load-whole", STARTED + LOADED);
    page.click("#load-whole");
    page.wait("the model", LOADED, || page.text("#model[data-state=loaded] .facts"));
    choose(&page, &["eng"], 2);
    assert_eq!(run(&page)["model"], json!("bal-bal"));
    assert!(asked.load(Ordering::SeqCst) > 3);

    assert!(!reaches(&page, &second.url("/models/catalog.json")));
    assert_eq!(never.load(Ordering::SeqCst), 0);
    page.click("#allowed button");
    // The address still names the run on that host's model, so the page asks again instead of fetching it.
    page.wait("the page anew", STARTED, || (!page.shows("#allowed")).then_some(()));
    page.wait_for("#status[data-state=ready]", STARTED);
    assert!(!reaches(&page, &first.url("/models/catalog.json")), "leave was taken back");
}

/// Law: a host that the browser cannot be held to is never asked leave for: the person is told what to type instead.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn an_ipv6_host_is_refused_where_it_is_typed() {
    let page = Page::open(Site::new(dist()), "/");
    loaded(&page);
    page.choose("#model-picker", "other");
    page.fill("#model-url", "http://[::1]:9/model");
    page.click("#model-load");
    let told = page.wait_text("#error", STARTED, |text| !text.is_empty());
    assert!(told.starts_with("[::1]:9 is an IPv6 address") && told.contains("127.0.0.1"), "{told}");
    assert!(!page.shows("#asking") && !page.shows("#preview"));
    page.click("#dismiss");
    page.fill("#hub", "http://[::1]:9");
    page.wait_text("#error", STARTED, |text| text.starts_with("[::1]:9 is an IPv6 address"));
    page.reload();
    loaded(&page);
    page.choose("#model-picker", "other");
    let hub = page.evaluate("return document.querySelector('#hub').value", vec![]);
    assert!(!hub.as_str().expect("an address").contains("::1"), "the hub is the one that was used before: {hub}");
}

/// Law: the built page has no inline script, and what it may do is said before anything is fetched.
#[test]
#[ignore = "needs the built page: cargo xtask test"]
fn the_page_has_no_inline_script() {
    let index = fs::read_to_string(dist().join("index.html")).expect("the page is built");
    let policy = index.find("Content-Security-Policy").expect("a policy");
    for (at, _) in index.match_indices("<script") {
        let tag = &index[at..at + index[at..].find("</script>").expect("an end")];
        assert!(tag.contains(" src=") && tag.ends_with('>'), "{tag}");
        assert!(policy < at, "the policy comes first");
    }
    assert!(!index.contains("'unsafe-eval'") && index.contains("script-src 'self' 'wasm-unsafe-eval'"));
}

/// What each kind of thing may be had from, by the built page's own policy.
fn directives() -> Vec<String> {
    let index = fs::read_to_string(dist().join("index.html")).expect("the page is built");
    let (_, rest) = index.split_once("Content-Security-Policy").expect("a policy");
    let content = rest.split_once("content=\"").expect("its rules").1;
    content.split('"').next().unwrap_or_default().split(';').map(|rule| rule.trim().to_string()).collect()
}

/// Law: what the policy does not name is refused, whatever browsers come to load one day; and the page needs no more than it names.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn what_the_policy_does_not_name_is_refused() {
    let rules = directives();
    assert_eq!(rules[0], "default-src 'none'", "{rules:?}");
    let anywhere = |rule: &&String| rule.split(' ').any(|source| ["*", "http:", "https:"].contains(&source));
    let open: Vec<&String> = rules.iter().filter(anywhere).collect();
    assert_eq!(open, ["connect-src 'self' http: https:"], "what start.js makes narrower");
    let page = Page::open(Site::new(dist()), "/");
    loaded(&page);
    choose(&page, &["eng"], 2);
    run(&page);
    let console = page.console();
    assert!(!console.contains("Content Security Policy"), "the page asks for more than its policy names: {console}");
    // A frame and a medium are named nowhere.
    page.evaluate(
        "window.refused = []; \
         document.addEventListener('securitypolicyviolation', (of) => window.refused.push(of.effectiveDirective)); \
         for (const name of ['iframe', 'video']) { \
             const element = document.createElement(name); element.src = 'models/catalog.json'; document.body.append(element); }",
        vec![],
    );
    let refused = || page.evaluate("return window.refused.sort().join()", vec![]);
    page.wait("both to be refused", STARTED, || (refused() == json!("frame-src,media-src")).then_some(()));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_browser_without_simd_is_told_what_to_do() {
    let start = fs::read_to_string(dist().join("start.js")).expect("the page is built");
    let site = Site::new(dist()).hook(move |ask| match ask.path {
        "/start.js" => Reply::Text("text/javascript", format!("WebAssembly.validate = () => false;\n{start}")),
        _ => Reply::File,
    });
    let page = Page::open(site, "/");
    page.wait("the sentence", STARTED, || page.shows("#without-simd").then_some(()));
    assert!(page.text("#without-simd").unwrap().contains("update the browser"));
    assert!(page.shows("#status[data-state=stopped]") && !page.shows("#run") && !page.shows("#not-loaded"));
    page.screenshot("without-simd");
}
