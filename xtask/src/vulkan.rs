//! A Vulkan driver for the tests of the shaders: the machine's own, or one in software.

use std::path::Path;

use crate::{Result, debian};

/// Where drivers say that they are there.
const DRIVERS: [&str; 3] = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
/// The loader, and drivers of which one needs no GPU.
const DEBIAN: [&str; 2] = ["libvulkan1", "mesa-vulkan-drivers"];

/// Packages of Debian to install for one. Only Linux is looked at; what another system lacks, the tests say.
pub fn missing() -> &'static [&'static str] {
    let has_drivers = |folder: &&str| Path::new(folder).read_dir().is_ok_and(|mut files| files.next().is_some());
    if !cfg!(target_os = "linux") || DRIVERS.iter().any(has_drivers) { &[] } else { &DEBIAN }
}

/// Makes sure that there is one: installs it as root on Debian, elsewhere says what to install.
pub fn ensure() -> Result<()> {
    debian::install(
        "install a Vulkan driver in software (about a minute)",
        missing(),
        "the tests of the shaders need a Vulkan driver: install one (on Debian: apt-get install libvulkan1 \
         mesa-vulkan-drivers)",
    )
}
