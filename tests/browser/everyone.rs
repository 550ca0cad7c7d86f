//! Every page with a real result on it, for everyone: axe-core finds nothing on it, light and dark, and it looks as it should at
//! three widths. One browser, one run of each analysis.

use std::{fs, path::PathBuf, time::Duration};

use fairbits::{
    cli,
    lab::{Config, Report},
    share::{self, Link, Place, View},
};
use serde_json::{Value, json};
use xtask::{others, server::Site};

use crate::glyphs::boxes;
use crate::page::{LOADED, Page, STARTED, dist};
use crate::picture::{self, Grid};
use crate::small::configs;

/// A small run of any analysis.
const RUN: Duration = Duration::from_secs(240);
const THEMES: [&str; 2] = ["light", "dark"];
const WIDTHS: [u32; 3] = [1440, 1024, 390];
/// What is asked of the engine, so that the status line says the same on every machine.
const ASKED: &str = "workers=2&backend=cpu";
/// What differs from visit to visit, or from version to version, is not drawn; nothing moves.
const STILL: &str = "#came, #kept, #share-link, .facts div:last-child dd, #forget-settings { visibility: hidden !important; } \
                     *, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }";
/// Names this environment variable to write the pictures anew: `FAIRBITS_PICTURES=write cargo xtask test everyone`.
const WRITE: &str = "FAIRBITS_PICTURES";

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pictures")
}

/// Small runs; the first page with every language of its texts, so that every script is there.
fn runs() -> Vec<Config> {
    let mut all = configs();
    if let Config::Languages(config) = &mut all[0] {
        let card: Value = serde_json::from_slice(&fs::read(dist().join("corpora/udhr/card.json")).unwrap()).unwrap();
        let codes = card["languages"].as_array().unwrap().iter().map(|of| of["code"].as_str().unwrap().to_owned());
        config.texts.languages = codes.collect();
    }
    all
}

fn natively(config: &Config) -> Report {
    let model = cli::load(dist().join("models/skew-skew")).expect("the model");
    cli::measure(&model, dist(), config).expect("a run")
}

/// What axe-core finds on the page as it stands: the rule, and where.
fn axe(page: &Page) -> Vec<String> {
    let found = page.evaluate_later(
        "const done = arguments[arguments.length - 1]; axe.run(document, { resultTypes: ['violations'] }).then((result) => \
         done(result.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => \
         `${node.target} ${node.any.concat(node.all, node.none).map((check) => check.message)}`).join(' | ')}`)), \
         (fault) => done([String(fault)]));",
    );
    serde_json::from_value(found).expect("a list")
}

/// How the page stands in one theme and width, against its fixture.
fn look(page: &Page, name: &str, faults: &mut Vec<String>) {
    let image = page.whole_picture();
    let seen = Grid::of_png(&image);
    let fixture = fixtures().join(format!("{name}.png"));
    let keep = xtask::target().join("screenshots").join("pages");
    fs::create_dir_all(&keep).unwrap();
    fs::write(keep.join(format!("{name}.png")), image).unwrap();
    if std::env::var_os(WRITE).is_some() {
        fs::create_dir_all(fixtures()).unwrap();
        return fs::write(fixture, seen.png()).unwrap();
    }
    let Ok(kept) = fs::read(&fixture) else { return faults.push(format!("{name}: there is no {}", fixture.display())) };
    if let Some(difference) = picture::difference(&Grid::from_png(&kept), &seen) {
        faults.push(format!("{name}: {difference}"));
    }
}

/// One page, as everyone may meet it.
fn meet(page: &Page, name: &str, found: &mut Vec<String>, looks: &mut Vec<String>) {
    page.evaluate(
        "document.querySelector('#still') ?? (() => { const style = document.createElement('style'); \
                   style.id = 'still'; style.textContent = arguments[0]; document.head.append(style); })()",
        vec![json!(STILL)],
    );
    // A label or a link that means one of two means neither.
    let twice = "const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id); \
                 return ids.filter((id, at) => ids.indexOf(id) !== at)";
    let twice = page.evaluate(twice, vec![]);
    if twice != json!([]) {
        found.push(format!("{name}: ids that stand twice: {twice}"));
    }
    for theme in THEMES {
        page.emulate(WIDTHS[0], theme);
        found.extend(axe(page).into_iter().map(|fault| format!("{name}, {theme}: {fault}")));
        for width in WIDTHS {
            page.emulate(width, theme);
            let over = page.evaluate("return document.documentElement.scrollWidth - innerWidth", vec![]);
            if over.as_f64().is_none_or(|over| over > 0.5) {
                looks.push(format!("{name}, {width}: the page is {over} pixels wider than the window"));
            }
            look(page, &format!("{name}-{width}-{theme}"), looks);
        }
    }
}

/// Law: on every page with a result, axe-core finds nothing, nothing is wider than the window, and the picture is the one that
/// was kept, within what fonts may differ.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn every_page_is_for_everyone_and_looks_as_it_should() {
    let page = Page::open(Site::new(dist()), &format!("/#/?{ASKED}"));
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    let script = fs::read_to_string(others::axe()).expect("axe-core; `cargo xtask test` fetches it");
    page.evaluate(&script, vec![]);
    let (mut found, mut looks) = (Vec::new(), Vec::new());
    for config in runs() {
        let path = share::page(config.kind());
        let link = Link::of(&natively(&config), Place::catalog("skew-skew").unwrap(), View::default()).unwrap();
        page.evaluate("location.hash = arguments[0]", vec![json!(format!("{link}&{ASKED}"))]);
        page.wait_for(&format!("#opened[data-page='{path}'][data-state=done] #verdict[data-verdict=exact]"), RUN);
        let name = if path.is_empty() { "languages" } else { path };
        if name == "languages" {
            assert_eq!(boxes(&page, None), json!([]), "letters without a glyph");
            // With the panel of the link that was opened.
            meet(&page, "link", &mut found, &mut looks);
        }
        page.evaluate("location.hash = arguments[0]", vec![json!(format!("#/{path}?{ASKED}"))]);
        page.wait("the page without its link", STARTED, || (!page.shows("#opened")).then_some(()));
        meet(&page, name, &mut found, &mut looks);
    }
    for (path, ready) in [
        ("claims", "#tally"),
        ("theory", ".theory h2"),
        ("workshop", "#exercise-heading"),
        ("bench", "#bench-heading"),
        ("nowhere", ".lost"),
    ] {
        page.evaluate("location.hash = arguments[0]", vec![json!(format!("#/{path}?{ASKED}"))]);
        page.wait_for(ready, STARTED);
        meet(&page, path, &mut found, &mut looks);
    }
    assert!(found.is_empty(), "axe-core found:\n{}", found.join("\n"));
    assert!(looks.is_empty(), "pictures differ (see target/screenshots/pages):\n{}", looks.join("\n"));
}
