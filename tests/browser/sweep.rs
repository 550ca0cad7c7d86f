//! The pages Bits and Screening: run, and what is shown is what the native program reports; screened models stay until forgotten.

use fairbits::lab::Report;
use fairbits::report::labels::as_sentence;
use serde_json::json;

use crate::languages::run;
use crate::page::{LOADED, Page, STARTED};
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
fn the_bits_page_shows_what_the_native_program_reports() {
    let page = open("bits");
    choose_texts(&page, &["eng", "deu", "kor"]);
    for width in [5, 6, 7] {
        page.click(&format!("label:has(> input[name=bits][value='{width}'])"));
    }
    let hint = page.text("#run-hint").unwrap();
    assert_eq!(hint, "9 texts, each read 9 times: in full precision and under 8 roundings.");
    let shown = run(&page);
    assert_eq!(shown["config"]["bits"], json!([2, 3, 4, 8]));
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Sweep(report) = native else { panic!("another analysis") };
    for outcome in &report.outcomes {
        let rule = serde_json::to_value(outcome.rule).unwrap();
        let row = format!("{}-{}", rule.as_str().unwrap(), outcome.bits.get());
        assert_eq!(figure(&page, "widths", &row, "disparity"), outcome.cost.disparity.unwrap().value, "{row}");
        assert_eq!(figure(&page, "widths", &row, "error"), outcome.error.value, "{row}");
        assert_eq!(figure(&page, "widths", &row, "bytes"), outcome.bytes as f64, "{row}");
        assert!(page.shows(&format!("#disparity [data-key={row}]")), "{row}");
        assert!(page.shows(&format!("#mse [data-key={row}]")), "{row}");
    }
    for language in &report.languages {
        assert!(page.shows(&format!("#losses [data-key={}-2]", language.code)));
    }
    assert_eq!(figure(&page, "slopes", "error-absmax", "slope"), report.slopes[0].slope.unwrap().value);
    for verdict in &report.verdicts {
        let rule = serde_json::to_value(verdict.rule).unwrap();
        let row = format!("#verdicts tr[data-row='{:?}-{}']", verdict.claim, rule.as_str().unwrap());
        assert_eq!(
            page.text(&format!("{row} td[data-figure=because]")).as_deref(),
            Some(as_sentence(&verdict.because).as_str())
        );
    }
    assert!(page.text("#sentence").unwrap().starts_with("Under the rule “largest weight (absmax)”"));
    page.choose("#rule", "optimal");
    page.wait_text("#sentence", STARTED, |text| text.starts_with("Under the rule “least squared error”"));
    let (name, csv) = saved(&page, "#losses-csv");
    assert!(name.ends_with("-bits-optimal.csv"), "{name}");
    assert_eq!(csv.lines().count(), 1 + 3 * 4);
    assert!(saved(&page, "#mse-svg").1.contains("2^(−2B)"));
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("bits");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_screening_page_shows_what_the_native_program_reports_and_keeps_the_model() {
    let page = open("screening");
    choose_texts(&page, &["eng", "deu", "kor", "ell"]);
    page.fill("#light", "60");
    assert!(
        page.text("#run-hint").unwrap().contains("must be below that of heavy tails"),
        "{:?}",
        page.text("#run-hint")
    );
    page.fill("#light", "1");
    let shown = run(&page);
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Screening(report) = native else { panic!("another analysis") };
    for row in &report.rows {
        assert_eq!(figure(&page, "table", &row.language.code, "usage"), row.usage.value);
        assert_eq!(figure(&page, "table", &row.language.code, "degradation"), row.degradation.value);
        assert!(page.shows(&format!("#scatter [data-key={}]", row.language.code)));
    }
    for (number, layer) in report.layers.iter().enumerate() {
        assert_eq!(figure(&page, "layers-table", &format!("layer-{number}"), "kurtosis"), layer.kurtosis);
        assert!(page.shows(&format!("#kurtosis [data-key=layer-{number}]")));
    }
    for verdict in &report.verdicts {
        let row = format!("#verdicts tr[data-row='{:?}'] td[data-figure=because]", verdict.claim);
        assert_eq!(page.text(&row).as_deref(), Some(as_sentence(&verdict.because).as_str()));
    }
    assert!(
        page.text("#branch").unwrap().contains("evaluate every language on its own"),
        "max κ lies between 1 and 50"
    );
    assert_eq!(page.texts("#checklist li").len(), 5);
    // The model is in the table, also after a reload, until it is forgotten.
    assert_eq!(figure(&page, "models", "model-0", "max_kurtosis"), report.max_kurtosis);
    assert!(saved(&page, "#models-csv").1.contains("GELU (tanh)"));
    page.screenshot("screening");
    // Without the link that the run left in the address, which would run again.
    let anew = "history.replaceState(null, '', '#/screening'); location.reload()";
    page.evaluate(anew, vec![]);
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    page.wait_for("#models tr[data-row=model-0]", STARTED);
    page.click("#forget-all");
    page.wait("an empty table", STARTED, || (!page.shows("#models")).then_some(()));
    // What lies there may be anybody's.
    page.evaluate("localStorage.setItem('fairbits-models', '{\"version\":1,\"entries\":[{}]}')", vec![]);
    page.evaluate(anew, vec![]);
    page.wait_text("#models-fault", STARTED + LOADED, |text| text.contains("the table begins anew"));
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}
