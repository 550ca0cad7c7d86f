//! Each layer uses only the layers below it. Packages keep to theirs because the compiler finds no others; within a package it is
//! read from the paths in the sources, so that a wrong one fails here and not in somebody's head.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// From the bottom up. A layer may use itself and every layer of an earlier line.
const ORDER: &[&[&str]] = &[
    &["math"],
    &["backend"],
    &["model"],
    &["arch"],
    &["report"],
    &["lab"],
    &["claims", "fairness", "workshop"],
    &["protocol", "share"],
    &["cli"],
];
/// What measures is a part of the lab: the frame, and a file or a folder in that of each analysis.
const MEASURES: (&str, &str) = ("measure", "lab");
/// Programs start things; they may name any layer.
const PROGRAMS: &str = "bin";
/// These are packages of their own, which see nothing that they may not use.
const PACKAGES: [&str; 3] = ["reports", "ui", "worker"];
/// The page of an analysis stands in the analysis' folder, and is compiled with the page.
const OWN_PAGE: &str = "page";

/// Layers that `layer` may use; `None` where it is no layer.
fn allowed(layer: &str) -> Option<Vec<&'static str>> {
    let level = ORDER.iter().position(|line| line.contains(&layer))?;
    Some(ORDER[..level].concat())
}

/// Paths of `source` that go where its layer may not, as sentences. `depth` is how many modules deep the file stands:
/// `engine/src/math/rng.rs` two, `src/protocol.rs` one.
fn wrong_paths(layer: &str, depth: usize, source: &str) -> Vec<String> {
    let Some(allowed) = allowed(layer) else {
        return vec![format!("`{layer}` is not a layer that this test knows: give it a place in ORDER")];
    };
    let used = used_modules(source, depth);
    let wrong = used.iter().filter(|used| used.as_str() != layer && !allowed.contains(&used.as_str()));
    wrong.map(|used| format!("`{layer}` uses `{used}`; it may use only {}", allowed.join(", "))).collect()
}

/// Modules of the crate's root that the source names by `crate::`, by the name of the reports' crate, or by enough `super::`. Inside a module within the file
/// as many `super::` lead one step less far, so of those only the names of layers count.
fn used_modules(source: &str, depth: usize) -> BTreeSet<String> {
    let code = code(source);
    let mut used: BTreeSet<String> =
        ["crate::", "reports::"].into_iter().flat_map(|root| named_after(&code, root)).collect();
    used.extend(named_after(&code, &"super::".repeat(depth)).into_iter().filter(|name| allowed(name).is_some()));
    used
}

/// The source without its comments.
fn code(source: &str) -> String {
    let code: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    code.join("\n")
}

/// What comes first in every path that begins so.
fn named_after(code: &str, start: &str) -> Vec<String> {
    let starts = code
        .match_indices(start)
        .filter(|(at, _)| !code[..*at].ends_with(|before: char| before.is_alphanumeric() || "_$:".contains(before)));
    starts.flat_map(|(at, _)| first_names(&code[at + start.len()..])).collect()
}

/// First name of a path, or of each path of a group: `a::b` gives a; `{a::{b, c}, d}` gives a and d.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return name(path).into_iter().collect() };
    let (mut names, mut depth, mut at_start) = (Vec::new(), 0, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            c if at_start && !c.is_whitespace() => {
                names.extend(name(&group[at..]));
                at_start = false;
            }
            _ => {}
        }
    }
    names
}

