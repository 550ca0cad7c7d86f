//! Installing what the tests need, where that can be done without asking: as root on Debian.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Mutex,
};

use crate::{
    Error, Result,
    run::{finish, output, step},
};

static TURN: Mutex<()> = Mutex::new(());

/// Whether packages can be installed here.
pub fn can_install() -> bool {
    Path::new("/etc/debian_version").exists()
        && output(Command::new("id").arg("-u")).is_some_and(|uid| uid.trim() == "0")
}

/// Installs packages as root on Debian, where any are wanted; elsewhere fails with `otherwise`, which says what to install.
pub fn install(name: &str, packages: &[&str], otherwise: &str) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    if !can_install() {
        return Err(Error::Missing(otherwise.into()));
    }
    // Two at once would refuse each other.
    let _turn = TURN.lock().expect("installing does not panic");
    step(name, || {
        apt(&["update", "-q"])?;
        apt(&[&["install", "-q", "-y", "--no-install-recommends"][..], packages].concat())
    })
}

fn apt(arguments: &[&str]) -> Result<()> {
    finish(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
}
