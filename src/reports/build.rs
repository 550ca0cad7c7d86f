//! The identity of a build: a digest of all that decides what is computed, reported and said between page and worker. It
//! changes with those sources, and not with documents beside them, nor with how the page shows it: who changes a page does not
//! wait for the engine.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Folders between the repository's and this one.
const DEPTH: usize = 2;
/// Files and folders, seen from the repository's.
const SOURCES: [&str; 4] = ["Cargo.lock", "engine/build.rs", "engine/src", "shaders"];
/// Of this folder, where measuring and reports are, all but [`PAGE`].
const LIBRARY: &str = "src";
const PAGE: &str = "ui";
/// Nor is an analysis' page part of it.
const OWN_PAGE: &str = "page.rs";

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo says where the package is"));
    let root = package.ancestors().nth(DEPTH).expect("the package lies in the repository");
    let mut files = Vec::new();
    let library = fs::read_dir(root.join(LIBRARY)).expect("the library's folder").flatten();
    let library = library.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| name != PAGE);
    for source in SOURCES.map(str::to_owned).into_iter().chain(library.map(|name| format!("{LIBRARY}/{name}"))) {
        collect(&root.join(source), &mut files);
    }
    files.retain(|file| !(file.starts_with(root.join("src/lab")) && file.ends_with(OWN_PAGE)));
    files.sort();
    let mut digest = Fnv::default();
    for file in files {
        // Not folders, which pages are in too. A new file is named in one that changes with it.
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(root).expect("below the repository").components();
        let name: Vec<_> = name.map(|part| part.as_os_str().to_string_lossy()).collect();
        digest.add(name.join("/").as_bytes());
        // Line ends differ from clone to clone.
        let text = fs::read_to_string(&file).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        digest.add(text.replace("\r\n", "\n").as_bytes());
    }
    println!("cargo::rustc-env=FAIRBITS_BUILD={:012x}", digest.0 >> 16);
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.to_owned()),
    }
}

/// FNV-1a: nobody is to be convinced by it, only told apart.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        // The length, so that no two lists of texts are one text.
        for byte in bytes.iter().copied().chain((bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
