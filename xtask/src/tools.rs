//! What must be on the machine to build the page: the wasm target, Trunk and the matching wasm-bindgen.
//!
//! A tool of the right version on PATH is used as it is; otherwise a pinned one is built once into a folder of the person's
//! cache, where every clone finds it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use crate::{
    Error, Result, root,
    run::{cargo, command, finish, output, step},
};

/// Where the page runs.
pub const WASM: &str = "wasm32-unknown-unknown";
/// Builds with the minimum Rust of this workspace; later lines of Trunk want a newer one.
const TRUNK: &str = "0.21.14";
/// Any release of this line takes the same arguments and configuration.
const TRUNK_LINE: &str = "0.21.";
/// Older lines cannot read what today's Cargo says of packages, nor today's database of advisories: so the old one that can be had built
/// is of no use.
const CARGO_DENY: &str = "0.20.2";
const CARGO_DENY_LINE: &str = "0.20.";
/// The tools run for seconds in a build, so that they are built fast matters more than that they are fast.
const FAST_PROFILE: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
];
/// Names another folder for tools than the one in the person's cache.
const TOOLS: &str = "FAIRBITS_TOOLS";

/// Adds the wasm target to the toolchain where it is missing.
pub fn wasm_target() -> Result<()> {
    let library = output(command("rustc").args(["--print", "target-libdir", "--target", WASM]));
    if library.is_some_and(|folder| Path::new(folder.trim()).is_dir()) {
        return Ok(());
    }
    step("add the wasm target to the toolchain", || finish(command("rustup").args(["target", "add", WASM])))
}

/// Adds a toolchain component (`rustfmt`, `clippy`) where its cargo command is missing.
pub fn component(name: &str, subcommand: &str) -> Result<()> {
    if output(&mut cargo(&[subcommand, "--version"])).is_some() {
        return Ok(());
    }
    step(&format!("add {name} to the toolchain"), || finish(command("rustup").args(["component", "add", name])))
}

/// Held while a tool is looked for and built: who wants the same one waits and finds it.
static TRUNK_WANTED: Mutex<()> = Mutex::new(());
static WASM_BINDGEN_WANTED: Mutex<()> = Mutex::new(());

/// Trunk: found, or built.
pub fn trunk() -> Result<PathBuf> {
    let _wanted = TRUNK_WANTED.lock().expect("installing a tool does not panic");
    match find("trunk", |version| version.starts_with(TRUNK_LINE)) {
        Some(trunk) => Ok(trunk),
        // Its features are for serving over TLS and for looking for a newer version of itself.
        None => install("trunk", "trunk", TRUNK, &["--locked", "--no-default-features"], 4),
    }
}

/// wasm-bindgen's command: found, or built. It must be of exactly the version of the crate that the page links.
pub fn wasm_bindgen() -> Result<PathBuf> {
    let lock = root().join("Cargo.lock");
    let text = std::fs::read_to_string(&lock).map_err(Error::io(lock.display().to_string()))?;
    let wanted = locked_version(&text, "wasm-bindgen").ok_or_else(|| Error::Unlocked("wasm-bindgen".into()))?;
    let _wanted = WASM_BINDGEN_WANTED.lock().expect("installing a tool does not panic");
    match find("wasm-bindgen", |version| version == wanted) {
        Some(tool) => Ok(tool),
        // Its own lock file names a crate version that cannot be had.
        None => install("wasm-bindgen", "wasm-bindgen-cli", wanted, &[], 2),
    }
}

/// cargo-deny: found, or built.
pub fn cargo_deny() -> Result<PathBuf> {
    match find("cargo-deny", |version| version.starts_with(CARGO_DENY_LINE)) {
        Some(tool) => Ok(tool),
        None => install("cargo-deny", "cargo-deny", CARGO_DENY, &["--locked"], 1),
    }
}

/// What runs tests that were compiled for the browser; it comes with wasm-bindgen's command.
pub fn wasm_bindgen_test_runner() -> Result<PathBuf> {
    let runner = wasm_bindgen()?.with_file_name("wasm-bindgen-test-runner");
    match runner.is_file() {
        true => Ok(runner),
        false => Err(Error::Missing(format!(
            "{} is missing: it comes with wasm-bindgen's command (cargo install wasm-bindgen-cli)",
            runner.display()
        ))),
    }
}

