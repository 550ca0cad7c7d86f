//! Clippy over the workspace, on dependencies as another build has compiled them: `cargo clippy` would check each of them once
//! more, which takes several times as long as the workspace itself.
//!
//! Natively Clippy's driver, which is a compiler, compiles the tests. What is shipped is compiled by the compiler itself and
//! looked at apart: Cargo hands every call of the compiler for a package of the workspace to this program, which hands it to
//! Clippy's driver and asks for no machine code. What is a library goes through rustdoc too, whose warnings are refused.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use crate::{
    Error, Result,
    run::{cargo, command, finish, output},
};

/// Set where this program stands in for the compiler; names Clippy's driver.
const DRIVER: &str = "FAIRBITS_CLIPPY_DRIVER";
/// Where rustdoc writes what it was asked for; nobody reads it there.
const DOCUMENTS: &str = "target/doc";
/// What Cargo calls a build script's crate.
const BUILD_SCRIPT: &str = "build_script_build";
/// What Clippy reads as `-D warnings`.
const DENY: &str = "-D__CLIPPY_HACKERY__warnings";

/// Clippy by way of this program.
#[derive(Debug)]
pub struct Linter {
    own: PathBuf,
}

impl Linter {
    /// To be made before anything is compiled: a build of the workspace puts a new file in this program's place, after which the
    /// system no longer tells its path.
    pub fn new() -> Result<Linter> {
        Ok(Linter { own: std::env::current_exe().map_err(Error::io("the path of this program"))? })
    }

    /// Has a build or a test run lint what it compiles of the workspace: one call of the compiler does both. All commands that
    /// are to share what was compiled so go through here.
    pub fn along(&self, build: &mut Command) -> Result<()> {
        build.env("RUSTC_WORKSPACE_WRAPPER", driver()?).env("CLIPPY_ARGS", DENY);
        Ok(())
    }

    /// Lints what a build of these arguments (`build`, or `test --no-run`) compiles of the workspace.
    pub fn lint(&self, arguments: &[&str]) -> Result<()> {
        let mut build = cargo(arguments);
        build.env("RUSTC_WORKSPACE_WRAPPER", &self.own).env(DRIVER, driver()?).env("CLIPPY_ARGS", DENY);
        finish(&mut build)
    }
}

/// Clippy's driver, which comes with `cargo clippy`.
fn driver() -> Result<OsString> {
    let sysroot = output(command("rustc").args(["--print", "sysroot"]));
    let sysroot = sysroot.ok_or_else(|| Error::Missing("rustc does not say where it lies".into()))?;
    let name = format!("clippy-driver{}", std::env::consts::EXE_SUFFIX);
    Ok(Path::new(sysroot.trim()).join("bin").join(name).into())
}

/// Stands in for the compiler, where this program was called for that.
pub fn as_compiler() -> Option<ExitCode> {
    let driver = std::env::var_os(DRIVER)?;
    let arguments = without_code(std::env::args_os().skip(1).collect());
    let documented = documented(&arguments);
    let code = run(&driver, arguments);
    Some(ExitCode::from(match documented {
        Some(arguments) if code == 0 => run(&"rustdoc".into(), arguments),
        _ => code,
    }))
}

/// Its exit code.
fn run(program: &OsString, arguments: Vec<OsString>) -> u8 {
    match Command::new(program).args(arguments).status() {
        Ok(status) => status.code().and_then(|code| code.try_into().ok()).unwrap_or(u8::MAX),
        Err(fault) => {
            eprintln!("{}: {fault}", program.display());
            1
        }
    }
}

/// What rustdoc is asked where the compiler is asked for this library; none for a program. Lints are the compiler's, but for
/// rustdoc's own, which are refused.
fn documented(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let is_library = arguments.windows(2).any(|pair| pair[0] == "--crate-type" && pair[1] == "lib");
    let mut asked: Vec<OsString> = vec!["-D".into(), "warnings".into(), "--out-dir".into(), DOCUMENTS.into()];
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        if text == "--out-dir" {
            rest.next();
        } else if !["--emit=", "--warn=", "--deny="].iter().any(|start| text.starts_with(start)) {
            asked.push(argument.clone());
        }
    }
    is_library.then_some(asked)
}

/// Arguments of the compiler, with nothing to be written but what checks of other packages need, and of packages that were
/// checked so nothing but that to be read. A build script must run.
fn without_code(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.iter().any(|argument| argument == BUILD_SCRIPT) {
        return arguments;
    }
    for argument in &mut arguments {
        let Some(text) = argument.to_str() else { continue };
        if text.starts_with("--emit=") {
            *argument = "--emit=dep-info,metadata".into();
        } else if let Some((name, library)) = text.split_once('=')
            && let Some(stem) = library.strip_suffix(".rlib")
            && !Path::new(library).exists()
        {
            *argument = format!("{name}={stem}.rmeta").into();
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_changes_and_build_scripts_stay() {
        let changed = |line: &str| {
            let words = without_code(line.split(' ').map(OsString::from).collect());
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            changed("rustc --crate-name engine src/lib.rs --emit=dep-info,metadata,link -C opt-level=2"),
            "rustc --crate-name engine src/lib.rs --emit=dep-info,metadata -C opt-level=2"
        );
        assert_eq!(changed("--extern engine=/nowhere/libengine-1.rlib"), "--extern engine=/nowhere/libengine-1.rmeta");
        let asked = documented(
            &"rustc --crate-name e --crate-type lib --emit=metadata --out-dir o -C x --warn=y src/lib.rs"
                .split(' ')
                .map(OsString::from)
                .collect::<Vec<_>>(),
        );
        let asked: Vec<_> = asked.unwrap().iter().map(|word| word.to_str().unwrap().to_owned()).collect();
        assert_eq!(asked.join(" "), "-D warnings --out-dir target/doc --crate-name e --crate-type lib -C x src/lib.rs");
        assert_eq!(documented(&["rustc".into(), "--crate-type".into(), "bin".into()]), None);
        for same in ["rustc -vV", "rustc --crate-name build_script_build build.rs --emit=dep-info,link"] {
            assert_eq!(changed(same), same);
        }
    }
}
