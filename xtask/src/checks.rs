//! `cargo xtask test`: every check there is, the ones in a real browser included; or the tests of one name.

use std::{fs, path::PathBuf, process::Command, sync::mpsc, thread};

use crate::{
    Error, Result, chromium, debian, deny,
    lint::Linter,
    others,
    page::{self, Profile},
    root,
    run::{cargo, command, finish, step, table_of_steps, watch},
    sources::{self, Target},
    spent::Spent,
    tools::{self, WASM},
    vulkan,
};

/// Tells the browser tests where the page is.
pub const DIST: &str = "FAIRBITS_DIST";

/// A device in software walks through thousands of cases, on a machine that may do other things too.
const WALK_SECONDS: u32 = 1800;
/// Pages that are tried at a time: one more than there are cores, as a page that waits needs none.
const WINDOWS: &str = "--test-threads=3";
/// Part of the names of browser tests that measure time, and of no other: each has the machine to itself.
const MEASURES: &str = "::alone::";
/// Compiles every test that runs on this machine itself.
const NATIVE: [&str; 4] = ["test", "--quiet", "--workspace", "--no-run"];
/// Compiles all that runs in a browser, as the worker is shipped.
const BROWSER_PACKAGES: [&str; 17] = [
    "build",
    "--quiet",
    "--release",
    "--target",
    WASM,
    "--lib",
    "--bins",
    "--package",
    "fairbits-ui",
    "--package",
    "fairbits-worker",
    "--package",
    "fairbits-engine",
    "--package",
    "fairbits-reports",
    "--package",
    "fairbits",
];
/// Files in the folder of an analysis that only macros name.
const BY_MACROS: [&str; 3] = ["measure.rs", "measure/mod.rs", "page.rs"];
/// The tests in a browser, which plain `cargo test` leaves out.
const BROWSER: &str = "browser";
const NO_PANIC: &str = "a failed check does not panic";

/// Tests that passed and failed, summed over several runs.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// Adds a line such as `test result: ok. 3 passed; 0 failed; …`; other lines count nothing.
    fn see(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let words: Vec<&str> = result.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            let Ok(count) = pair[0].parse::<u64>() else { continue };
            match pair[1] {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                _ => {}
            }
        }
    }
}

/// Checks one after another. A failed step does not stop the others.
#[derive(Debug, Default)]
struct Lane {
    tally: Tally,
    failed: Vec<String>,
}

impl Lane {
    fn attempt<T>(&mut self, name: &str, work: impl FnOnce(&mut Tally) -> Result<T>) -> Option<T> {
        let outcome = step(name, || work(&mut self.tally));
        let fault = outcome.as_ref().err().map(ToString::to_string);
        if let Some(fault) = fault {
            eprintln!("{fault}");
            self.failed.push(name.to_owned());
        }
        outcome.ok()
    }

    fn join(mut self, other: Lane) -> Lane {
        self.tally.passed += other.tally.passed;
        self.tally.failed += other.tally.failed;
        self.failed.extend(other.failed);
        self
    }

    /// Says how it went, and what took how long.
    fn end(self) -> bool {
        eprintln!("\n{}", table_of_steps());
        if !self.failed.is_empty() {
            eprintln!("These steps failed: {}.", self.failed.join("; "));
        }
        println!("\n{} passed, {} failed", self.tally.passed, self.tally.failed);
        self.failed.is_empty()
    }
}

