//! The Theory page: the statement that an address names is in sight, and links lead from cards to statements and back.

use std::time::Duration;

use serde_json::json;
use xtask::server::Site;

use crate::page::{Page, STARTED, dist};

const SOON: Duration = Duration::from_secs(10);

/// Waits until an element begins within the window.
fn in_sight(page: &Page, id: &str) {
    let script = "const top = document.getElementById(arguments[0])?.getBoundingClientRect().top; \
                  return top !== undefined && top >= -2 && top < innerHeight";
    page.wait(&format!("{id} in sight"), SOON, || {
        (page.evaluate(script, vec![json!(id)]) == json!(true)).then_some(())
    });
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn an_address_shows_its_statement_and_links_lead_on() {
    let page = Page::open(Site::new(dist()), "/#/theory?at=k1");
    page.wait_for(".theory h2", STARTED);
    in_sight(&page, "theory-k1");
    assert!(
        page.evaluate("return document.querySelectorAll('.theory .statement math').length", vec![]).as_u64() > Some(40)
    );
    page.click(".theory nav a[href='#/theory?at=t2']");
    in_sight(&page, "theory-t2");
    assert_eq!(page.evaluate("return location.hash", vec![]), json!("#/theory?at=t2"));
    // To what was measured of it, and from there to the next.
    page.click("#theory-t2 a[href='#/claims?at=T2']");
    page.wait_for("#claim-T2 h3", STARTED);
    in_sight(&page, "claim-T2");
    page.click("#claim-T1c a[href='#/theory?at=t1c']");
    page.wait_for("#theory-t1c h3", STARTED);
    in_sight(&page, "theory-t1c");
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    assert_eq!(page.broken(), None);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn every_card_has_a_statement() {
    let page = Page::open(Site::new(dist()), "/#/theory");
    page.wait_for(".theory h2", STARTED);
    for claim in fairbits::claims::CLAIMS {
        let anchor = fairbits::report::theory::anchor(claim.id);
        assert!(page.shows(&format!("#theory-{anchor} h3")), "{} has no statement", claim.id);
    }
}
