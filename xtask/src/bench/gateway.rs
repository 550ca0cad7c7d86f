//! Every protection set of three layers, walked as a tree, against the same sets one by one; in the browser with two workers.

use std::{fs, path::Path, process::Command, time::Duration};

use serde_json::Value;

use super::{Row, browser};
use crate::{Error, Result, root, server::Site};

/// Two slow cores beside other work.
const LIMIT: Duration = Duration::from_secs(1800);
/// Where the page below is served.
const PLACE: &str = "/.bench/page/gateway.html";
/// A Python with torch, transformers and tokenizers; without it there is no comparison with the loop.
const PYTHON: &str = "FAIRBITS_PYTHON";
/// Sets that the loop runs as a sample.
const LOOPED: &str = "11";

/// Speaks to the page's own worker. A set by itself is the last step of a Mitigation run with the person's own widths: its
/// passes over the texts, and nothing else of that run. Of the search there are two times: the walk, which is the same work for
/// all sets, and the whole run, with the full-precision pass, the thresholds and the intervals too. The two ways must give a
/// set the same D, to the bit.
const SCRIPT: &str = r#"<!doctype html><title>gateway</title><pre id="bench"></pre><p id="error"></p><script type="module">
const languages = ['eng','fra','deu','vie','rus','zho','tur','fin','kor','heb','tha','hin','jpn','ara'];
const base = new URL('/', location.href).href;
const worker = new Worker(base + 'worker_loader.js', { type: 'module' });
let heard = () => {};
let [passes, walking] = [0, 0];
const wait = (name) => new Promise((done) => { heard = (event) => {
  if (event.Progress?.progress.step === 'passes') passes = event.Progress.step_seconds;
  if (event.Progress?.progress.step === 'sets') walking = event.Progress.step_seconds;
  if (event.Failed) document.querySelector('#error').textContent = event.Failed.message;
  if (event[name]) done(event[name]);
}; });
worker.onmessage = ({ data }) => heard(typeof data === 'string' ? JSON.parse(data) : data);
const say = (request) => worker.postMessage(JSON.stringify(request));
await wait('Booted');
say({ Start: { base, workers: 2, backend: 'cpu', profile: false, afresh: true } });
const site = await wait('Catalog');
say({ Load: { url: 'models/' + site.catalog.default } });
const loaded = await wait('Loaded');
const texts = { texts: { corpus: 'udhr', languages, units: 4 }, draws: { resamples: 200, seed: 1 } };
let id = 0;
const run = async (config) => {
  say({ Run: { id: ++id, config: { ...texts, ...config } } });
  return wait('Finished');
};
const alone = (set) => {
  const own = Array.from({ length: loaded.layers }, (_, layer) => set.includes(layer) ? null : 3);
  return run({ analysis: 'mitigation', methods: ['own'], own });
};
const sample = [[0, 9, 11], [1, 2, 3], [4, 7, 10], [8, 9, 10]];
let one = 0;
const found = [];
const some = async (sets) => {
  for (const set of sets) {
    const ran = await alone(set);
    one += passes / sample.length;
    found.push(ran.report.rows.find((row) => row.method === 'own').cost.degradation.map((of) => of.value));
  }
};
await alone(sample[0]);
// Half of the sample before the walk and half after it, so that a machine that slows down slows both.
await some(sample.slice(0, 2));
const walked = await run({ analysis: 'gateway', sweeps: false, others: false });
await some(sample.slice(2));
const rows = walked.report.rows;
const of = (set) => rows.find((row) => row.set.join() === set.join()).cost.degradation.map((of) => of.value);
const same = sample.every((set, at) => of(set).every((value, language) => value === found[at][language]));
if (!same) document.querySelector('#error').textContent = 'a set has other figures in the walk than by itself';
else document.querySelector('#bench').textContent = JSON.stringify({ model: loaded.name, sets: rows.length, one: rows.length * one, walk: walking, run: walked.seconds, same });
</script>"#;

/// The walk against the sets one by one, and against a loop in PyTorch where there is one.
pub fn measure(folder: &Path, dist: &Path) -> Result<Vec<Row>> {
    let pages = folder.join("pages");
    fs::create_dir_all(&pages).map_err(Error::io("the bench's folder"))?;
    fs::write(pages.join("gateway.html"), SCRIPT).map_err(Error::io("the bench's page"))?;
    let site = Site::new(dist).mount("/.bench/page/", pages);
    let detail = browser::measure(site, PLACE, "#bench", LIMIT)?;
    let figure = |name: &str| {
        let unreadable = || Error::Unreadable { what: PLACE.into(), text: detail.to_string() };
        detail[name].as_f64().ok_or_else(unreadable)
    };
    let [one, walk, run] = ["one", "walk", "run"].map(|name| figure(name).map(|seconds| 1000.0 * seconds));
    let (one, walk, run) = (one?, walk?, run?);
    let row = |name: &str, ours, peer: &str, theirs| Row {
        name: name.into(),
        ours,
        peer: Some((peer.into(), theirs)),
        unit: "ms",
        detail: detail.clone(),
    };
    let whole = "all of that run, with intervals";
    let mut rows =
        vec![row("walk of 220 sets, workers 2", walk, "one by one (bar 2.2)", one), row(whole, run, "one by one", one)];
    if let Some(peak) = detail["peak_megabytes"].as_f64() {
        let name = "its page and workers together (under 1000)".into();
        rows.push(Row { name, ours: peak, peer: None, unit: "MB", detail: Value::Null });
    }
    match std::env::var_os(PYTHON) {
        Some(python) => rows.push(row(whole, run, "PyTorch, 2 threads", looped(&python)?)),
        None => eprintln!("no comparison with a loop in PyTorch: {PYTHON} does not name a Python that has it."),
    }
    Ok(rows)
}

/// Milliseconds that the loop takes for all sets, from a sample.
fn looped(python: &std::ffi::OsStr) -> Result<f64> {
    let script = root().join("benches/gateway_loop.py");
    let ran =
        Command::new(python).arg(script).args(["--sets", LOOPED]).output().map_err(Error::io("the loop's Python"))?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    // `11 sets in 20.0 s, 400.0 s for all, 2 threads`
    let all = text.lines().last().and_then(|line| line.split(", ").nth(1)?.split(' ').next()?.parse::<f64>().ok());
    all.map(|seconds| 1000.0 * seconds).ok_or(Error::Unreadable { what: "gateway_loop.py".into(), text })
}
