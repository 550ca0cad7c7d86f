//! Old links keep decoding, for ever: a fixture per version and analysis, which says what was shared.

use std::{fs, path::Path};

use fairbits::{
    lab::Kind,
    share::{Link, Run},
};
use serde_json::{Value, json};

use super::{fixtures, link, reports};

/// What a link says, as the fixtures keep it.
fn said(Link { view, run }: &Link) -> Value {
    let Run { config, model, corpus, version, backend, digest, figures } = run;
    let figures: Vec<Value> =
        figures.iter().map(|figure| json!([figure.name, figure.value.to_bits(), figure.bounds])).collect();
    json!({
        "config": config, "view": view.to_string(), "corpus": corpus, "version": version, "backend": backend,
        "digest": digest, "figures": figures,
        "model": model.as_ref().map(|of| json!([of.name, of.place.to_string(), of.checkpoint, of.config, of.tokenizer])),
    })
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

#[test]
fn links_of_every_version_are_read() {
    let mut seen = 0;
    for version in ["v1"] {
        for file in fs::read_dir(fixtures().join(version)).unwrap() {
            let file = file.unwrap().path();
            let fixture = read(&file);
            let link =
                Link::parse(fixture["link"].as_str().unwrap()).unwrap_or_else(|f| panic!("{}: {f}", file.display()));
            assert_eq!(said(&link), fixture["said"], "{}", file.display());
            seen += 1;
        }
    }
    assert_eq!(seen, Kind::ALL.len());
}

/// Writes the fixtures of a version or of an analysis when it is new. Those that are there stay as they are.
#[test]
#[ignore = "run once, when a version or an analysis is made"]
fn write_the_fixtures_of_a_new_version() {
    for report in reports() {
        let mut link = link(report);
        link.view.pinned = true;
        let file = fixtures().join("v1").join(format!("{}.json", report.kind().name()));
        // Those of analyses that were there before are out in the world.
        if file.exists() {
            continue;
        }
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let fixture = json!({"link": link.to_string(), "said": said(&link)});
        fs::write(file, format!("{}\n", serde_json::to_string_pretty(&fixture).unwrap())).unwrap();
    }
}