/// PATH with the folders of these tools first.
pub fn path_with(tools: &[&Path]) -> OsString {
    let first = tools.iter().filter_map(|tool| tool.parent()).map(Path::to_path_buf);
    std::env::join_paths(first.chain(search_path())).expect("folders that came from PATH can be joined again")
}

/// First file of this name on PATH, whatever its version.
pub fn on_path(name: &str) -> Option<PathBuf> {
    search_path().map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn search_path() -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>().into_iter()
}

/// Where tools are kept that are not of this clone alone.
pub fn tools_folder() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    set(TOOLS).or_else(|| cache().map(|cache| cache.join("fairbits"))).unwrap_or_else(|| root().join("target/tools"))
}

/// A folder for each tool and version, so that clones of different ages do not take each other's away.
fn place(tool: &str, version: &str) -> PathBuf {
    tools_folder().join(format!("{tool}-{version}"))
}

/// A tool on PATH, else one that was built before, whose version is accepted.
fn find(name: &str, accept: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let built = std::fs::read_dir(tools_folder()).into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
    let mut candidates = search_path().chain(built).map(|folder| folder.join(name)).filter(|tool| tool.is_file());
    candidates.find(|tool| {
        let said = output(uncoloured(&mut Command::new(tool)).arg("--version"));
        said.as_deref().and_then(version).is_some_and(&accept)
    })
}

/// Trunk reads NO_COLOR as its own flag and refuses the usual `NO_COLOR=1`.
pub fn uncoloured(command: &mut Command) -> &mut Command {
    command.env_remove("NO_COLOR")
}

/// `0.2.130` of `wasm-bindgen 0.2.130 (abc)`.
fn version(said: &str) -> Option<&str> {
    said.split_whitespace().nth(1)
}

/// Version of a package in the text of a Cargo.lock.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

/// Brings a tool into its folder: as others built it where `cargo binstall` is there and knows how, else built here.
fn install(tool: &str, package: &str, version: &str, arguments: &[&str], minutes: u32) -> Result<PathBuf> {
    let folder = place(tool, version);
    // Beside its place until it is whole: a build that was broken off is not found, nor one of another clone disturbed.
    let partial = folder.with_file_name(format!(".{tool}-{version}-{}", std::process::id()));
    let name = format!("build {tool} {version} into {} (once, about {minutes} minutes on two cores)", folder.display());
    step(&name, || {
        if !by_binstall(package, version, &partial) {
            let mut install = cargo(&["install", package, "--version", &format!("={version}"), "--quiet", "--force"]);
            install.arg("--root").arg(&partial).args(arguments).envs(FAST_PROFILE);
            // A target folder of its own: `cargo install` must not wait for a build of the page, nor the page for it.
            finish(install.env("CARGO_TARGET_DIR", partial.join("build")))?;
            std::fs::remove_dir_all(partial.join("build")).map_err(Error::io(partial.display().to_string()))?;
        }
        // A folder that is there already has not what was wanted, or came from another clone meanwhile.
        std::fs::remove_dir_all(&folder).ok();
        std::fs::rename(&partial, &folder).map_err(Error::io(folder.display().to_string()))
    })?;
    Ok(folder.join("bin").join(tool))
}

fn by_binstall(package: &str, version: &str, root: &Path) -> bool {
    on_path("cargo-binstall").is_some() && {
        let mut binstall = cargo(&["binstall", "--no-confirm", "--quiet", "--disable-strategies", "compile"]);
        binstall.arg("--root").arg(root).arg(format!("{package}@{version}"));
        finish(&mut binstall).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_tells_the_version() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"x\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock, "leptos"), None);
    }

    #[test]
    fn this_workspace_locks_wasm_bindgen() {
        let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
        assert!(locked_version(&lock, "wasm-bindgen").is_some_and(|version| version.starts_with("0.2.")));
    }

    #[test]
    fn versions_are_read_from_what_tools_say() {
        assert_eq!(version("wasm-bindgen 0.2.130\n"), Some("0.2.130"));
        assert_eq!(version("trunk 0.21.14"), Some("0.21.14"));
        assert_eq!(version("trunk"), None);
    }
}