/// Runs every check, and says whether all is well.
pub fn everything() -> Result<bool> {
    let linter = Linter::new()?;
    tools::wasm_target()?;
    tools::component("rustfmt", "fmt")?;
    tools::component("clippy", "clippy")?;
    // Lanes that build in folders of their own, so that a core that one leaves idle serves another. What is compiled is tried while
    // the rest is being compiled; a sender that is dropped says that it will not come.
    let ((kernels, are_kernels), (page, is_page), (tests, are_tests)) =
        (mpsc::channel(), mpsc::channel(), mpsc::channel());
    let lanes = thread::scope(|scope| {
        let walks = scope.spawn(move || {
            install_together();
            let mut lane = Lane::default();
            if let Ok(()) = are_kernels.recv() {
                lane.attempt("kernels in a browser", kernels_in_browser);
            }
            lane
        });
        let linter = &linter;
        let pages = scope.spawn(move || {
            let mut lane = Lane::default();
            // The walk has use for one core alone, for minutes: it is compiled before the page, with which it shares a folder.
            let name = "compile kernels for a browser";
            if lane.attempt(name, |_| finish(&mut kernels_for_browser(&["--no-run"]))).is_some() {
                kernels.send(()).ok();
            }
            drop(kernels);
            if let Some(dist) = lane.attempt("the release page", |_| page::build(Profile::Release, page::PUBLIC_URL)) {
                page.send(dist).ok();
            }
            drop(page);
            lane.attempt("clippy and documentation, wasm", |_| linter.lint(&BROWSER_PACKAGES));
            lane
        });
        let browsers = scope.spawn(move || {
            let mut lane = Lane::default();
            let (Ok(dist), Ok(linted)) = (is_page.recv(), are_tests.recv()) else { return (lane, None) };
            let there = Browsed { dist, linter: linted };
            there.attempt(&mut lane, "browser tests", &[WINDOWS, "--skip", MEASURES]);
            (lane, Some(there))
        });
        let native = native_checks(linter, tests);
        let (browsed, there) = browsers.join().expect(NO_PANIC);
        (native.join(walks.join().expect(NO_PANIC)).join(pages.join().expect(NO_PANIC)).join(browsed), there)
    });
    let (mut all, there) = lanes;
    if let Some(there) = there {
        there.attempt(&mut all, "browser tests that measure time", &["--test-threads=1", MEASURES]);
    }
    Ok(all.end())
}

/// Runs the tests whose names contain the filter, and builds only what holds them: of the page the quick one, unless the release
/// page is asked for.
pub fn named(filter: &str, profile: Profile) -> Result<bool> {
    let targets = sources::holding(filter)?;
    let mut lane = Lane::default();
    if targets.is_empty() {
        lane.failed.push(format!("no test has a name with {filter:?} in it"));
    }
    for target in targets {
        if target.name == Some(BROWSER.to_owned()) {
            lane.attempt("browser tests", |tally| {
                let dist = page::build(profile, page::PUBLIC_URL)?;
                in_browser(browser_tests(&["--test-threads=1", filter]).env(DIST, dist), tally)
            });
        }
        lane.attempt(&format!("{target}"), |tally| one_target(&target, filter, tally));
    }
    Ok(lane.end())
}

/// Says when the tests are compiled, and whether the linter did that: they may be run by others meanwhile.
fn native_checks<'a>(linter: &'a Linter, compiled: mpsc::Sender<Option<&'a Linter>>) -> Lane {
    let mut lane = Lane::default();
    lane.attempt("formatting", |_| formatted());
    lane.attempt("licences and sources of packages", |_| deny::check());
    let mut compile = cargo(&NATIVE);
    let linted = lane.attempt("compile and lint native tests", |_| {
        linter.along(&mut compile)?;
        finish(&mut compile)
    });
    // Tests run whatever the lints say.
    let linter = linted.map(|()| linter);
    compiled.send(linter).ok();
    lane.attempt("native tests", |tally| {
        vulkan::ensure()?;
        let mut tests = cargo(&["test", "--quiet", "--workspace", "--no-fail-fast"]);
        linter.map_or(Ok(()), |linter| linter.along(&mut tests))?;
        watch(&mut tests, |line| tally.see(line))
    });
    lane
}

/// The page, and how the tests that look at it were compiled.
struct Browsed<'a> {
    dist: PathBuf,
    linter: Option<&'a Linter>,
}

impl Browsed<'_> {
    fn attempt(&self, lane: &mut Lane, name: &str, arguments: &[&str]) {
        lane.attempt(name, |tally| {
            let mut tests = browser_tests(arguments);
            self.linter.map_or(Ok(()), |linter| linter.along(&mut tests))?;
            in_browser(tests.env(DIST, &self.dist), tally)
        });
    }
}

