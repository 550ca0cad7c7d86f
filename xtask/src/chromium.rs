//! A headless Chromium and its driver: found, or installed where that can be done without asking.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::{Error, Result, debian, memory, target, tools::on_path};

/// Flags of every headless Chromium here. Without a GPU, WebGPU needs the unsafe flag; the rest keeps it quiet.
pub const FLAGS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];
/// Names that Chromium goes by.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The browser, its driver, and fonts for every script that the screenshots show.
const DEBIAN: [&str; 4] = ["chromium", "chromium-driver", "fonts-noto-core", "fonts-noto-cjk"];
/// A font of each of those packages.
const DEBIAN_FONTS: [&str; 2] =
    ["/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"];

/// The browser on PATH.
pub fn browser() -> Option<PathBuf> {
    BROWSERS.iter().find_map(|name| on_path(name))
}

/// Its WebDriver server on PATH.
pub fn driver() -> Option<PathBuf> {
    on_path("chromedriver")
}

/// Packages of Debian to install for both, and for the fonts. Fonts of another system are its own affair; the pictures of the
/// pages tell when they differ.
pub fn missing() -> &'static [&'static str] {
    let fonts = !debian::can_install() || DEBIAN_FONTS.iter().all(|font| Path::new(font).exists());
    if browser().is_some() && driver().is_some() && fonts { &[] } else { &DEBIAN }
}

/// Makes sure that they are there: installs them as root on Debian, elsewhere says what to install.
pub fn ensure() -> Result<()> {
    debian::install(
        "install Chromium, its driver and fonts (about a minute)",
        missing(),
        "the browser tests need Chromium and chromedriver on PATH: install both, of the same version (on Debian: \
         apt-get install chromium chromium-driver)",
    )
}

/// A headless Chromium showing one address; closed when dropped.
pub struct Window {
    process: Child,
    profile: PathBuf,
}

impl Window {
    /// Opens `url` with a profile of its own.
    pub fn open(url: &str) -> Result<Self> {
        let browser = browser().ok_or_else(|| {
            Error::Missing(
                "a measurement in the browser needs Chromium on PATH; `cargo xtask test` can install it".into(),
            )
        })?;
        let profile = target().join(format!("chromium-{}", std::process::id()));
        let process = Command::new(&browser)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("--window-size=1280,900")
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start { program: browser.display().to_string(), source })?;
        Ok(Self { process, profile })
    }

    /// Memory that its pages have held at most, in megabytes, where that can be read.
    pub fn peak_megabytes(&self) -> Option<f64> {
        memory::of_page(self.process.id()).map(|(_, peak)| peak)
    }

    /// Memory that its largest page holds now, in megabytes, where that can be read.
    pub fn megabytes(&self) -> Option<f64> {
        memory::of_page(self.process.id()).map(|(now, _)| now)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
        std::fs::remove_dir_all(&self.profile).ok();
    }
}
