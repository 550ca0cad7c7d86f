//! The revision of figures: raised whenever the same files and settings give others.

use std::{collections::BTreeMap, fs, path::PathBuf};

use fairbits::{
    lab::origin::{FIGURES, VERSION, figures},
    share,
};
use serde::{Deserialize, Serialize};

use super::{reports, root};

/// Set to write what figures are now, after [`FIGURES`] was raised: `FAIRBITS_FIGURES=write cargo test --test share revision`.
const WRITE: &str = "FAIRBITS_FIGURES";

/// What a revision gives.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    revision: u32,
    /// Digest of a small run of each analysis on the default model.
    digests: BTreeMap<String, String>,
}

fn path() -> PathBuf {
    root().join("tests/fixtures/figures.json")
}

/// Law: other figures are of another revision.
#[test]
fn figures_that_change_raise_their_revision() {
    let digest = |report| share::digest(report).expect("computed in exact mode");
    let digests = reports().iter().map(|report| (report.kind().name().to_string(), digest(report))).collect();
    let now = Kept { revision: FIGURES, digests };
    let kept: Option<Kept> = fs::read(path()).ok().map(|bytes| serde_json::from_slice(&bytes).unwrap());
    if std::env::var_os(WRITE).is_some() {
        let raised = kept.is_none_or(|kept| kept.revision < FIGURES || kept == now);
        assert!(raised, "figures changed: raise FIGURES in src/lab/origin.rs first");
        fs::write(path(), serde_json::to_string_pretty(&now).unwrap() + "\n").unwrap();
        return;
    }
    let kept = kept.expect("tests/fixtures/figures.json");
    assert_eq!(kept, now, "figures changed: raise FIGURES in src/lab/origin.rs and write {WRITE}=write");
}

#[test]
fn a_version_names_its_revision_and_its_build() {
    assert_eq!(figures(VERSION), FIGURES);
    let build = VERSION.rsplit('.').next().unwrap();
    assert!(build.len() == 12 && build.bytes().all(|digit| digit.is_ascii_hexdigit()), "{VERSION}");
    for (version, revision) in [("0.1.0", 1), ("0.1.0+f7.0123456789ab", 7), ("+f", 1), ("0.2.0+abc", 1)] {
        assert_eq!(figures(version), revision, "{version}");
    }
}
