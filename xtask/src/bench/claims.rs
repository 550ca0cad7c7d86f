//! "Run all" of the Claims page against one full-precision pass over the same texts, in the browser with two workers.

use std::{fs, path::Path, time::Duration};

use serde_json::Value;

use super::{Row, browser};
use crate::{Error, Result, server::Site};

/// Two slow cores beside other work.
const LIMIT: Duration = Duration::from_secs(1800);
/// Where the page below is served.
const PLACE: &str = "/.bench/page/claims.html";

/// Presses "Run all" on the page itself, with nothing changed, and waits until it says that all is measured; then times the
/// full-precision pass alone by a worker of its own: a Mitigation run without methods.
const SCRIPT: &str = r#"<!doctype html><title>claims</title><pre id="bench"></pre><p id="error"></p><script type="module">
const ROUNDS = 3;
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const frame = document.createElement('iframe');
Object.assign(frame, { width: 1200, height: 900, src: '/#/claims?workers=2' });
document.body.append(frame);
const find = (selector) => frame.contentDocument?.querySelector(selector);
while (!find('#run-all') || find('#run-all').disabled) await later(50);
const began = performance.now();
find('#run-all').click();
while (!find('#run-hint')?.textContent.startsWith('Everything')) {
  const error = find('#error')?.textContent.trim();
  if (error) { document.querySelector('#error').textContent = error; break; }
  await later(20);
}
const all = (performance.now() - began) / 1000;
const judged = frame.contentDocument.querySelectorAll('article.claim:not([data-ruling=open])').length;
const claims = frame.contentDocument.querySelectorAll('article.claim').length;
frame.remove();
const base = new URL('/', location.href).href;
const worker = new Worker(base + 'worker_loader.js', { type: 'module' });
let heard = () => {};
const wait = (name) => new Promise((done) => { heard = (event) => { if (event[name]) done(event[name]); }; });
worker.onmessage = ({ data }) => heard(typeof data === 'string' ? JSON.parse(data) : data);
const say = (request) => worker.postMessage(JSON.stringify(request));
await wait('Booted');
say({ Start: { base, workers: 2, backend: 'cpu', profile: false, afresh: true } });
const site = await wait('Catalog');
say({ Load: { url: 'models/' + site.catalog.default } });
const seen = (await wait('Loaded')).card.languages;
const corpus = site.corpora.find((corpus) => corpus.name === 'udhr');
const languages = corpus.languages.map((of) => of.code).filter((code) => seen[code]?.bytes_seen > 0);
let full = Infinity;
for (let id = 0; id < ROUNDS; id++) {
  say({ Run: { id, config: { analysis: 'mitigation', texts: { corpus: 'udhr', languages, units: 8 }, methods: [] } } });
  full = Math.min(full, (await wait('Finished')).seconds);
}
if (!document.querySelector('#error').textContent)
  document.querySelector('#bench').textContent = JSON.stringify({ claims, judged, languages: languages.length, all, full, ratio: all / full });
</script>"#;

/// Both times and their ratio: all claims must take no more than forty passes.
pub fn measure(folder: &Path, dist: &Path) -> Result<Vec<Row>> {
    let pages = folder.join("pages");
    fs::create_dir_all(&pages).map_err(Error::io("the bench's folder"))?;
    fs::write(pages.join("claims.html"), SCRIPT).map_err(Error::io("the bench's page"))?;
    let site = Site::new(dist).mount("/.bench/page/", pages);
    let detail = browser::measure(site, PLACE, "#bench", LIMIT)?;
    let ratio = detail["ratio"].as_f64();
    let ratio = ratio.ok_or_else(|| Error::Unreadable { what: PLACE.into(), text: detail.to_string() })?;
    let name = "all claims in passes (at most 40), workers 2".into();
    Ok(vec![Row { name, ours: ratio, peer: None, unit: "passes", detail: Value::clone(&detail) }])
}