/// The page of an analysis and what measures it are named by macros, where rustfmt does not find them.
fn formatted() -> Result<()> {
    finish(&mut cargo(&["fmt", "--all", "--check"]))?;
    let lab = root().join("src/lab");
    let folders = fs::read_dir(&lab).map_err(Error::io(lab.display().to_string()))?.flatten();
    let named = |folder: fs::DirEntry| BY_MACROS.map(|file| folder.path().join(file));
    let files = folders.flat_map(named).filter(|file| file.is_file());
    finish(command("rustfmt").args(["--edition", "2024", "--check"]).args(files))
}

/// One integration test or library; the workspace as a whole says which features its dependencies have, so that they are not
/// compiled again.
fn one_target(target: &Target, filter: &str, tally: &mut Tally) -> Result<()> {
    vulkan::ensure()?;
    let mut test = cargo(&["test", "--quiet"]);
    match &target.name {
        Some(name) => test.args(["--workspace", "--test", name]),
        None => test.args(["--package", &target.package, "--lib"]),
    };
    watch(test.args(["--", filter]), |line| tally.see(line))
}

/// Every package that this machine's checks lack, in one go; each check says for itself what it still lacks.
fn install_together() {
    let missing =
        [chromium::missing(), others::missing_firefox(), others::missing_webkit(), vulkan::missing()].concat();
    if debian::can_install() {
        debian::install("install browsers, fonts and a Vulkan driver (about a minute)", &missing, "").ok();
    }
}

fn in_browser(tests: &mut Command, tally: &mut Tally) -> Result<()> {
    chromium::ensure()?;
    others::ensure_axe()?;
    // Other browsers are tried where they can be had; where not, one line says so.
    for (ensured, module) in [(others::ensure_firefox(), "firefox::"), (others::ensure_webkit(), "webkit::")] {
        if let Err(missing) = ensured {
            eprintln!("{missing}.");
            tests.args(["--skip", module]);
        }
    }
    let mut spent = Spent::default();
    let outcome = watch(tests, |line| {
        tally.see(line);
        spent.see(line);
    });
    eprintln!("\n{}", spent.table());
    outcome
}

/// Kernels and shaders compiled for the browser, against the same cases as natively, in a worker of a real Chromium
/// (`engine/webdriver.json` has its flags).
fn kernels_in_browser(tally: &mut Tally) -> Result<()> {
    chromium::ensure()?;
    let mut tests = kernels_for_browser(&[]);
    tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools::wasm_bindgen_test_runner()?);
    tests.env("WASM_BINDGEN_TEST_TIMEOUT", WALK_SECONDS.to_string());
    if let Some(driver) = chromium::driver() {
        tests.env("CHROMEDRIVER", driver);
    }
    watch(&mut tests, |line| tally.see(line))
}

/// The worker is not built here; naming it gives the engine's dependencies the features that the page's have, so that they are not
/// compiled again.
fn kernels_for_browser(arguments: &[&str]) -> Command {
    let packages = ["--package", "fairbits-engine", "--package", "fairbits-worker"];
    cargo(&[&["test", "--release", "--target", WASM, "--test", "twins"][..], &packages, arguments].concat())
}

fn browser_tests(arguments: &[&str]) -> Command {
    cargo(&[&["test", "--workspace", "--test", BROWSER, "--", "--ignored"][..], arguments].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_summed_and_other_lines_ignored() {
        let mut tally = Tally::default();
        tally.see("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.33s\n");
        tally.see("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s\n");
        tally.see("7 passed; 7 failed\n");
        tally.see("test passed_and_failed ... ok\n");
        assert_eq!(tally, Tally { passed: 15, failed: 2 });
    }

    #[test]
    fn a_step_that_fails_is_named_and_the_others_run() {
        let mut lane = Lane::default();
        assert_eq!(lane.attempt("first", |_| Err::<(), _>(crate::Error::Missing("it".into()))), None);
        let second = lane.attempt("second", |tally| {
            tally.passed += 2;
            Ok("ran")
        });
        let both = lane.join(Lane { tally: Tally { passed: 1, failed: 1 }, failed: vec!["other".into()] });
        assert_eq!((second, both.tally), (Some("ran"), Tally { passed: 3, failed: 1 }));
        assert_eq!(both.failed, ["first", "other"]);
    }
}
