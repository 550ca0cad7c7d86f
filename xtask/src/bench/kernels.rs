//! The matmul kernel against `gemm` and `matrixmultiply`, all compiled to wasm, by the crate in `benches/wasm`.

use std::path::Path;

use serde_json::Value;

use super::Row;
use crate::{
    Error, Result, chromium, root,
    run::{cargo, command, finish, line, output, step},
    tools::{self, WASM, on_path},
};

/// The two crates that our kernel is measured against.
const PEERS: [&str; 2] = ["gemm", "matrixmultiply"];

/// What the comparison lacks here, as the end of a sentence; `None` where it can be run.
pub fn missing() -> Option<&'static str> {
    on_path("node").is_none().then_some("Node is not on PATH")
}

/// Builds the bench and runs it in Chromium, or in Node where there is no Chromium.
pub fn measure(folder: &Path) -> Result<Vec<Row>> {
    tools::wasm_target()?;
    let (bench, target) = (root().join("benches/wasm"), folder.join("kernels"));
    step("build the kernels and their peers for wasm", || {
        let mut build = cargo(&["build", "--release", "--quiet", "--target", WASM, "--manifest-path"]);
        finish(build.arg(bench.join("Cargo.toml")).env("CARGO_TARGET_DIR", &target))
    })?;
    let mut node = command("node");
    node.arg(bench.join("run.mjs")).arg(target.join(WASM).join("release/kernel_bench.wasm"));
    if let Some(chromium) = chromium::browser() {
        node.arg("--chromium").arg(chromium);
    }
    let text = step("measure the kernels", || {
        output(&mut node).ok_or_else(|| Error::Unreadable { what: line(&node), text: "nothing".into() })
    })?;
    let read = |text: &str| row(text).ok_or_else(|| Error::Unreadable { what: line(&node), text: text.into() });
    text.lines().map(read).collect()
}

/// A line such as `{"engine":"chromium","shape":"256x768x768","ours":30.1,"gemm":25.0,"matrixmultiply":22.5}`.
fn row(text: &str) -> Option<Row> {
    let detail: Value = serde_json::from_str(text).ok()?;
    let figures = PEERS.map(|peer| detail[peer].as_f64().map(|rate| (peer.to_owned(), rate)));
    let peer = figures.into_iter().flatten().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let name = format!("matmul {} in {}", detail["shape"].as_str()?, detail["engine"].as_str()?);
    Some(Row { name, ours: detail["ours"].as_f64()?, peer: Some(peer), unit: "GFLOP/s", detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_are_compared_with_the_faster_peer() {
        let text = r#"{"engine":"chromium","shape":"256x768x768","ours":30.0,"gemm":20.0,"matrixmultiply":24.0}"#;
        let row = row(text).unwrap();
        assert_eq!((row.name.as_str(), row.times_faster()), ("matmul 256x768x768 in chromium", Some(1.25)));
        assert_eq!(row.peer.unwrap().0, "matrixmultiply");
        assert_eq!(super::row(r#"{"engine":"node","shape":"x","ours":1.0}"#), None);
    }
}
