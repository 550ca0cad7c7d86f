//! Links: what is shared is what was run, and whatever a stranger sends, nothing breaks.

#[path = "../loader/allocations.rs"]
mod allocations;
mod claims;
mod configs;
#[path = "../../fuzz/src/link.rs"]
mod fuzz_link;
#[path = "../../fuzz/src/report.rs"]
mod fuzz_report;
mod fuzzed;
mod hostile;
mod laws;
mod ledger;
#[path = "../loader/mutations.rs"]
mod mutations;
#[path = "../loader/places.rs"]
mod places;
mod program;
mod revision;
mod runs;
mod schema;
mod shards;
mod slow;
mod small;
#[path = "../loader/survive.rs"]
mod survive;
mod tables;
mod versions;

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use fairbits::{
    cli,
    lab::{Config, Report},
    share::{Link, Place, View},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn public() -> PathBuf {
    root().join("public")
}

/// The folder of links that must be read, or refused, for ever.
fn fixtures() -> PathBuf {
    root().join("tests/fixtures/links")
}

/// The model that comes with the page.
fn folder() -> PathBuf {
    public().join("models/skew-skew")
}

fn run(config: &Config) -> Report {
    cli::measure(&cli::load(folder()).unwrap(), public(), config).unwrap()
}

/// A small run of every analysis, made once for all tests.
fn reports() -> &'static [Report] {
    static REPORTS: OnceLock<Vec<Report>> = OnceLock::new();
    REPORTS.get_or_init(|| small::configs().iter().map(run).collect())
}

fn link(report: &Report) -> Link {
    Link::of(report, Place::catalog("skew-skew").unwrap(), View::default()).unwrap()
}
