//! `cargo xtask bench`: how fast the engine is, as ratios to its peers where they can be run, else in plain figures.

mod browser;
mod build;
mod claims;
mod forward;
mod gateway;
mod kernels;
mod loading;
mod minute;
mod mitigation;
mod peer;
pub mod soak;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{Result, page, root, run::step, target};

/// What to measure and how to say it.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// JSON lines in place of the table.
    pub json: bool,
    /// Install the peer's packages and make its models first.
    pub install_peer: bool,
    /// Only the download over a slow line.
    pub only_loading: bool,
    /// Only the first minute of a visit.
    pub only_minute: bool,
    /// Only how long one waits for the commands.
    pub only_build: bool,
    /// Only the memory of one long visit, of so many minutes.
    pub only_soak: Option<u64>,
}

/// One line of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// Our figure.
    pub ours: f64,
    /// The peer's name and figure, in the same unit.
    pub peer: Option<(String, f64)>,
    /// `ms`, `s`, `GFLOP/s`, `passes`, `times`, `shift`, `turns` or `MB`.
    pub unit: &'static str,
    /// All that the measurement said.
    pub detail: Value,
}

impl Row {
    /// How many times as fast as the peer we are.
    pub fn times_faster(&self) -> Option<f64> {
        let (_, peer) = self.peer.as_ref()?;
        Some(if self.unit == "ms" { peer / self.ours } else { self.ours / peer })
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "ours": self.ours,
            "peer": self.peer.as_ref().map(|(name, _)| name),
            "peers": self.peer.as_ref().map(|(_, figure)| figure),
            "unit": self.unit,
            "times_faster": self.times_faster(),
            "detail": self.detail,
        })
    }

    fn line(&self) -> String {
        let peer = self.peer.as_ref().map_or_else(String::new, |(name, figure)| format!("{name} {figure:.1}"));
        let times = self.times_faster().map_or_else(String::new, |times| format!("{times:.2}×"));
        format!("{:<44} {:>10.1} {:<8} {:<28} {:>7}", self.name, self.ours, self.unit, peer, times)
    }
}

/// Measures and prints. What cannot be measured here is said on standard error.
pub fn bench(options: &Options) -> Result<()> {
    let folder = target().join("bench");
    let scripts = scripts();
    if options.install_peer {
        peer::install(&folder, scripts.as_deref())?;
    }
    let rows = match options {
        Options { only_loading: true, .. } => slow_download(&folder, &page::there_or_built()?)?,
        Options { only_minute: true, .. } => minute::measure(&page::there_or_built()?)?,
        Options { only_build: true, .. } => build::measure(&folder)?,
        Options { only_soak: Some(minutes), .. } => {
            step(&format!("one visit of {minutes} minutes"), || soak::measure(&page::there_or_built()?, *minutes))?
        }
        _ => all(&folder, scripts)?,
    };
    if !options.json {
        println!("\n{:<44} {:>10} {:<8} {:<28} {:>7}", "measured", "ours", "unit", "peer", "ratio");
    }
    for row in &rows {
        println!("{}", if options.json { row.json().to_string() } else { row.line() });
    }
    Ok(())
}

fn slow_download(folder: &Path, dist: &Path) -> Result<Vec<Row>> {
    step("measure a download of 500 MB at 20 MB/s (minutes)", || loading::measure(folder, dist))
}

fn all(folder: &Path, scripts: Option<PathBuf>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    match kernels::missing() {
        None => rows.extend(kernels::measure(folder)?),
        Some(what) => eprintln!("no comparison of the kernels with gemm and matrixmultiply: {what}."),
    }
    let dist = page::build(page::Profile::Release, page::PUBLIC_URL)?;
    match peer::missing(folder, scripts.as_deref()) {
        None => rows.extend(step("measure the forward pass against ONNX Runtime Web (minutes)", || {
            peer::measure(folder, &scripts.expect("nothing is missing"), &dist)
        })?),
        Some(what) => {
            eprintln!("no comparison with ONNX Runtime Web: {what}. Our own figures instead.");
            rows.extend(step("measure the forward pass", || forward::measure(folder, &dist))?);
        }
    }
    rows.extend(step("measure the first minute", || minute::measure(&dist))?);
    rows.extend(step("measure the Mitigation table", || mitigation::measure(folder, &dist))?);
    rows.extend(step("measure the walk over protection sets (minutes)", || gateway::measure(folder, &dist))?);
    rows.extend(step("measure all claims (minutes)", || claims::measure(folder, &dist))?);
    rows.extend(slow_download(folder, &dist)?);
    Ok(rows)
}

/// Folder of the comparison with the peer, which stands beside the workspace.
fn scripts() -> Option<PathBuf> {
    let beside = root().join("../shared/bench");
    Some(beside).filter(|folder| folder.join("vs_ort.mjs").is_file())
}

/// Random models of two shapes that `make_models.py` writes, of those that are there.
fn models(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let shapes = ["d128", "small"].map(|shape| (shape, folder.join("models").join(shape)));
    shapes.into_iter().filter(|(_, model)| model.join("model.safetensors").is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(unit: &'static str) -> Row {
        Row { name: "x".into(), ours: 20.0, peer: Some(("peer".into(), 40.0)), unit, detail: Value::Null }
    }

    #[test]
    fn less_time_and_more_rate_are_both_faster() {
        assert_eq!(row("ms").times_faster(), Some(2.0));
        assert_eq!(row("GFLOP/s").times_faster(), Some(0.5));
        assert_eq!(Row { peer: None, ..row("ms") }.times_faster(), None);
    }

    #[test]
    fn a_row_is_one_json_line() {
        let text = row("ms").json().to_string();
        assert!(!text.contains('\n'));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["times_faster"], 2.0);
    }
}
