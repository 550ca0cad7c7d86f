//! `cargo xtask test`: every check there is, the ones in a real browser included.

use std::process::Command;

use crate::{
    Result, chromium, others, page,
    run::{cargo, finish, output, step, watch},
    tools::{self, WASM},
    vulkan,
};

/// Tells the browser tests where the page is.
pub const DIST: &str = "FAIRBITS_DIST";

/// A device in software walks through thousands of cases, on a machine that may do other things too.
const WALK_SECONDS: u32 = 1800;

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

/// Runs the checks, or with a filter only the tests whose names contain it, and says whether all is well. A failed step
/// does not stop the others.
pub fn test(filter: Option<&str>) -> Result<bool> {
    let mut tally = Tally::default();
    let mut failed: Vec<String> = Vec::new();
    if filter.is_none() {
        tools::wasm_target()?;
        tools::component("rustfmt", "fmt")?;
        tools::component("clippy", "clippy")?;
        attempt(&mut failed, "formatting", || finish(&mut cargo(&["fmt", "--all", "--check"])));
        attempt(&mut failed, "clippy, native", || {
            finish(&mut cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
        });
        attempt(&mut failed, "clippy, wasm", || {
            let parts = ["--lib", "--bin", "app", "--bin", "worker", "--", "-D", "warnings"];
            finish(&mut cargo(&[&["clippy", "--quiet", "--target", WASM][..], &parts].concat()))
        });
    }
    attempt(&mut failed, "native tests", || {
        vulkan::ensure()?;
        let mut tests = cargo(&["test", "--quiet", "--workspace", "--no-fail-fast", "--"]);
        watch(tests.args(filter), |line| tally.see(line))
    });
    if filter.is_none() {
        attempt(&mut failed, "kernels in a browser", || kernels_in_browser(&mut tally));
    }
    if filter.is_none_or(a_browser_test_matches) {
        attempt(&mut failed, "browser tests", || in_browser(filter, &mut tally));
    }
    if !failed.is_empty() {
        eprintln!("\nThese steps failed: {}.", failed.join("; "));
    }
    println!("\n{} passed, {} failed", tally.passed, tally.failed);
    Ok(failed.is_empty())
}

fn attempt(failed: &mut Vec<String>, name: &str, work: impl FnOnce() -> Result<()>) {
    if let Err(error) = step(name, work) {
        eprintln!("{error}");
        failed.push(name.to_owned());
    }
}

fn in_browser(filter: Option<&str>, tally: &mut Tally) -> Result<()> {
    chromium::ensure()?;
    others::ensure_axe()?;
    let dist = page::build(page::PUBLIC_URL)?;
    // One at a time: some of them measure how soon the page answers.
    let mut tests = browser_tests(&["--test-threads=1"]);
    // Other browsers are tried where they can be had; where not, one line says so.
    for (ensured, module) in [(others::ensure_firefox(), "firefox::"), (others::ensure_webkit(), "webkit::")] {
        if let Err(missing) = ensured {
            eprintln!("{missing}.");
            tests.args(["--skip", module]);
        }
    }
    watch(tests.args(filter).env(DIST, dist), |line| tally.see(line))
}

/// Kernels and shaders compiled for the browser, against the same cases as natively, in a worker of a real Chromium
/// (`webdriver.json` has its flags).
fn kernels_in_browser(tally: &mut Tally) -> Result<()> {
    chromium::ensure()?;
    tools::wasm_target()?;
    // As the page is built, so that what both need is compiled once.
    let mut tests = cargo(&["test", "--release", "--target", WASM, "--test", "twins"]);
    tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools::wasm_bindgen_test_runner()?);
    tests.env("WASM_BINDGEN_TEST_TIMEOUT", WALK_SECONDS.to_string());
    if let Some(driver) = chromium::driver() {
        tests.env("CHROMEDRIVER", driver);
    }
    watch(&mut tests, |line| tally.see(line))
}

fn a_browser_test_matches(filter: &str) -> bool {
    output(browser_tests(&["--list"]).arg(filter)).is_some_and(|list| list.contains(": test"))
}

fn browser_tests(arguments: &[&str]) -> Command {
    cargo(&[&["test", "--test", "browser", "--", "--ignored"][..], arguments].concat())
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
}
