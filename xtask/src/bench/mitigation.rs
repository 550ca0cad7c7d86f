//! The whole Mitigation table against one full-precision pass over the same texts, in the browser with two workers.

use std::{fs, path::Path, time::Duration};

use serde_json::Value;

use super::{Row, browser};
use crate::{Error, Result, server::Site};

/// Two slow cores beside other work.
const LIMIT: Duration = Duration::from_secs(600);
/// Where the page below is served.
const PLACE: &str = "/.bench/page/mitigation.html";

/// Speaks to the page's own worker: one run without methods, which is the full-precision pass alone, and one with all of
/// them, in turns; the best time of each counts.
const SCRIPT: &str = r#"<!doctype html><title>mitigation</title><pre id="bench"></pre><p id="error"></p><script type="module">
const ROUNDS = 3;
const languages = ['eng','fra','deu','vie','rus','zho','tur','fin','kor','heb','tha','hin','jpn','ara'];
const methods = ['absmax','aciq','optimal','channel','group','language','eight_bits','full_precision','detected','flattened','own'];
const base = new URL('/', location.href).href;
const worker = new Worker(base + 'worker_loader.js', { type: 'module' });
let heard = () => {};
const wait = (name) => new Promise((done) => { heard = (event) => {
  if (event.Failed) document.querySelector('#error').textContent = event.Failed.message;
  if (event[name]) done(event[name]);
}; });
worker.onmessage = ({ data }) => heard(typeof data === 'string' ? JSON.parse(data) : data);
const say = (request) => worker.postMessage(JSON.stringify(request));
await wait('Booted');
say({ Start: { base, workers: 2, backend: 'cpu', profile: false, afresh: true } });
const site = await wait('Catalog');
const corpus = site.corpora.find((corpus) => corpus.name === 'udhr');
const there = languages.filter((code) => corpus.languages.some((language) => language.code === code));
say({ Load: { url: 'models/' + site.catalog.default } });
const loaded = await wait('Loaded');
const run = async (id, methods) => {
  const config = { analysis: 'mitigation', texts: { corpus: 'udhr', languages: there, units: 8 }, methods };
  say({ Run: { id, config } });
  return (await wait('Finished')).seconds;
};
let [full, all] = [Infinity, Infinity];
for (let round = 0; round < ROUNDS; round++) {
  full = Math.min(full, await run(2 * round, []));
  all = Math.min(all, await run(2 * round + 1, methods));
}
document.querySelector('#bench').textContent = JSON.stringify({ model: loaded.name, languages: there.length, full, all, ratio: all / full });
</script>"#;

/// Both times and their ratio: the table must take no more than twelve passes.
pub fn measure(folder: &Path, dist: &Path) -> Result<Vec<Row>> {
    let pages = folder.join("pages");
    fs::create_dir_all(&pages).map_err(Error::io("the bench's folder"))?;
    fs::write(pages.join("mitigation.html"), SCRIPT).map_err(Error::io("the bench's page"))?;
    let site = Site::new(dist).mount("/.bench/page/", pages);
    let detail = browser::measure(site, PLACE, "#bench", LIMIT)?;
    let figure = |name: &str| {
        let unreadable = || Error::Unreadable { what: PLACE.into(), text: detail.to_string() };
        detail[name].as_f64().ok_or_else(unreadable)
    };
    let row = |name: &str, ours, unit| Row { name: name.into(), ours, peer: None, unit, detail: Value::Null };
    let (full, all) = (1000.0 * figure("full")?, 1000.0 * figure("all")?);
    let ratio = figure("ratio")?;
    Ok(vec![
        row("one pass over the texts, workers 2", full, "ms"),
        row("the Mitigation table, workers 2", all, "ms"),
        Row { detail: detail.clone(), ..row("the table in passes (at most 12)", ratio, "passes") },
    ])
}
