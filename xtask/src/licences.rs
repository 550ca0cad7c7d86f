//! The licences of all that the page is made of, as one text beside it: its programs with every package that is linked into them,
//! its models, texts and fonts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    Error, Result, root,
    run::{captured, cargo, command, output},
    tools::WASM,
};

/// Where the page looks for it.
pub const NAME: &str = "licences.txt";
/// The page's programs.
const PROGRAMS: [&str; 4] = ["--package", "fairbits-ui", "--package", "fairbits-worker"];
/// How the names of files with licences begin, in any case.
const BEGINNINGS: [&str; 5] = ["licen", "copying", "copyright", "notice", "unlicense"];
/// Bytes of the shortest licence. Less is the name of a file outside of the package, where a link was packed.
const SHORTEST: usize = 100;
/// Stands before the terms of the MIT licence; they follow a line of who grants it.
const MIT_TERMS: &str = "Permission is hereby granted";
/// Stands between parts.
const RULE: &str = "================================================================================";
/// Fonts whose files name them; public/fonts.py cuts them.
const FONTS: &str = "The fonts (folder fonts): cut from Noto, each of them named in its file. Copyright 2015-2019 Google, and \
                     2014-2021 Adobe for Chinese, Japanese and Korean. SIL Open Font License 1.1, at the end of this file.";

/// A package that is linked into a program of the page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    /// As an SPDX expression, or as older packages write one.
    licence: String,
    authors: String,
    folder: PathBuf,
}

/// Writes it into the folder of a built page.
pub fn write(dist: &Path) -> Result<()> {
    let read = |file: &str| fs::read_to_string(root().join(file)).map_err(Error::io(file));
    let own = read("LICENSE-MIT")?;
    let (mut parts, terms) = (vec![format!("Fairbits\n\n{own}")], terms(&own)?);
    parts.push(
        ["The models, the texts and the fonts are not programs and have licences of their own.", FONTS].join("\n\n"),
    );
    parts.extend(cards("public/models")?.iter().map(|card| stated(card, "The model", "models")));
    parts.extend(cards("public/corpora")?.iter().map(|card| stated(card, "The texts", "corpora")));
    let mut packages = linked()?;
    packages.push(standard_library()?);
    parts.push(
        "The programs are made of Fairbits itself and of these packages, each under the licences that follow it."
            .into(),
    );
    parts.extend(by_text(&packages, terms)?);
    parts.push(format!("The licence of the fonts\n\n{}", read("docs/licences/OFL-1.1.txt")?));
    parts.push(format!(
        "The licence of the models and of the texts of the LibreOffice help\n\n{}",
        read("docs/licences/MPL-2.0.txt")?
    ));
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).collect();
    let to = dist.join(NAME);
    fs::write(&to, parts.join(&format!("\n\n{RULE}\n\n")) + "\n").map_err(Error::io(to.display().to_string()))
}

fn terms(mit: &str) -> Result<&str> {
    let from =
        mit.find(MIT_TERMS).ok_or_else(|| Error::Missing("LICENSE-MIT has not the terms of that licence".into()))?;
    Ok(&mit[from..])
}

/// The cards in the folders below this one.
fn cards(folder: &str) -> Result<Vec<Value>> {
    let mut files = Vec::new();
    crate::offline::walk(&root().join(folder), &mut files).map_err(Error::io(folder))?;
    files.retain(|file| file.ends_with("card.json"));
    files.sort();
    let unreadable = |file: &Path, text: String| Error::Unreadable { what: file.display().to_string(), text };
    let read = |file: PathBuf| {
        let bytes = fs::read(&file).map_err(Error::io(file.display().to_string()))?;
        let card: Value = serde_json::from_slice(&bytes).map_err(|fault| unreadable(&file, fault.to_string()))?;
        match card["licence"].is_string() {
            true => Ok(card),
            false => Err(Error::Missing(format!("{} names no licence", file.display()))),
        }
    };
    files.into_iter().map(read).collect()
}

fn stated(card: &Value, kind: &str, folder: &str) -> String {
    let of = |key: &str| card[key].as_str().unwrap_or_default();
    format!("{kind} “{}” (folder {folder}/{}): {}", of("title"), of("name"), of("licence"))
}

/// Every package that is linked into a program of the page: not those that run while it is compiled, nor our own.
fn linked() -> Result<Vec<Package>> {
    let mut tree = cargo(&["tree", "--locked", "--target", WASM, "--edges", "normal,no-proc-macro"]);
    let names = captured(tree.args(["--prefix", "none", "--format", "{p}"]).args(PROGRAMS))?;
    let names: BTreeSet<(&str, &str)> = names.lines().filter_map(named).collect();
    let mut metadata = cargo(&["metadata", "--locked", "--format-version", "1", "--filter-platform", WASM]);
    let metadata: Value = serde_json::from_str(&captured(&mut metadata)?)
        .map_err(|fault| Error::Unreadable { what: "cargo metadata".into(), text: fault.to_string() })?;
    let all = metadata["packages"].as_array().into_iter().flatten().filter(|package| !package["source"].is_null());
    let mut packages: Vec<Package> =
        all.map(package).filter(|package| names.contains(&(package.name.as_str(), package.version.as_str()))).collect();
    packages.sort();
    Ok(packages)
}

/// Name and version of `leptos v0.8.23 (*)`.
fn named(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace();
    Some((words.next()?, words.next()?.strip_prefix('v')?))
}

