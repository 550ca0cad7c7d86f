//! The other browsers that the page is tried in, and what tells whether everyone can use it: Firefox, WebKitGTK and axe-core.
//! Each is found, or installed where that can be done without asking.

use std::path::PathBuf;

use crate::{
    Error, Result, debian,
    run::{command, finish, step},
    tools::{on_path, tools_folder},
};

/// Names that Firefox goes by.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];
/// The checker of accessibility, and its version.
const AXE: (&str, &str) = ("axe-core", "4.14.0");
/// Where Debian keeps WebKitGTK's small browser.
const MINI_BROWSERS: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0/MiniBrowser",
    "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/libexec/webkit2gtk-4.1/MiniBrowser",
];

/// Firefox on PATH.
pub fn firefox() -> Option<PathBuf> {
    FIREFOX.iter().find_map(|name| on_path(name))
}

/// Packages of Debian to install for Firefox.
pub fn missing_firefox() -> &'static [&'static str] {
    if firefox().is_some() { &[] } else { &["firefox-esr"] }
}

/// Makes sure that Firefox is there.
pub fn ensure_firefox() -> Result<()> {
    debian::install(
        "install Firefox (about half a minute)",
        missing_firefox(),
        "the page is not tried in Firefox: firefox is not on PATH",
    )
}

/// WebKitGTK's driver, its small browser, and a display without a screen.
pub fn webkit() -> Option<(PathBuf, PathBuf, PathBuf)> {
    let browser = MINI_BROWSERS.iter().map(PathBuf::from).find(|path| path.is_file())?;
    Some((on_path("WebKitWebDriver")?, browser, on_path("Xvfb")?))
}

/// Packages of Debian to install for all three.
pub fn missing_webkit() -> &'static [&'static str] {
    if webkit().is_some() { &[] } else { &["webkit2gtk-driver", "xvfb"] }
}

/// Makes sure that all three are there.
pub fn ensure_webkit() -> Result<()> {
    let otherwise = "the page is not tried in WebKitGTK: WebKitWebDriver, its MiniBrowser or Xvfb is missing";
    debian::install("install WebKitGTK's driver and Xvfb (about a minute)", missing_webkit(), otherwise)?;
    webkit().map(drop).ok_or_else(|| Error::Missing(otherwise.into()))
}

fn npm() -> PathBuf {
    tools_folder().join(format!("{}-{}", AXE.0, AXE.1))
}

/// The script of axe-core, to be run in a page.
pub fn axe() -> PathBuf {
    npm().join("node_modules").join(AXE.0).join("axe.min.js")
}

/// Makes sure that it is there, in the version that the tests were written with.
pub fn ensure_axe() -> Result<()> {
    let manifest = axe().with_file_name("package.json");
    let wanted = format!("\"version\": \"{}\"", AXE.1);
    if axe().is_file() && std::fs::read_to_string(manifest).is_ok_and(|text| text.contains(&wanted)) {
        return Ok(());
    }
    if on_path("npm").is_none() {
        debian::install("install npm (minutes)", &["npm"], "the tests of accessibility need npm on PATH")?;
    }
    let folder = npm();
    std::fs::create_dir_all(&folder).map_err(Error::io(folder.display().to_string()))?;
    step("fetch axe-core", || {
        let package = format!("{}@{}", AXE.0, AXE.1);
        finish(command("npm").arg("install").arg("--prefix").arg(&folder).args(["--no-fund", "--no-audit", &package]))
    })
}
