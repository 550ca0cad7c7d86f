//! The forward pass against ONNX Runtime Web in the same browser, by the scripts that stand beside the workspace.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Row, models};
use crate::{
    Error, Result,
    run::{command, finish, output, step},
    tools::on_path,
};

/// The peer, and the driver of its page.
const PACKAGES: [&str; 2] = ["onnxruntime-web", "playwright-core"];
/// What `make_models.py` imports, directly or through the exporter.
const IMPORTS: &str = "import torch, transformers, onnx, onnxscript, safetensors";
/// One worker against one thread, two against two.
const WORKERS: [&str; 2] = ["1", "2"];

/// What the comparison lacks here, as the end of a sentence; `None` where it can be run.
pub fn missing(folder: &Path, scripts: Option<&Path>) -> Option<String> {
    if scripts.is_none() {
        return Some("its scripts (../shared/bench) are not here".into());
    }
    if on_path("node").is_none() {
        return Some("Node is not on PATH".into());
    }
    if let Some(package) = PACKAGES.iter().find(|package| !folder.join("node_modules").join(package).is_dir()) {
        let place = folder.join("node_modules");
        return Some(format!("npm's {package} is not in {}; `cargo xtask bench --peer` installs it", place.display()));
    }
    (!modelled(folder)).then(|| {
        let place = folder.join("models");
        format!("its models are not in {}; `cargo xtask bench --peer` makes them", place.display())
    })
}

/// Whether the models of both shapes are there, each also as the peer reads it. The tokens are written last.
fn modelled(folder: &Path) -> bool {
    let files = ["model.onnx", "tokens.json"];
    models(folder).iter().filter(|(_, model)| files.iter().all(|file| model.join(file).is_file())).count() == 2
}

/// Installs the packages by npm and makes the models by Python, each where it is missing.
pub fn install(folder: &Path, scripts: Option<&Path>) -> Result<()> {
    let scripts =
        scripts.ok_or_else(|| Error::Missing("the scripts of the comparison (../shared/bench) are not here".into()))?;
    std::fs::create_dir_all(folder).map_err(Error::io(folder.display().to_string()))?;
    if PACKAGES.iter().any(|package| !folder.join("node_modules").join(package).is_dir()) {
        step("install the peer's packages", || {
            finish(
                command("npm")
                    .arg("install")
                    .arg("--prefix")
                    .arg(folder)
                    .args(["--no-fund", "--no-audit"])
                    .args(PACKAGES),
            )
        })?;
    }
    if modelled(folder) {
        return Ok(());
    }
    let python = python().ok_or_else(|| {
        Error::Missing(
            "no Python here can import torch, transformers, onnx, onnxscript and safetensors: pip install them".into(),
        )
    })?;
    step("make the models of the comparison (about two minutes)", || {
        finish(command(python).arg(scripts.join("make_models.py")).arg(folder.join("models")))
    })
}

/// Runs the comparison and reads its JSON lines.
pub fn measure(folder: &Path, scripts: &Path, dist: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for workers in WORKERS {
        let mut node = command("node");
        // The script looks for the packages from the working directory upwards.
        node.arg(scripts.join("vs_ort.mjs")).current_dir(folder).args(["--models", "models", "--workers", workers]);
        node.arg("--dist").arg(dist);
        let text = output(&mut node);
        let text = text.ok_or_else(|| Error::Unreadable { what: crate::run::line(&node), text: "nothing".into() })?;
        for line in text.lines() {
            rows.push(row(line).ok_or_else(|| Error::Unreadable { what: "vs_ort.mjs".into(), text: line.into() })?);
        }
    }
    Ok(rows)
}

fn row(line: &str) -> Option<Row> {
    let detail: Value = serde_json::from_str(line).ok()?;
    let name = format!("forward 256 tokens, {}, workers {}", detail["shape"].as_str()?, detail["workers"]);
    let (ours, peer) = (detail["ours_ms"].as_f64()?, detail["ort_ms"].as_f64()?);
    Some(Row { name, ours, peer: Some(("ONNX Runtime Web".into(), peer)), unit: "ms", detail })
}

/// A Python that can make the models: the one on PATH, or that of the virtual environment of the training.
fn python() -> Option<PathBuf> {
    let environment = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache/fairbits/venv/bin/python"));
    let mut candidates = on_path("python3").into_iter().chain(environment);
    candidates.find(|python| output(command(python).args(["-c", IMPORTS])).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_comparison_is_read() {
        let line =
            r#"{"shape":"d128","backend":"cpu","workers":2,"ort_ms":67.6,"ours_ms":33.8,"times_faster":2,"ours":null}"#;
        let row = row(line).unwrap();
        assert_eq!((row.name.as_str(), row.times_faster()), ("forward 256 tokens, d128, workers 2", Some(2.0)));
        assert_eq!(super::row("{}"), None);
        assert_eq!(super::row(r#"{"shape":"d128","workers":1,"ort_ms":67.6,"ours_ms":null}"#), None);
    }

    #[test]
    fn what_is_missing_is_said() {
        let nowhere = Path::new("/nowhere");
        assert!(missing(nowhere, None).unwrap().contains("scripts"));
        let reason = missing(nowhere, Some(nowhere)).unwrap();
        assert!(reason.contains("Node") || reason.contains("--peer"), "{reason}");
    }
}