/// A module's name; types, functions' macros and constants begin otherwise or stand at no layer.
fn name(path: &str) -> Option<String> {
    let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    name.starts_with(|c: char| c.is_lowercase()).then_some(name)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

#[test]
fn every_layer_uses_only_the_layers_below_it() {
    let roots = ["src", "engine/src"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let mut files = Vec::new();
    roots.iter().for_each(|root| sources(root, &mut files));
    let (mut checked, mut wrong) = (0, Vec::new());
    for file in files {
        let modules = roots.iter().find_map(|root| file.strip_prefix(root).ok()).unwrap().with_extension("");
        let parts: Vec<&str> = modules.iter().map(|part| part.to_str().unwrap()).collect();
        let own_page = parts[0] == "lab" && parts.last() == Some(&OWN_PAGE);
        if own_page || matches!(parts[0], "lib" | PROGRAMS) || PACKAGES.contains(&parts[0]) {
            continue;
        }
        let depth = parts.len() - usize::from(parts.last() == Some(&"mod"));
        // A module of the lab, though its folder is none of the lab's.
        let (layer, depth) = if parts[0] == MEASURES.0 { (MEASURES.1, depth + 1) } else { (parts[0], depth) };
        let source = fs::read_to_string(&file).unwrap();
        wrong.extend(wrong_paths(layer, depth, &source).iter().map(|fault| format!("{}: {fault}", file.display())));
        checked += 1;
    }
    assert!(checked > 10, "only {checked} sources were found in {roots:?}");
    assert!(wrong.is_empty(), "wrong directions:\n{}", wrong.join("\n"));
}

/// Files that name analyses by their office: the table, what the theory claims of each, the exercises, and the page's choices.
const TELL_APART: [&str; 4] = ["src/lab/mod.rs", "src/claims", "src/workshop", "src/ui"];
/// A search over protection sets alone can be cut into shards, and goes on from notes; a family's models are loaded beside it; a
/// click on a layer's matrix looks into it. The sentences of all that can go wrong stand in one place.
const SPECIAL: [&str; 6] = [
    "src/cli/error.rs",
    "src/cli/input.rs",
    "src/cli/mod.rs",
    "src/cli/models.rs",
    "src/worker/coordinator.rs",
    "src/lab/weights/page.rs",
];
const SENTENCES: &str = "src/lab/error.rs";

/// Folders of analyses, and how their variants are called.
fn analyses() -> Vec<(String, String)> {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lab");
    let folders = fs::read_dir(lab).unwrap().map(|entry| entry.unwrap().path());
    let names = folders.filter(|path| path.join("findings.rs").is_file());
    let names = names.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    names.map(|name| (name.clone(), name[..1].to_uppercase() + &name[1..])).collect()
}

/// Paths that the `use` of a source and its expressions name, groups told out.
fn paths(source: &str) -> Vec<String> {
    fn told_out(prefix: &str, rest: &str, found: &mut Vec<String>) {
        let Some((before, group)) = rest.split_once('{') else { return found.push(format!("{prefix}{}", rest.trim())) };
        let prefix = format!("{prefix}{}", before.trim());
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        let (mut depth, mut start) = (0, 0);
        for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    told_out(&prefix, group[start..at].trim(), found);
                    start = (at + 1).min(group.len());
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for text in source.split("use ").skip(1).filter_map(|text| text.split_once(';')) {
        told_out("", text.0.trim(), &mut found);
    }
    let inline = source.split(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).filter(|path| path.contains("::"));
    found.extend(inline.map(String::from));
    found
}

/// The analysis that a path leads into, where it is one.
fn leads_into<'a>(path: &str, analyses: &'a [(String, String)]) -> Option<&'a str> {
    let names: Vec<&str> = path.split("::").map(str::trim).collect();
    let of = |name: &str| analyses.iter().find(|(folder, _)| folder == name);
    let variant = |name: &str| analyses.iter().find(|(_, variant)| variant == name);
    let found = names.windows(2).find_map(|pair| match pair {
        ["lab", name] => of(name),
        ["Kind" | "Config" | "Report", name] => variant(name),
        _ => None,
    });
    found.map(|(folder, _)| folder.as_str())
}

/// Law: outside its folder, the table, the claims and the workshop, no source of the library names an analysis.
#[test]
fn nothing_names_an_analysis_but_its_folder_and_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (all, mut files, mut wrong) = (analyses(), Vec::new(), Vec::new());
    assert!(all.len() >= 16, "{all:?}");
    sources(&root.join("src"), &mut files);
    for file in files {
        let name = file.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let told = TELL_APART.iter().chain(&SPECIAL).chain([&SENTENCES]).any(|known| name.starts_with(known));
        // Samples of reports are for tests, of whatever module.
        if told || name.ends_with("sample.rs") || name.ends_with("tests.rs") {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        let shown = code(source.split("#[cfg(test)]").next().unwrap());
        for path in paths(&shown) {
            if let Some(of) = leads_into(&path, &all)
                && !name.starts_with(&format!("src/lab/{of}/"))
            {
                wrong.push(format!("{name} names {of}: {path}"));
            }
        }
    }
    assert!(wrong.is_empty(), "analyses are named from outside:\n{}", wrong.join("\n"));
}

#[test]
fn a_path_into_an_analysis_is_seen_however_it_is_written() {
    let all = [("sweep".to_string(), "Sweep".to_string())];
    let into = |source: &str| paths(source).iter().any(|path| leads_into(path, &all).is_some());
    for named in [
        "use crate::lab::sweep::Report;",
        "use crate::{\n    lab::{plan::Plan, sweep::{self, Row}},\n    math,\n};",
        "fn f() { crate::lab::sweep::run(); }",
        "match kind { Kind::Sweep => 1, _ => 2 }",
    ] {
        assert!(into(named), "{named}");
    }
    for other in ["use crate::math::sweep::Report;", "use crate::lab::{plan::Plan, sample};", "let sweep = 1;"] {
        assert!(!into(other), "{other}");
    }
}

#[test]
fn a_wrong_direction_is_seen_however_it_is_written() {
    let wrong = [
        ("math", 2, "use crate::backend::Backend;"),
        ("math", 2, "fn f() { crate::model::card::read(); }"),
        ("backend", 2, "use crate::{\n    math::moments::{Summary, merge},\n    arch,\n};"),
        ("model", 1, "pub use super::lab::languages;"),
        ("report", 2, "use crate::lab::languages::Row;"),
        ("backend", 3, "use super::super::super::report::chart;"),
        ("lab", 2, "use crate::{protocol};"),
        ("report", 2, "use crate::cli::run;"),
        ("lab", 3, "use crate::share::Link;"),
        ("lab", 3, "pub use reports::claims::*;"),
        ("protocol", 1, "use crate::share::Link;"),
        ("share", 2, "use crate::cli;"),
        ("gadgets", 1, "use std::fmt;"),
    ];
    for (layer, depth, source) in wrong {
        assert_eq!(wrong_paths(layer, depth, source).len(), 1, "{layer}: {source}");
    }
}

#[test]
fn right_directions_comments_and_other_crates_pass() {
    let right = [
        ("math", 2, "use crate::math::rng;\nuse super::moments;\n// crate::backend is above us\n//! [`crate::cli`]"),
        ("math", 2, "mod tests { use super::super::rng::Random; }"),
        ("backend", 3, "use super::super::table::Matmul;\nuse crate::math::moments;"),
        ("lab", 2, "use crate::{arch::forward, math::{metrics, statistics}, model::corpus};"),
        ("cli", 2, "use crate::{lab, protocol::{Event, Request}};"),
        ("lab", 3, "pub use reports::lab::origin::*;"),
        ("math", 2, "use other_crate::backend;\ncrate::VERSION;"),
    ];
    for (layer, depth, source) in right {
        assert_eq!(wrong_paths(layer, depth, source), Vec::<String>::new(), "{layer}: {source}");
    }
}
