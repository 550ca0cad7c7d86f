//! The pages of the weights: load, run, and what is shown is what the native program reports.

use fairbits::{cli, lab::Report};
use serde_json::{Value, json};
use xtask::server::Site;

use crate::languages::run;
use crate::page::{LOADED, Page, STARTED, dist};

/// Opens a page of the lab and waits for the default model.
pub fn open(path: &str) -> Page {
    let page = Page::open(Site::new(dist()), &format!("/#/{path}"));
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    page
}

/// The same configuration, run natively on the same files.
pub fn native(shown: &Value) -> Report {
    let config = serde_json::from_value::<Report>(shown.clone()).expect("a report").config();
    let folder = dist().join("models").join(shown["model"].as_str().expect("the model's name"));
    cli::measure(&cli::load(folder).expect("the same model"), dist(), &config).expect("the same run")
}

/// The figure of a table's row, in full precision.
pub fn figure(page: &Page, table: &str, row: &str, figure: &str) -> f64 {
    let selector = format!("#{table} tr[data-row='{row}'] td[data-figure={figure}]");
    let value = page.evaluate("return document.querySelector(arguments[0])?.dataset.value", vec![json!(selector)]);
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| page.fail(&format!("{selector}: {value}")))
}

/// What a click hands to the browser as a download: its name and its text.
pub fn saved(page: &Page, button: &str) -> (String, String) {
    let script = "const made = URL.createObjectURL; \
                  URL.createObjectURL = (blob) => { window.blob = blob; return made.call(URL, blob); }; \
                  HTMLAnchorElement.prototype.click = function () { window.file = this.download; };";
    page.evaluate(script, vec![]);
    page.click(button);
    let text = page.evaluate_later("const done = arguments[arguments.length - 1]; window.blob.text().then(done);");
    let name = page.evaluate("return window.file", vec![]);
    (name.as_str().expect("a name").to_string(), text.as_str().expect("text").to_string())
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_weights_page_shows_what_the_native_program_reports() {
    let page = open("weights");
    let shown = run(&page);
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Weights(report) = native else { panic!("another analysis") };
    for layer in &report.layers {
        let row = format!("layer-{}", layer.layer);
        assert_eq!(figure(&page, "table", &row, "kurtosis"), layer.spread.summary.kurtosis);
        assert_eq!(figure(&page, "table", &row, "beyond_3"), layer.spread.summary.beyond_3);
        assert!(page.shows(&format!("#heat [data-key=layer-{}]", layer.layer)));
    }
    // Another threshold, without another run: below every κ all layers are outliers.
    let flagged = |page: &Page| page.texts("#table tr[data-row^=layer-] td[data-figure=outlier]");
    page.fill("#threshold", "0");
    let (is, ought) =
        (flagged(&page), report.layers.iter().filter(|layer| layer.spread.summary.kurtosis > 0.0).count());
    assert!(is.iter().filter(|cell| *cell == "yes").count() >= ought, "{is:?}");
    page.fill("#threshold", "6");
    page.wait("no outlier", STARTED, || flagged(&page).iter().all(|cell| cell == "no").then_some(()));
    page.choose("#scope", "layer-3-down");
    page.wait_text("#histogram .unseen-text", STARTED, |text| text.contains("layer 3, MLP down"));
    let (name, csv) = saved(&page, "#histogram-csv");
    assert!(name.ends_with("layer-3-down.csv"), "{name}");
    let counted: u64 = csv.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().parse::<u64>().unwrap()).sum();
    let tensor = report.tensors.iter().find(|tensor| tensor.name.starts_with("h.3.mlp.c_proj")).unwrap();
    assert_eq!(counted, tensor.spread.summary.n, "the file holds every weight once");
    assert!(saved(&page, "#heat-svg").1.starts_with("<svg"));
    page.evaluate("document.querySelector('#heat [data-key=layer-0]').focus()", vec![]);
    assert!(page.text("#heat-readout").unwrap().starts_with("layer 0: κ"), "{:?}", page.text("#heat-readout"));
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("weights");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_clipping_page_shows_what_the_native_program_reports() {
    let page = open("clipping");
    page.click("#languages-none");
    for code in ["eng", "kor", "ell"] {
        page.click(&format!("label:has(> input[name=language][value={code}])"));
    }
    page.fill("#units", "2");
    page.click("label:has(> input[name=bits][value='4'])");
    page.click("#losses");
    let shown = run(&page);
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Clipping(report) = native else { panic!("another analysis") };
    assert_eq!((report.languages.len(), report.losses.len(), report.config.reference.as_str()), (3, 5, "eng"));
    for language in &report.languages {
        assert_eq!(figure(&page, "table", &language.code, "kurtosis_effective"), language.kurtosis.value);
        assert_eq!(figure(&page, "table", &language.code, "factor"), language.factor);
        assert!(page.shows(&format!("#heat [data-key={}-0]", language.code)));
    }
    for (at, loss) in report.losses[0].degradation.iter().enumerate() {
        assert_eq!(figure(&page, "losses-table", &report.languages[at].code, "absmax"), loss.value);
    }
    // One matrix: its rules in the table are those of the report.
    page.choose("#scope", "layer-2-out");
    page.wait_text("#curve .unseen-text", STARTED, |text| text.contains("layer 2, attention out"));
    let tensor = report.tensors.iter().find(|tensor| tensor.name.starts_with("h.2.attn.c_proj")).unwrap();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    for choice in &tensor.choices {
        let row = serde_json::to_value(choice.rule).unwrap();
        let row = row.as_str().unwrap();
        assert!(near(figure(&page, "rules", row, "alpha_over_sigma"), choice.alpha_over_sigma), "{row}");
        assert!(near(figure(&page, "rules", row, "total"), choice.error.total()), "{row}");
        assert!(page.shows(&format!("#curve [data-key={row}]")), "{row}");
    }
    assert!(saved(&page, "#curve-csv").1.starts_with("place,alpha_over_sigma,clipping,rounding,total"));
    assert!(saved(&page, "#fit-svg").1.contains("ln(1 + κ)"));
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("clipping");
}

/// Law: a chart that is replaced before the page was laid out with it is left alone, as in a search that shows several reports within
/// a frame.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_chart_that_is_replaced_within_a_frame_is_left_alone() {
    let page = open("weights");
    run(&page);
    // Frames of a page that has much to do.
    let late = "window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 1500); \
                window.cancelAnimationFrame = clearTimeout;";
    page.evaluate(late, vec![]);
    page.choose("#scope", "layer-3-down");
    page.wait_text("#histogram .unseen-text", STARTED, |text| text.contains("layer 3, MLP down"));
    page.choose("#scope", "layer-2-down");
    page.wait_text("#histogram .unseen-text", STARTED, |text| text.contains("layer 2, MLP down"));
    page.evaluate_later("const done = arguments[arguments.length - 1]; setTimeout(done, 2000);");
    assert_eq!(page.broken(), None);
}
