//! Building the release page.

use std::path::PathBuf;

use crate::{
    Error, Result,
    checks::DIST,
    offline, root,
    run::{command, finish, step},
    squeeze, tools,
};

/// Relative addresses: the same `dist/` works at the root of a host and under any sub-path.
pub const PUBLIC_URL: &str = "./";

/// Builds the page into `dist/` and returns that folder.
pub fn build(public_url: &str) -> Result<PathBuf> {
    if !root().join("index.html").is_file() {
        return Err(Error::Missing(format!("there is no index.html in {} to build a page from", root().display())));
    }
    tools::wasm_target()?;
    let (trunk, wasm_bindgen) = (tools::trunk()?, tools::wasm_bindgen()?);
    let dist = root().join("dist");
    step("build the release page (minutes from scratch, seconds after a change)", || {
        let mut build = command(&trunk);
        tools::uncoloured(&mut build)
            .args(["build", "--release", "--offline", "--public-url", public_url, "--dist"])
            .arg(&dist)
            .env("PATH", tools::path_with(&[&wasm_bindgen, &trunk]));
        finish(&mut build)
    })?;
    offline::write(&dist)?;
    squeeze::write(&dist)?;
    Ok(dist)
}

/// The page that [`DIST`] names, else one that is built now.
pub fn there_or_built() -> Result<PathBuf> {
    std::env::var_os(DIST).map_or_else(|| build(PUBLIC_URL), |dist| Ok(dist.into()))
}
