//! Every letter of every shipped language has a glyph, also on a device that has hardly any fonts.

use std::{fs, process::Command};

use serde_json::{Value, json};
use xtask::server::Site;

use crate::page::{LOADED, Page, STARTED, dist};

/// Letters of the languages' names that stand as boxes, language by language: in the fonts of the page, or in others.
pub fn boxes(page: &Page, fonts: Option<&str>) -> Value {
    page.evaluate(
        "const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 40 }), pen = canvas.getContext('2d', { willReadFrequently: true }); \
         const drawn = (letter, font) => { pen.clearRect(0, 0, 40, 40); pen.font = `20px ${font}`; pen.fillText(letter, 5, 28); \
         return pen.getImageData(0, 0, 40, 40).data.join(); }; \
         return [...document.querySelectorAll('.own, .chip-own')].map((element) => { const font = arguments[0] ?? getComputedStyle(element).fontFamily; \
         const none = drawn('\\u{10ffff}', font); \
         return [...element.textContent.trim()].filter((letter) => /\\p{L}/u.test(letter) && drawn(letter, font) === none).join(''); }).filter(Boolean)",
        vec![json!(fonts)],
    )
}

/// Configuration of a system whose only fonts are those beside DejaVu Sans, which has the letters of Europe and the Near East.
fn few_fonts() -> String {
    let found = Command::new("fc-match").args(["-f", "%{file}", "DejaVu Sans"]).output().expect("fontconfig is there");
    let file = String::from_utf8(found.stdout).expect("a path");
    let (folder, name) = file.rsplit_once('/').expect("a path");
    assert!(name.starts_with("DejaVu"), "DejaVu Sans is there, not {name}");
    let cache = format!("{}/few-fonts", env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(&cache).unwrap();
    let config = format!("{cache}/fonts.conf");
    let text =
        format!("<?xml version=\"1.0\"?><fontconfig><dir>{folder}</dir><cachedir>{cache}</cachedir></fontconfig>");
    fs::write(&config, text).unwrap();
    config
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_device_with_few_fonts_shows_every_language() {
    let page = Page::open_under(Site::new(dist()), "/", &[("FONTCONFIG_FILE", &few_fonts())]);
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    page.wait("the names of the languages", STARTED, || page.shows(".chip-own").then_some(()));
    page.wait("fonts", LOADED, || (boxes(&page, None) == json!([])).then_some(()));
    let missing = boxes(&page, Some("sans-serif"));
    assert!(missing.as_array().is_some_and(|missing| missing.len() >= 9), "the system has none of them: {missing}");
    page.screenshot("few-fonts");
}