fn package(of: &Value) -> Package {
    let text = |key: &str| of[key].as_str().unwrap_or_default().to_owned();
    let authors: Vec<&str> = of["authors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let folder = Path::new(&text("manifest_path")).parent().map(Path::to_path_buf).unwrap_or_default();
    Package {
        name: text("name"),
        version: text("version"),
        licence: text("license"),
        authors: authors.join(", "),
        folder,
    }
}

/// It comes with the compiler and is no package of Cargo.
fn standard_library() -> Result<Package> {
    let said = output(command("rustc").arg("--version")).unwrap_or_default();
    let version =
        said.split_whitespace().nth(1).ok_or_else(|| Error::Missing("rustc does not say its version".into()))?;
    Ok(Package {
        name: "std, Rust's standard library,".into(),
        version: version.into(),
        licence: "MIT OR Apache-2.0".into(),
        authors: "The Rust Project contributors".into(),
        folder: PathBuf::new(),
    })
}

/// One part for each text, with the packages that come with it. Texts that differ in their line ends alone are one.
fn by_text(packages: &[Package], mit_terms: &str) -> Result<Vec<String>> {
    let mut parts: BTreeMap<String, (BTreeSet<String>, String)> = BTreeMap::new();
    for package in packages {
        for text in texts(package, mit_terms)? {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let Package { name, version, licence, .. } = package;
            parts.entry(words).or_insert((BTreeSet::new(), text)).0.insert(format!("{name} {version} ({licence})"));
        }
    }
    let mut parts: Vec<(BTreeSet<String>, String)> = parts.into_values().collect();
    parts.sort();
    let part = |(of, text): (BTreeSet<String>, String)| {
        format!("{}\n\n{}", of.into_iter().collect::<Vec<_>>().join("\n"), text.trim())
    };
    Ok(parts.into_iter().map(part).collect())
}

/// The licences in a package's folder. Where its authors put none there, the terms that they name, with their own names.
fn texts(package: &Package, mit_terms: &str) -> Result<Vec<String>> {
    let is_licence = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        file.is_file() && BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
    };
    let entries = fs::read_dir(&package.folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(is_licence).collect();
    files.sort();
    let read = |file: &PathBuf| fs::read(file).map_err(Error::io(file.display().to_string()));
    let text = |file: &PathBuf| read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let mut texts = files.iter().map(text).collect::<Result<Vec<_>>>()?;
    texts.retain(|text| text.len() >= SHORTEST);
    if !texts.is_empty() {
        return Ok(texts);
    }
    let Package { name, version, licence, authors, .. } = package;
    match licence.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "MIT") {
        true if authors.is_empty() => {
            Ok(vec![format!("MIT License\n\nCopyright (c) the authors of {name}\n\n{mit_terms}")])
        }
        true => Ok(vec![format!("MIT License\n\nCopyright (c) {authors}\n\n{mit_terms}")]),
        false => Err(Error::Missing(format!("{name} {version} ({licence}) comes without the text of its licence"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: each package that is linked into the page, and nothing else, stands there with a text; and so do the models, the
    /// texts and the fonts.
    #[test]
    fn all_that_the_page_is_made_of_is_named_with_its_licence() {
        let folder = std::env::temp_dir().join(format!("licences-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        write(&folder).unwrap();
        let text = fs::read_to_string(folder.join(NAME)).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let parts: Vec<&str> = text.split(RULE).map(str::trim).collect();
        let packages = linked().unwrap();
        assert!(packages.len() > 150, "{}", packages.len());
        for package in &packages {
            let line = format!("{} {} ({})", package.name, package.version, package.licence);
            let with_it: Vec<&&str> = parts.iter().filter(|part| part.lines().any(|of| of == line)).collect();
            assert!(!with_it.is_empty() && with_it.iter().all(|part| part.len() > line.len() + SHORTEST), "{line}");
        }
        let there = |name: &str| packages.iter().any(|package| package.name == name);
        assert!(["leptos", "wgpu", "tokenizers", "wasm-bindgen"].iter().all(|name| there(name)));
        // They run while it is compiled, or in tests.
        assert!(!["fairbits", "proptest", "clap", "leptos_macro", "serde_derive"].iter().any(|name| there(name)));
        for model in ["skew-skew", "skew-bal", "bal-skew", "bal-bal"] {
            assert!(text.contains(&format!("(folder models/{model}): MPL-2.0")), "{model}");
        }
        for stated in [
            "(folder corpora/udhr): ",
            "(folder corpora/help): MPL-2.0",
            "Noto",
            "SIL OPEN FONT LICENSE",
            "Mozilla Public License",
        ] {
            assert!(text.contains(stated), "{stated}");
        }
    }

    #[test]
    fn a_package_without_a_text_has_the_terms_it_names_or_is_refused() {
        let bare = |licence: &str| Package {
            name: "p".into(),
            version: "1.0.0".into(),
            licence: licence.into(),
            authors: "A. Person".into(),
            folder: PathBuf::new(),
        };
        let text = texts(&bare("Apache-2.0/MIT"), "the terms").unwrap();
        assert_eq!(text, ["MIT License\n\nCopyright (c) A. Person\n\nthe terms"]);
        let refused = texts(&bare("LIMITED"), "the terms").unwrap_err().to_string();
        assert_eq!(refused, "p 1.0.0 (LIMITED) comes without the text of its licence");
        assert_eq!(named("leptos v0.8.23 (*)"), Some(("leptos", "0.8.23")));
        assert_eq!(named(""), None);
    }
}
