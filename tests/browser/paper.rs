//! A result on paper: what was measured, without what can only be pressed, in the colours of the day.

use std::{fs, time::Duration};

use base64::Engine;
use serde_json::json;
use xtask::server::Site;

use crate::page::{Page, dist};

/// Time for the first result, on a machine that does other things too.
const FIRST: Duration = Duration::from_secs(60);
/// Of A4 between usual margins, at 96 to the inch.
const PAPER: u32 = 718;

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_result_is_printed_without_its_controls() {
    let page = Page::open(Site::new(dist()), "/#/?backend=cpu");
    page.wait_for("#result", FIRST);
    page.emulate_paper(PAPER);
    for gone in [".top nav", ".choose", "#run", "#share-link", "#share-copy", ".readout", ".menu", ".bottom"] {
        assert!(!page.shows(gone), "{gone} is on paper");
    }
    for there in [".brand-name", "#sentence", "#chart svg", "#table tbody tr", ".footnotes", ".term"] {
        assert!(page.shows(there), "{there} is not on paper");
    }
    let wide = "const beyond = (element) => element.getBoundingClientRect().right - innerWidth; \
                return [...document.querySelectorAll('main *')].filter((element) => beyond(element) > 1 && element.checkVisibility()) \
                .map((element) => `${element.tagName} ${element.id} ${element.className} ${beyond(element)}`).slice(0, 5)";
    assert_eq!(page.evaluate(wide, vec![]), json!([]), "wider than the paper");
    let ground = "return getComputedStyle(document.querySelector('#result')).backgroundColor";
    assert_eq!(
        page.evaluate(ground, vec![]),
        json!("rgb(255, 255, 255)"),
        "it is day on paper, whatever the screen shows"
    );
    // As a file, for people to look at.
    let folder = xtask::target().join("screenshots");
    fs::create_dir_all(&folder).unwrap();
    let file = base64::engine::general_purpose::STANDARD.decode(page.printed()).expect("base64");
    assert!(file.starts_with(b"%PDF"));
    fs::write(folder.join("paper.pdf"), file).unwrap();
}
