//! The pages Statistics, Causes and Family: what is shown is what the native program reports.

use fairbits::lab::{self, Report};
use serde_json::Value;

use crate::languages::run;
use crate::page::{Page, STARTED};
use crate::weights::{figure, native, open, saved};

const DATA: &str =
    "code;level;x;y;z\neng;high;1,5;2,5;0\nkor;low;2,25;4,5;1\nfin;low;4;3,5;1\ndeu;high;3;1;0\nell;low;5,5;7;2\n";

/// The same settings without a model.
fn alone(shown: &Value) -> Report {
    let config = serde_json::from_value::<Report>(shown.clone()).expect("a report").config();
    pollster::block_on(lab::run_alone(&config, &async |_| ())).expect("no model is needed").expect("the same run")
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_statistics_page_takes_any_table() {
    let page = open_statistics();
    page.fill("#data", "x,y\n1,2\n3,four\n5,6\n7,8\n");
    page.wait_text("#data-fault", STARTED, |text| text.contains("row 3, column “y”: “four” is not a number"));
    page.fill("#data", DATA);
    page.wait_text("#data-told", STARTED, |text| text == "5 rows of 5 columns are read.");
    // What cannot be read takes the place of what was: only one of the two sentences stands, and nothing runs.
    page.fill("#data", "x,y\n1,2\n3,four\n5,6\n7,8\n");
    page.wait_text("#data-fault", STARTED, |text| text.contains("“four” is not a number"));
    page.wait_text("#data-told", STARTED, str::is_empty);
    page.wait_text("#run-hint", STARTED, |text| text.starts_with("The data is not read"));
    page.fill("#data", DATA);
    page.wait_text("#data-fault", STARTED, str::is_empty);
    page.wait_text("#data-told", STARTED, |text| text == "5 rows of 5 columns are read.");
    page.choose("#target", "y");
    page.click("label:has(> input[name=given][value=z])");
    page.choose("#group-column", "level");
    page.choose("#group-first", "low");
    page.choose("#group-second", "high");
    let shown = run(&page);
    let native = alone(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Statistics(report) = native else { panic!("another analysis") };
    assert_eq!(report.columns.len(), 3);
    let found = report.pairs[0].found.expect("x and y vary");
    assert_eq!(figure(&page, "pairs-table", "0-1", "pearson"), found.pearson.value);
    assert_eq!(figure(&page, "contrasts", "1", "d"), report.contrasts[1].effect.expect("two groups").d.value);
    for (number, test) in report.tests.iter().enumerate() {
        let row = (number + 1).to_string();
        assert_eq!(figure(&page, "tests", &row, "benjamini_hochberg"), test.adjusted.benjamini_hochberg);
    }
    assert!(page.shows("#power [data-key=asked]") && page.shows("#scatter [data-key=eng]"));
    assert!(saved(&page, "#power-csv").1.starts_with("pairs,power"));
    // What was tested is written down. Made again it is the same tests; other tests are counted with them.
    let before = report.tests.len();
    page.fill("#wanted", "0.9");
    assert_eq!(run(&page)["tests"].as_array().unwrap().len(), before);
    page.fill("#data", "u,v\n1,2\n2,1\n3,5\n4,3\n");
    assert_eq!(run(&page)["tests"].as_array().unwrap().len(), before + 2);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("statistics");
}

fn open_statistics() -> Page {
    // Its page shows no model, but the engine fetches the default one.
    let page = open("weights");
    page.go("/#/statistics");
    page.wait_for("#data-heading", STARTED);
    page
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_causes_page_shows_what_the_native_program_reports() {
    let page = open("causes");
    page.click("#languages-none");
    for code in ["eng", "deu", "kor", "ell", "fin", "rus", "fra"] {
        page.click(&format!("label:has(> input[name=language][value={code}])"));
    }
    page.fill("#units", "2");
    let shown = run(&page);
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Causes(report) = native else { panic!("another analysis") };
    for row in report.rows.iter().filter(|row| row.counts()) {
        assert_eq!(figure(&page, "table", &row.language.code, "alignment"), row.alignment.unwrap().value);
        assert!(page.shows(&format!("#scatter [data-key={}]", row.language.code)));
    }
    let paths = report.paths.expect("six languages beside English");
    assert_eq!(figure(&page, "paths-table", "direct", "coefficient"), paths.direct.value);
    let before = page.text("#do-sentence").unwrap();
    page.fill("#noise", "0.5");
    page.wait_text("#do-sentence", STARTED, |text| text != before);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("causes");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_family_page_fetches_four_models_and_puts_the_first_back() {
    let page = open("family");
    page.click("#languages-none");
    for code in ["eng", "kor", "ell"] {
        page.click(&format!("label:has(> input[name=language][value={code}])"));
    }
    page.fill("#units", "2");
    page.choose("#family-2", "bal-bal");
    let shown = run(&page);
    let Report::Family(report) = serde_json::from_value::<Report>(shown.clone()).unwrap() else { panic!("another") };
    for row in &report.rows {
        assert_eq!(figure(&page, "table", &row.language.code, "d_tokenizer"), row.degradation.effects.tokenizer.value);
    }
    // The page's own model computes what it did before.
    page.go("/#/");
    page.wait_for("#model[data-state=loaded]", STARTED);
    page.fill("#resamples", "100");
    let after = run(&page);
    assert_eq!(after, serde_json::to_value(native(&after)).unwrap(), "the page's model is back");
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}
