//! Whether what we depend on may be used: its licences, how often it is there, where it is from, and its known faults. `deny.toml`
//! says what is allowed.

use crate::{
    Error, Result,
    run::{command, finish, output},
    tools::{self, WASM},
};

/// What needs nothing but the packages themselves.
const LOCAL: [&str; 3] = ["licenses", "bans", "sources"];
/// Known faults are looked up in a database that lies elsewhere.
const ADVISORIES: [&str; 1] = ["advisories"];
/// Git gives up on a line that carries less than this many bytes a second, for so many seconds.
const SLOWEST: [(&str, &str); 2] = [("GIT_HTTP_LOW_SPEED_LIMIT", "1000"), ("GIT_HTTP_LOW_SPEED_TIME", "20")];

/// Checks the workspace for the page and for this machine, and the fuzzing programs, whose lock file must be up to date too.
pub fn check() -> Result<()> {
    let (deny, host) = (tools::cargo_deny()?, host()?);
    let all = |checks: &[&str]| {
        // One platform at a time, so that what others would need is not downloaded.
        [("Cargo.toml", WASM), ("Cargo.toml", &host), ("fuzz/Cargo.toml", &host)].iter().try_for_each(
            |(manifest, target)| {
                let mut check = command(&deny);
                check.args(["--workspace", "--locked", "--manifest-path", manifest, "--target", target]);
                // Faults alone: it would warn of a row of deny.toml that is for another platform.
                finish(check.args(["--log-level", "error", "check"]).args(checks))
            },
        )
    };
    all(&LOCAL)?;
    match finish(command(&deny).args(["fetch", "db"]).envs(SLOWEST)) {
        Ok(()) => all(&ADVISORIES),
        Err(_) => {
            eprintln!("Known faults of packages were not looked up: their database cannot be reached from here.");
            Ok(())
        }
    }
}

/// The platform of this machine.
fn host() -> Result<String> {
    let said = output(command("rustc").arg("-vV")).unwrap_or_default();
    let host = said.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned);
    host.ok_or_else(|| Error::Missing("`rustc -vV` does not say which platform this is".into()))
}
