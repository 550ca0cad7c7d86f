//! The Dial page: turn, run, and what is shown is what the native program reports.

use fairbits::lab::{Report, dial};
use fairbits::report::labels::as_sentence;
use serde_json::json;

use crate::languages::run;
use crate::page::STARTED;
use crate::weights::{figure, native, open, saved};

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_dial_page_shows_what_the_native_program_reports() {
    let page = open("dial");
    page.click("#languages-none");
    for code in ["eng", "kor", "ell"] {
        page.click(&format!("label:has(> input[name=language][value={code}])"));
    }
    page.fill("#units", "2");
    page.fill("#resamples", "200");
    page.fill("#permutations", "200");
    page.fill("#furthest", "4");
    page.choose("#stops", "ends");
    page.choose("#layers-choice", "listed");
    page.fill("#listed", "0-12");
    assert!(page.text("#run-hint").unwrap().contains("Layer 12 is not there"), "{:?}", page.text("#run-hint"));
    page.fill("#listed", "1-3, 8");
    let hint = page.text("#run-hint").unwrap();
    assert_eq!(hint, "6 texts, each read 9 times: 3 points of the dial, in full precision and under 2 roundings.");
    let shown = run(&page);
    assert_eq!(shown["config"]["listed"], json!([1, 2, 3, 8]));
    assert_eq!((&shown["config"]["furthest"], &shown["config"]["stops"]), (&json!(4), &json!("ends")));
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Dial(report) = native else { panic!("another analysis") };

    // The proof: two turned models, six texts, a loss of 64 bits each.
    let proof = "Full-precision losses: identical, 768 of 768 bits equal (2 turned models against the model as it is).";
    assert_eq!(page.text("#proof[data-holds=true]").as_deref(), Some(proof));
    let at_absmax = |point| {
        let of =
            |outcome: &&dial::Outcome| (outcome.point, outcome.rule) == (point, fairbits::math::clipping::Rule::Absmax);
        &report.outcomes.iter().find(of).expect("every point has every rule").cost
    };
    for (point, of) in report.points.iter().enumerate() {
        assert_eq!(figure(&page, "points", &format!("point-{point}"), "max_kurtosis"), of.max_kurtosis);
        let disparity = at_absmax(point).disparity.expect("three trained languages").value;
        assert_eq!(figure(&page, "disparity-table", &format!("absmax-point-{point}"), "disparity"), disparity);
        assert!(page.shows(&format!("#disparity [data-key=optimal-point-{point}]")));
        for language in &report.languages {
            assert!(page.shows(&format!("#losses [data-key={}-point-{point}]", language.code)));
        }
    }
    // The table of D holds every language at every point, in their order.
    let script = "return [...document.querySelectorAll('#table tr[data-language] td[data-figure=degradation]')].map((cell) => \
                  Number(cell.dataset.value))";
    let ought: Vec<f64> = (0..report.languages.len())
        .flat_map(|language| (0..report.points.len()).map(move |point| (language, point)))
        .map(|(language, point)| at_absmax(point).degradation[language].value)
        .collect();
    assert_eq!(page.evaluate(script, vec![]), json!(ought));
    // Verdicts, in the words of the report.
    for verdict in &report.verdicts {
        let rule = serde_json::to_value(verdict.rule).unwrap();
        let row = format!("#verdicts tr[data-row='{:?}-4bit-{}']", verdict.claim, rule.as_str().unwrap());
        assert_eq!(
            page.text(&format!("{row} td[data-figure=because]")).as_deref(),
            Some(as_sentence(&verdict.because).as_str())
        );
    }
    // Another rounding, without another run.
    assert!(page.text("#sentence").unwrap().starts_with("At 4 bits under the rule “largest weight (absmax)”"));
    page.choose("#pick", "4bit-optimal");
    page.wait_text("#sentence", STARTED, |text| text.starts_with("At 4 bits under the rule “least squared error”"));
    let (name, csv) = saved(&page, "#losses-csv");
    assert!(name.ends_with("-dial-4bit-optimal.csv"), "{name}");
    assert_eq!(csv.lines().count(), 1 + 9);
    assert!(saved(&page, "#disparity-svg").1.contains("max κ over layers (logarithmic)"));
    page.evaluate("document.querySelector('#losses [data-key=kor-point-1]').focus({ preventScroll: true })", vec![]);
    let readout = page.text("#losses-readout").unwrap();
    assert!(readout.starts_with("Korean (") && readout.contains("s = 16, max κ"), "{readout}");
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("dial");
}
