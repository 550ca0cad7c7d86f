//! Each layer uses only the layers below it: read from the paths in the sources, so that a wrong one fails here and not
//! in somebody's head.

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
    &["analysis"],
    &["report"],
    &["protocol", "share"],
    &["worker", "cli"],
];
/// The page stands apart: it sees what can be said and shown, never a model or its weights.
const PAGE: (&str, &[&str]) = ("ui", &["protocol", "share", "report"]);
/// Programs start things; they may name any layer.
const PROGRAMS: &str = "bin";

/// Layers that `layer` may use; `None` where it is no layer.
fn allowed(layer: &str) -> Option<Vec<&'static str>> {
    if layer == PAGE.0 {
        return Some(PAGE.1.to_vec());
    }
    let level = ORDER.iter().position(|line| line.contains(&layer))?;
    Some(ORDER[..level].concat())
}

/// Paths of `source` that go where its layer may not, as sentences. `depth` is how many modules deep the file stands:
/// `src/math/rng.rs` two, `src/protocol.rs` one.
fn wrong_paths(layer: &str, depth: usize, source: &str) -> Vec<String> {
    let Some(allowed) = allowed(layer) else {
        return vec![format!("`{layer}` is not a layer that this test knows: give it a place in ORDER")];
    };
    let used = used_modules(source, depth);
    let wrong = used.iter().filter(|used| used.as_str() != layer && !allowed.contains(&used.as_str()));
    wrong.map(|used| format!("`{layer}` uses `{used}`; it may use only {}", allowed.join(", "))).collect()
}

/// Modules of the crate's root that the source names by `crate::` or by enough `super::`. Inside a module within the file
/// as many `super::` lead one step less far, so of those only the names of layers count.
fn used_modules(source: &str, depth: usize) -> BTreeSet<String> {
    let code: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let named_after = |start: &str| -> Vec<String> {
        let starts = code.match_indices(start).filter(|(at, _)| {
            !code[..*at].ends_with(|before: char| before.is_alphanumeric() || "_$:".contains(before))
        });
        starts.flat_map(|(at, _)| first_names(&code[at + start.len()..])).collect()
    };
    let mut used: BTreeSet<String> = named_after("crate::").into_iter().collect();
    used.extend(named_after(&"super::".repeat(depth)).into_iter().filter(|name| allowed(name).is_some()));
    used
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
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let (mut checked, mut wrong) = (0, Vec::new());
    for file in files {
        let modules = file.strip_prefix(&src).unwrap().with_extension("");
        let parts: Vec<&str> = modules.iter().map(|part| part.to_str().unwrap()).collect();
        if matches!(parts[0], "lib" | PROGRAMS) {
            continue;
        }
        let depth = parts.len() - usize::from(parts.last() == Some(&"mod"));
        let source = fs::read_to_string(&file).unwrap();
        wrong.extend(wrong_paths(parts[0], depth, &source).iter().map(|fault| format!("{}: {fault}", file.display())));
        checked += 1;
    }
    assert!(checked > 10, "only {checked} sources were found in {}", src.display());
    assert!(wrong.is_empty(), "wrong directions:\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_direction_is_seen_however_it_is_written() {
    let wrong = [
        ("math", 2, "use crate::backend::Backend;"),
        ("math", 2, "fn f() { crate::model::card::read(); }"),
        ("backend", 2, "use crate::{\n    math::moments::{Summary, merge},\n    arch,\n};"),
        ("model", 1, "pub use super::analysis::languages;"),
        ("backend", 3, "use super::super::super::report::chart;"),
        ("analysis", 2, "use crate::{protocol};"),
        ("report", 2, "use crate::ui::app;"),
        ("protocol", 1, "use crate::worker;"),
        ("protocol", 1, "use crate::share::Link;"),
        ("ui", 3, "use crate::{protocol::Event, model::card::Card};"),
        ("worker", 1, "use crate::ui::client;"),
        ("gadgets", 1, "use std::fmt;"),
    ];
    for (layer, depth, source) in wrong {
        assert_eq!(wrong_paths(layer, depth, source).len(), 1, "{layer}: {source}");
    }
}

#[test]
fn right_directions_comments_and_other_crates_pass() {
    let right = [
        ("math", 2, "use crate::math::rng;\nuse super::moments;\n// crate::backend is above us\n//! [`crate::ui`]"),
        ("math", 2, "mod tests { use super::super::rng::Random; }"),
        ("backend", 3, "use super::super::table::Matmul;\nuse crate::math::moments;"),
        ("analysis", 2, "use crate::{arch::forward, math::{metrics, statistics}, model::corpus};"),
        ("ui", 3, "use crate::{protocol::Event, report::table, share};\nuse crate::ui::state;"),
        ("worker", 1, "use crate::{analysis, protocol::{Event, Request}};"),
        ("math", 2, "use other_crate::backend;\ncrate::VERSION;"),
    ];
    for (layer, depth, source) in right {
        assert_eq!(wrong_paths(layer, depth, source), Vec::<String>::new(), "{layer}: {source}");
    }
}
