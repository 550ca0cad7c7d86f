//! The pages Redundancy and Representation: load, run, and what is shown is what the native program reports.

use fairbits::lab::{
    Report,
    redundancy::{Error, Measure},
};

use crate::languages::run;
use crate::page::{Page, STARTED};
use crate::weights::{figure, native, open, saved};

fn choose_texts(page: &Page, codes: &[&str]) {
    page.click("#languages-none");
    for code in codes {
        page.click(&format!("label:has(> input[name=language][value={code}])"));
    }
    page.fill("#units", "3");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_redundancy_page_shows_what_the_native_program_reports() {
    let page = open("redundancy");
    choose_texts(&page, &["eng", "deu", "kor", "ell"]);
    page.fill("#top", "2");
    let shown = run(&page);
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Redundancy(report) = native else { panic!("another analysis") };
    for row in &report.rows {
        assert_eq!(figure(&page, "table", &row.language.code, "degradation"), row.degradation.value);
        assert_eq!(figure(&page, "table", &row.language.code, "loss_without"), row.loss_without.value);
        assert!(page.shows(&format!("#heat [data-key={}-0]", row.language.code)));
    }
    let proxy = report.relations.iter().find(|of| (of.measure, of.error) == (Measure::Proxy, Error::Loss));
    let slope = proxy.and_then(|of| of.slope).expect("R̂ is above 0 and varies over four languages");
    assert_eq!(figure(&page, "relations", "proxy-loss", "slope"), slope.value);
    page.choose("#pick", "proxy-weights");
    page.wait_text("#pick-sentence", STARTED, |text| text.starts_with("Error of the weights"));
    assert!(saved(&page, "#relation-svg").1.contains("bound C/(R + δ)"));
    assert_eq!(saved(&page, "#heat-csv").1.lines().count(), 1 + 4 * report.layers.len());
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("redundancy");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_representation_page_shows_what_the_native_program_reports() {
    let page = open("representation");
    choose_texts(&page, &["eng", "kor", "ell"]);
    page.choose("#reference", "kor");
    let shown = run(&page);
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Representation(report) = native else { panic!("another analysis") };
    assert_eq!(report.config.reference, "kor");
    for row in &report.rows {
        let moved = row.moved.expect("states are numbers").value;
        assert_eq!(figure(&page, "table", &row.language.code, "moved"), moved);
        assert!(page.shows(&format!("#heat [data-key={}-0]", row.language.code)));
    }
    assert!(page.shows("#lines [data-key=layer-0]") && page.shows("#entropy [data-key=layer-0]"));
    page.choose("#shade", "cka");
    page.wait_text("#heat .unseen-text", STARTED, |text| text.contains("CKA"));
    page.choose("#question", "1");
    page.wait_text("#probes .unseen-text", STARTED, |text| text.contains("which script"));
    let layers = report.rows[0].layers.len();
    assert_eq!(saved(&page, "#heat-csv").1.lines().count(), 1 + 3 * layers);
    assert_eq!(saved(&page, "#probes-csv").1.lines().count(), 1 + report.probes.len() * layers);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("representation");
}
