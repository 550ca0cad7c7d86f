//! What is tried in every other browser: the page loads, runs, gives the bits of the native program, and reaches no other host.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use xtask::server::{Reply, Server, Site};

use crate::page::dist;
use crate::weights::native;

/// A slower engine on a shared machine, from nothing to the end of a small run.
const PATIENCE: Duration = Duration::from_secs(180);

/// A page in some browser.
pub trait Window {
    /// Shows an address.
    fn go(&mut self, url: &str);
    /// Value of an expression of JavaScript, awaited.
    fn evaluate(&mut self, expression: &str) -> Value;
}

fn wait(window: &mut impl Window, what: &str, expression: &str) -> Value {
    let start = Instant::now();
    loop {
        let value = window.evaluate(expression);
        if !matches!(value, Value::Null | Value::Bool(false)) {
            return value;
        }
        if start.elapsed() > PATIENCE {
            let said = window.evaluate("document.querySelector('#app').innerText.slice(0, 2000)");
            panic!("{what} did not come; the page says: {said}");
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Another host and how often it was asked.
fn elsewhere() -> (Server, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let site = Site::new(dist()).shared().hook(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Reply::File
    });
    (site.serve(0).expect("a free port"), asked)
}

/// Loads, runs, compares, and tries to reach another host from the page and from its engine.
pub fn loads_runs_and_stays_at_home(window: &mut impl Window) {
    let server = Site::new(dist()).serve(0).expect("a free port");
    let (stranger, asked) = elsewhere();
    window.go(&server.url("/#/?backend=cpu"));
    wait(window, "the model", "document.querySelector('#model[data-state=loaded]') !== null");
    let capture = "(async () => { const post = Worker.prototype.postMessage; \
                   Worker.prototype.postMessage = function (...all) { window.engine = this; return post.apply(this, all); }; \
                   document.querySelector('#languages-none').click(); \
                   while (document.querySelector('input[name=language]:checked')) await new Promise((later) => setTimeout(later, 20)); \
                   for (const code of ['eng', 'ell', 'kor']) document.querySelector(`input[name=language][value=${code}]`).click(); \
                   const units = document.querySelector('#units'); units.value = '2'; \
                   units.dispatchEvent(new Event('input', { bubbles: true })); return true; })()";
    window.evaluate(capture);
    wait(window, "Run", "!document.querySelector('#run').disabled");
    window.evaluate("(() => { document.querySelector('#run').click(); return true; })()");
    wait(
        window,
        "the result",
        "document.querySelector('#result') !== null && document.querySelectorAll('#table tr[data-language]').length === 3",
    );
    window.evaluate("(() => { document.querySelector('#report-details').open = true; return true; })()");
    let text = wait(window, "the report", "document.querySelector('pre#report-json')?.textContent || null");
    let mut report: Value = serde_json::from_str(text.as_str().expect("a text")).expect("a report");
    report.as_object_mut().expect("an object").remove("schema");
    assert_eq!(report["backend"], json!("cpu"));
    assert_eq!(report, serde_json::to_value(native(&report)).unwrap(), "the same bits as the native program");

    let reach = format!("fetch('{}').then(() => 'reached', () => 'refused')", stranger.url("/models/catalog.json"));
    assert_eq!(window.evaluate(&reach), json!("refused"));
    let preview = json!({ "Preview": { "url": stranger.url("/models/bal-bal"), "hub": "" } }).to_string();
    window.evaluate(&format!("(() => {{ engine.postMessage({}); return true; }})()", json!(preview)));
    wait(window, "a sentence", "document.querySelector('#error').textContent || null");
    assert_eq!(asked.load(Ordering::SeqCst), 0, "the engine is bound by the page's policy");
}
