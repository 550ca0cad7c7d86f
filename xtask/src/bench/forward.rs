//! Our own forward pass, as the Bench page times it.

use std::{path::Path, time::Duration};

use serde_json::Value;

use super::{Row, browser, models};
use crate::{Error, Result, server::Site};

/// Tokens per sequence, as in the comparison with the peer.
const TOKENS: usize = 256;
/// One sequence alone, then two side by side.
const WORKERS: [usize; 2] = [1, 2];
/// The larger shape needs about half a minute on two slow cores, with loading.
const LIMIT: Duration = Duration::from_secs(300);

/// Times the models of the comparison where they are there, else the model that comes with the page.
pub fn measure(folder: &Path, dist: &Path) -> Result<Vec<Row>> {
    let mut shapes = models(folder);
    if shapes.is_empty() {
        shapes.extend(shipped(dist).map(|model| ("shipped", model)));
    }
    let mut rows = Vec::new();
    for (shape, model) in &shapes {
        for workers in WORKERS {
            let site = Site::new(dist).mount("/.bench/model/", model);
            let path = format!("/#/bench?model=/.bench/model&tokens={TOKENS}&backend=cpu&workers={workers}");
            let detail = browser::measure(site, &path, "#bench", LIMIT)?;
            let figure = |name: &str| -> Result<f64> {
                let unreadable = || Error::Unreadable { what: path.clone(), text: detail.to_string() };
                detail[name].as_f64().ok_or_else(unreadable)
            };
            let name = |unit| format!("forward {TOKENS} tokens, {shape}, workers {workers}, {unit}");
            let row = |name, ours, unit| Row { name, ours, peer: None, unit, detail: Value::Null };
            let (milliseconds, rate) = (figure("milliseconds")?, figure("gflops")?);
            rows.push(Row { detail: detail.clone(), ..row(name("time"), milliseconds, "ms") });
            rows.push(row(name("rate"), rate, "GFLOP/s"));
        }
    }
    Ok(rows)
}

/// First model folder of the page.
fn shipped(dist: &Path) -> Option<std::path::PathBuf> {
    let mut folders: Vec<_> =
        std::fs::read_dir(dist.join("models")).ok()?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders.into_iter().find(|folder| folder.join("model.safetensors").is_file())
}
