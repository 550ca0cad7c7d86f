//! Which test program holds a test, read from the sources: so that one test can be run without building the others.

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
};

use crate::{Error, Result, offline::walk, root};

/// Packages and the folders of their libraries; the first folder that a file is in counts.
const LIBRARIES: [(&str, &str); 4] =
    [("fairbits-ui", "src/ui"), (REPORTS, "src"), ("fairbits-engine", "engine/src"), ("xtask", "xtask/src")];
const REPORTS: &str = "fairbits-reports";
/// The package that measures has these modules in the folder of the reports, and one of the second name in that of each analysis.
const MEASURES: (&str, [&str; 2]) = ("fairbits", ["cli", "measure"]);
/// Packages and the folders of their integration tests.
const INTEGRATION: [(&str, &str); 3] =
    [("fairbits", "tests"), ("fairbits-engine", "engine/tests"), ("xtask", "xtask/tests")];

/// A test program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The package it belongs to.
    pub package: String,
    /// Of an integration test its name; none for the tests inside the library.
    pub name: Option<String>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "tests {name} of {}", self.package),
            None => write!(f, "tests inside {}", self.package),
        }
    }
}

/// Test programs with a function whose name, with the modules around it, contains the filter.
pub fn holding(filter: &str) -> Result<Vec<Target>> {
    let mut found = BTreeSet::new();
    for (package, folder, integration) in folders() {
        let top = root().join(folder);
        let mut files = Vec::new();
        if top.is_dir() {
            walk(&top, &mut files).map_err(Error::io(top.display().to_string()))?;
        }
        for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
            let inner =
                || LIBRARIES.iter().any(|(_, other)| nested(folder, other) && file.starts_with(root().join(other)));
            if !integration && inner() {
                continue;
            }
            let modules = modules(file.strip_prefix(&top).expect("it was found in there"));
            let text = fs::read_to_string(file).map_err(Error::io(file.display().to_string()))?;
            let (name, inside) = match integration {
                true => (modules.first().cloned(), modules.get(1..).unwrap_or_default()),
                false => (None, &modules[..]),
            };
            if tests(&text).any(|test| names(inside, test).iter().any(|name| name.contains(filter))) {
                let package = if package == REPORTS && measures(&modules) { MEASURES.0 } else { package };
                found.insert(Target { package: package.to_owned(), name });
            }
        }
    }
    Ok(found.into_iter().collect())
}

fn folders() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
    let libraries = LIBRARIES.iter().map(|(package, folder)| (*package, *folder, false));
    libraries.chain(INTEGRATION.iter().map(|(package, folder)| (*package, *folder, true)))
}

fn nested(outer: &str, inner: &str) -> bool {
    inner != outer && Path::new(inner).starts_with(outer)
}

/// Modules that a file's path stands for: `a/b.rs` a and b, `a/mod.rs` and `a/main.rs` a.
fn modules(path: &Path) -> Vec<String> {
    let path: PathBuf = path.with_extension("");
    let mut modules: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if modules.len() > 1 && modules.last().is_some_and(|last| ["mod", "main"].contains(&last.as_str())) {
        modules.pop();
    }
    modules
}

fn measures(modules: &[String]) -> bool {
    let names: Vec<&str> = modules.iter().map(String::as_str).collect();
    match names[..] {
        ["lab", _, name, ..] => name == MEASURES.1[1],
        [name, ..] => MEASURES.1.contains(&name),
        [] => false,
    }
}

/// Functions of a source that has tests; whether each is one is for the test program to say.
fn tests(source: &str) -> impl Iterator<Item = &str> {
    let has_tests = ["#[test]", "both!"].iter().any(|mark| source.contains(mark));
    let functions = source.lines().filter(move |_| has_tests).filter_map(|line| line.trim_start().split_once("fn "));
    functions.filter_map(|(_, rest)| rest.split('(').next())
}

/// What the test program may call it.
fn names(modules: &[String], test: &str) -> [String; 2] {
    let path: String = modules.iter().map(|module| format!("{module}::")).collect();
    [format!("{path}{test}"), format!("{path}tests::{test}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(package: &str, name: Option<&str>) -> Target {
        Target { package: package.into(), name: name.map(Into::into) }
    }

    #[test]
    fn a_test_is_found_where_it_stands() {
        assert_eq!(holding("a_test_is_found_where_it_stands").unwrap(), [target("xtask", None)]);
        assert_eq!(holding("sources::tests::a_test_is").unwrap(), [target("xtask", None)]);
        assert_eq!(holding("every_layer_uses_only_the_layers_below").unwrap(), [target("fairbits", Some("layers"))]);
        assert_eq!(holding("every_kernel_agrees_with_its_oracle").unwrap(), [target("fairbits-engine", Some("twins"))]);
        assert_eq!(holding("the_wasm_is_small").unwrap(), [target("fairbits", Some("browser"))]);
        assert_eq!(holding("what_was_computed_is_not_computed_again").unwrap(), [target("fairbits", None)]);
        assert_eq!(holding("effects_are_those_put_in").unwrap(), [target("fairbits", None)]);
        assert_eq!(holding("every_fault_says_what_to_do").unwrap(), [target("fairbits-reports", None)]);
        assert_eq!(holding("every_page_has_a_title_of_its_own").unwrap(), [target("fairbits-ui", None)]);
        assert_eq!(holding(concat!("no_test_is", "_called_so")).unwrap(), []);
    }

    #[test]
    fn paths_stand_for_modules() {
        assert_eq!(modules(Path::new("twins/main.rs")), ["twins"]);
        assert_eq!(modules(Path::new("math/rng.rs")), ["math", "rng"]);
        assert_eq!(modules(Path::new("main.rs")), ["main"]);
    }
}
