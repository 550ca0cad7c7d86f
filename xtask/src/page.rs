//! Building the page: as it is shipped, or as it is there soonest.

use std::{path::PathBuf, thread};

use crate::{
    Error, Result,
    checks::DIST,
    hashed, licences, offline, root,
    run::{cargo, command, finish, step},
    squeeze, target,
    tools::{self, WASM},
};

/// Relative addresses: the same page works at the root of a host and under any sub-path.
pub const PUBLIC_URL: &str = "./";
/// The packages of the page's own program and of its worker.
const PROGRAMS: [&str; 2] = ["fairbits-ui", "fairbits-worker"];

/// How the page is built; the profiles are in Cargo.toml.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// What is shipped: small and fast, minutes after every change.
    Release,
    /// What a person waits for at their desk: the engine as fast, the rest as it comes out of the compiler.
    Serve,
}

impl Profile {
    /// As Cargo calls it.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Serve => "serve",
        }
    }

    /// Where the page goes.
    fn dist(self) -> PathBuf {
        match self {
            Profile::Release => root().join("dist"),
            Profile::Serve => target().join("served"),
        }
    }
}

/// Builds the page and returns its folder.
pub fn build(profile: Profile, public_url: &str) -> Result<PathBuf> {
    if !root().join("index.html").is_file() {
        return Err(Error::Missing(format!("there is no index.html in {} to build a page from", root().display())));
    }
    tools::wasm_target()?;
    // Tools that are missing are built beside the programs: each leaves a core idle now and then.
    let (trunk, wasm_bindgen, compiled) = thread::scope(|scope| {
        let tools = [tools::trunk, tools::wasm_bindgen].map(|tool| scope.spawn(tool));
        let compiled = compile(profile);
        let [trunk, wasm_bindgen] = tools.map(|tool| tool.join().expect("installing a tool does not panic"));
        (trunk, wasm_bindgen, compiled)
    });
    let (trunk, wasm_bindgen) = (trunk?, wasm_bindgen?);
    compiled?;
    let dist = profile.dist();
    step(&format!("put the {} page together", profile.name()), || {
        let mut build = command(&trunk);
        tools::uncoloured(&mut build)
            .args(["build", "--offline", "--public-url", public_url, "--dist"])
            .arg(&dist)
            .args(match profile {
                Profile::Release => &["--release"][..],
                Profile::Serve => &["--cargo-profile", "serve"],
            })
            .env("PATH", tools::path_with(&[&wasm_bindgen, &trunk]));
        finish(&mut build)?;
        licences::write(&dist)?;
        hashed::name_worker(&dist)?;
        offline::write(&dist)?;
        squeeze::write(&dist)
    })?;
    Ok(dist)
}

/// Both programs at once, on one build of what is below them; Trunk, which asks for one after the other, finds them there.
fn compile(profile: Profile) -> Result<()> {
    step(&format!("compile page and worker, profile {}", profile.name()), || {
        let mut build = cargo(&["build", "--quiet", "--bins", "--target", WASM, "--profile", profile.name()]);
        finish(build.args(PROGRAMS.iter().flat_map(|package| ["--package", package])))
    })
}

/// The page that [`DIST`] names, else the release page, built now.
pub fn there_or_built() -> Result<PathBuf> {
    std::env::var_os(DIST).map_or_else(|| build(Profile::Release, PUBLIC_URL), |dist| Ok(dist.into()))
}
