//! A checkpoint of the shape of GPT-2 small over a line of 20 MB/s: how long the analysis of its weights takes beside the bare
//! download, how much memory, and what is fetched twice when the download is killed.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
    time::Duration,
};

use serde_json::{Value, json};

use super::{Row, browser};
use crate::{
    Error, Result,
    server::{Line, Site},
};

/// Twice half a minute, and some more for each kill, on a machine that does other things too.
const LIMIT: Duration = Duration::from_secs(600);
/// The line.
const BYTES_PER_SECOND: f64 = 20e6;
/// How often the download is killed.
const KILLS: u64 = 12;

/// `#bare` downloads the file with a bare fetch. The others speak to the page's own worker: `#look` has the file looked through
/// and its Weights report made; `#kill` ends the worker at random places of the download and starts another, until it is whole.
const SCRIPT: &str = r##"<!doctype html><title>loading</title><pre id="bench"></pre><p id="error"></p><script type="module">
const KILLS = 12, SIZE = SIZE_OF_FILE;
const base = new URL('/', location.href).href, url = base + 'small';
let worker, heard = () => {};
const wait = (name, also = () => {}) => new Promise((done) => { heard = (event) => {
  if (event.Failed) document.querySelector('#error').textContent = event.Failed.message;
  also(event, done);
  if (event[name]) done(event[name]);
}; });
const say = (request) => worker.postMessage(JSON.stringify(request));
const start = async () => {
  worker = new Worker(base + 'worker_loader.js', { type: 'module' });
  worker.onmessage = ({ data }) => heard(JSON.parse(data));
  await wait('Booted');
  say({ Start: { base, workers: 1, backend: 'cpu', profile: false } });
  await wait('Catalog');
};
const found = {};
if (location.hash !== '#bare') await start();
const began = performance.now();
if (location.hash === '#bare') {
  const reader = (await fetch(url + '/model.safetensors', { cache: 'no-store' })).body.getReader();
  while (!(await reader.read()).done);
  found.bare = performance.now() - began;
} else if (location.hash === '#look') {
  say({ Load: { url, how: 'weights' } });
  await wait('Loaded');
  found.loaded = performance.now() - began;
  say({ Run: { id: 1, config: { analysis: 'weights', threshold: 5 } } });
  found.layers = (await wait('Finished')).report.layers.length;
  found.looked = performance.now() - began;
} else {
  const places = Array.from({ length: KILLS }, () => Math.random() * SIZE).sort((a, b) => a - b);
  found.places = places;
  for (const place of places) {
    say({ Load: { url, how: 'weights' } });
    await wait('Loaded', (event, done) => { if (event.Loading?.bytes >= place) done(); });
    worker.terminate();
    await start();
  }
  say({ Load: { url, how: 'weights' } });
  found.bytes = (await wait('Loaded')).bytes;
}
document.querySelector('#bench').textContent = JSON.stringify(found);
</script>"##;

/// Time, memory and what was fetched twice.
pub fn measure(folder: &Path, dist: &Path) -> Result<Vec<Row>> {
    let (pages, model) = (folder.join("pages"), folder.join("models/random-small"));
    fs::create_dir_all(&pages).map_err(Error::io("the bench's folder"))?;
    let size = write_model(&model).map_err(Error::io("the bench's checkpoint"))?;
    let script = SCRIPT.replace("SIZE_OF_FILE", &size.to_string());
    fs::write(pages.join("loading.html"), script).map_err(Error::io("the bench's page"))?;
    let run = |part: &str| {
        let line = Line::new(BYTES_PER_SECOND);
        let site = Site::new(dist).mount("/.bench/page/", &pages).mount("/small/", &model).line(line.clone());
        let detail = browser::measure(site, &format!("/.bench/page/loading.html#{part}"), "#bench", LIMIT)?;
        Ok::<_, Error>((detail, line.sent()))
    };
    let (downloaded, _) = run("bare")?;
    let (looked, _) = run("look")?;
    let (killed, sent) = run("kill")?;
    let figure = |of: &Value, name: &str| {
        let unreadable = || Error::Unreadable { what: "loading.html".into(), text: of.to_string() };
        of[name].as_f64().ok_or_else(unreadable)
    };
    let row = |name: &str, ours, unit| Row { name: name.into(), ours, peer: None, unit, detail: Value::Null };
    let (bare, whole) = (figure(&downloaded, "bare")?, figure(&looked, "looked")?);
    let twice = sent.saturating_sub(size) as f64 / KILLS as f64 / 1e6;
    let mut rows = vec![
        row("500 MB at 20 MB/s, bare download", bare, "ms"),
        row("the same, weights looked through", whole, "ms"),
        Row { detail: looked.clone(), ..row("their ratio (at most 1.15)", whole / bare, "times") },
        Row { detail: killed, ..row("fetched twice for each of 12 kills (under 4)", twice, "MB") },
    ];
    if let Some(peak) = looked["peak_megabytes"].as_f64() {
        rows.push(row("its page and workers together (under 300)", peak, "MB"));
    }
    Ok(rows)
}

/// Writes a random checkpoint of the shape of GPT-2 small where there is none, and gives its size.
fn write_model(folder: &Path) -> io::Result<u64> {
    let file = folder.join("model.safetensors");
    if let Ok(known) = fs::metadata(&file) {
        return Ok(known.len());
    }
    fs::create_dir_all(folder)?;
    let config = json!({
        "model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "vocab_size": 50257,
    });
    fs::write(folder.join("config.json"), config.to_string())?;
    let mut tensors: Vec<(String, Vec<u64>)> = vec![
        ("wte.weight".into(), vec![50257, 768]),
        ("wpe.weight".into(), vec![1024, 768]),
        ("ln_f.weight".into(), vec![768]),
        ("ln_f.bias".into(), vec![768]),
    ];
    for layer in 0..12 {
        let of = |name: &str, shape: &[u64]| (format!("h.{layer}.{name}"), shape.to_vec());
        for norm in ["ln_1", "ln_2"] {
            tensors.extend([of(&format!("{norm}.weight"), &[768]), of(&format!("{norm}.bias"), &[768])]);
        }
        for (name, k, n) in
            [("attn.c_attn", 768, 2304), ("attn.c_proj", 768, 768), ("mlp.c_fc", 768, 3072), ("mlp.c_proj", 3072, 768)]
        {
            tensors.extend([of(&format!("{name}.weight"), &[k, n]), of(&format!("{name}.bias"), &[n])]);
        }
    }
    tensors.sort();
    let (mut header, mut end) = (serde_json::Map::new(), 0u64);
    for (name, shape) in &tensors {
        let begin = end;
        end += 4 * shape.iter().product::<u64>();
        header.insert(name.clone(), json!({ "dtype": "F32", "shape": shape, "data_offsets": [begin, end] }));
    }
    let header = Value::Object(header).to_string();
    // Under another name until it is whole.
    let part = folder.join("part");
    let mut out = BufWriter::new(File::create(&part)?);
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..end / 4 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // The sum of four uniform numbers is near enough to a Gaussian; σ is about 0.02.
        let sum: i64 = (0..4).map(|at| ((state >> (16 * at)) & 0xffff) as i64 - 0x8000).sum();
        out.write_all(&(sum as f32 * 5.3e-7).to_le_bytes())?;
    }
    out.into_inner()?.sync_all()?;
    fs::rename(part, &file)?;
    Ok(8 + header.len() as u64 + end)
}
