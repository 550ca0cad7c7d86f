//! The pages Activation and Mitigation: load, run, and what is shown is what the native program reports.

use fairbits::lab::{Report, mitigation::Method};
use serde_json::json;

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
fn the_activation_page_shows_what_the_native_program_reports() {
    let page = open("activation");
    choose_texts(&page, &["eng", "deu", "kor", "ell"]);
    // Below every κ: all layers are outlier layers, so R̂ is 1 and does not vary.
    page.fill("#threshold", "0");
    let shown = run(&page);
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Activation(report) = native else { panic!("another analysis") };
    for row in &report.rows {
        assert_eq!(figure(&page, "table", &row.language.code, "kurtosis"), row.kurtosis.value);
        assert_eq!(figure(&page, "table", &row.language.code, "degradation"), row.degradation.value);
        assert!(page.shows(&format!("#heat [data-key={}-0]", row.language.code)));
        assert!(page.shows(&format!("#scatter [data-key={}]", row.language.code)));
    }
    for (number, layer) in report.layers.iter().enumerate() {
        assert_eq!(figure(&page, "layers-table", &number.to_string(), "share_variance"), layer.share_variance);
    }
    let found = report.correlations[1].expect("κ_eff varies over four languages");
    assert_eq!(figure(&page, "correlations", "kurtosis", "pearson"), found.pearson.value);
    page.choose("#shade", "norm");
    page.wait_text("#heat .unseen-text", STARTED, |text| text.contains("mean norm"));
    page.choose("#pair", "tokens");
    page.wait_text("#pair-sentence", STARTED, |text| text.contains("training tokens"));
    assert_eq!(saved(&page, "#heat-csv").1.lines().count(), 1 + 4 * report.layers.len());
    assert!(saved(&page, "#scatter-svg").1.contains("log₁₀ of training tokens"));
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("activation");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_mitigation_page_shows_what_the_native_program_reports() {
    let page = open("mitigation");
    choose_texts(&page, &["eng", "kor", "ell"]);
    // A width of one's own: layer 1 in full precision.
    page.fill(".widths input[data-layer='1']", "9");
    let shown = run(&page);
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    assert_eq!(shown["config"]["own"][1], json!(null));
    let Report::Mitigation(report) = native else { panic!("another analysis") };
    assert_eq!(report.rows.len(), Method::ALL.len());
    for row in &report.rows {
        let key = serde_json::to_value(row.method).unwrap();
        let key = key.as_str().unwrap();
        assert_eq!(figure(&page, "table", key, "disparity"), row.cost.disparity.unwrap().value, "{key}");
        assert_eq!(figure(&page, "table", key, "bytes"), row.bytes as f64, "{key}");
        assert!(page.shows(&format!("#chart [data-key={key}]")), "{key}");
        assert!(page.shows(&format!("#heat [data-key={key}-eng]")), "{key}");
    }
    assert!(page.shows("#confusion [data-key=kor-kor]"));
    assert_eq!(saved(&page, "#confusion-csv").1.lines().count(), 1 + 9);
    assert!(saved(&page, "#chart-csv").1.starts_with("method,name,disparity,disparity_low,disparity_high"));
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("mitigation");
}
