//! Looking inside: a matrix from the Weights page, a text from the Languages page, a symbol wherever it stands.

use std::time::Duration;

use fairbits::lab::matrix;
use fairbits::lab::{Report, tokens};
use serde_json::{Value, json};
use xtask::server::Site;

use crate::languages::{choose, run};
use crate::page::{Page, STARTED, dist};
use crate::weights::{native, open, saved};

/// A look on a shared machine.
const LOOK: Duration = Duration::from_secs(90);

fn attribute(page: &Page, selector: &str, name: &str) -> Value {
    page.evaluate(
        "return document.querySelector(arguments[0])?.getAttribute(arguments[1])",
        vec![json!(selector), json!(name)],
    )
}

/// Sends a key to what has focus.
fn press(page: &Page, key: &str) {
    let script =
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0], bubbles: true }))";
    page.evaluate(script, vec![json!(key)]);
}

/// Red, green, blue and opacity of a picture's cell.
fn painted(page: &Page, picture: &str, (row, column): (usize, usize)) -> Value {
    let script = "const canvas = document.querySelector(arguments[0]); \
                  return [...canvas.getContext('2d').getImageData(arguments[1], arguments[2], 1, 1).data]";
    page.evaluate(script, vec![json!(format!("#picture-{picture}")), json!(column), json!(row)])
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_matrix_is_looked_into_from_the_weights_page() {
    let page = open("weights");
    run(&page);
    assert!(page.text("#inside").unwrap().starts_with("Click a matrix"), "{:?}", page.text("#inside"));
    page.click("#heat [data-key=down-3]");
    page.wait("three pictures", LOOK, || page.shows("#picture-difference").then_some(()));
    assert!(page.text("#inside h3").unwrap().starts_with("Layer 3, MLP down, before and after rounding to 3 bits"));
    // More bits, at once, and the button keeps the focus.
    page.click("#inside-bits-2");
    page.wait("2 bits", LOOK, || (attribute(&page, "#inside-bits-2", "aria-pressed") == json!("true")).then_some(()));
    let focused = "return document.activeElement.id";
    page.wait("the focus", STARTED, || (page.evaluate(focused, vec![]) == json!("inside-bits-2")).then_some(()));
    // The same on a page of its own: the report is that of the native program, to the bit.
    page.click("#inside a[href='#/matrix']");
    page.wait_for("#result", STARTED);
    let shown = page.report();
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Matrix(report) = native else { panic!("another analysis") };
    assert_eq!((report.config.layer, report.channels), (3, (512, 128)));
    assert_eq!((report.cell, report.size), ((4, 1), (128, 128)), "a cell is as many weights as it must be");
    // What is painted is what is reported, on one scale.
    let scale = matrix::scale(&report);
    for (at, (full, rounded)) in report.full.iter().zip(&report.quantized).enumerate().step_by(997) {
        let place = (at / 128, at % 128);
        assert_eq!(painted(&page, "full", place), json!(scale.pixel(*full)), "cell {place:?}");
        assert_eq!(painted(&page, "quantized", place), json!(scale.pixel(*rounded)), "cell {place:?}");
    }
    // Keys: from the middle to the right, then closer, to single weights.
    page.evaluate("document.getElementById('pictures').focus()", vec![]);
    press(&page, "ArrowRight");
    let told = page.wait_text("#pictures-readout", STARTED, |text| text.starts_with("inputs 256 to 259, output 65:"));
    assert!(told.contains(" before, ") && told.contains(" after, difference "), "{told}");
    press(&page, "Enter");
    page.wait_text("#matrix-figures [data-figure=cell]", LOOK, |text| text.contains("every cell is one weight"));
    let closer = page.report();
    assert_eq!(closer["window"], json!({"inputs": [194, 322], "outputs": [0, 128]}));
    assert!(
        page.evaluate("return location.hash", vec![]).as_str().unwrap().starts_with("#/matrix?run=1."),
        "it has a link"
    );
    page.click("#whole-matrix");
    page.wait_text("#matrix-figures [data-figure=cell]", LOOK, |text| text.contains("4 × 1"));
    let (name, csv) = saved(&page, "#pictures-csv");
    assert!(name.ends_with("layer-3-down-2bit-cells.csv"), "{name}");
    assert_eq!(csv.lines().count(), 1 + 128 * 128);
    let png = "const done = arguments[arguments.length - 1]; const made = URL.createObjectURL; \
               URL.createObjectURL = (blob) => { blob.arrayBuffer().then((data) => done([...new Uint8Array(data.slice(0, 4))])); \
               return made.call(URL, blob); }; document.getElementById('pictures-png').click();";
    assert_eq!(page.evaluate_later(png), json!([0x89, 0x50, 0x4E, 0x47]), "a PNG");
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("matrix");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_text_is_looked_into_from_the_languages_page() {
    let page = open("");
    choose(&page, &["eng", "kor", "ara", "amh"], 3);
    run(&page);
    page.click("#inside [data-unit='2']");
    page.wait("the texts", LOOK, || page.shows("#texts [data-language=kor] .token").then_some(()));
    // Right-to-left where the language is, with its name in its own script.
    assert_eq!(attribute(&page, "#texts [data-language=ara] .tokens", "dir"), json!("rtl"));
    assert_eq!(page.text("#texts [data-language=ara] .own").as_deref(), Some("العربية"));
    page.click("#inside a[href='#/tokens']");
    page.wait_for("#result", STARTED);
    let shown = page.report();
    let native = native(&shown);
    assert_eq!(shown, serde_json::to_value(&native).unwrap(), "the same bits");
    let Report::Tokens(report) = native else { panic!("another analysis") };
    assert_eq!((report.config.unit, report.rows.len()), (2, 4));
    for row in &report.rows {
        let text = format!("#texts [data-language={}] .tokens", row.language.code);
        let counted =
            "return [...document.querySelectorAll(arguments[0])].reduce((sum, own) => sum + +own.dataset.count, 0)";
        let marked = page.evaluate(counted, vec![json!(format!("{text} [data-at]"))]);
        assert_eq!(marked, json!(row.tokens.len()), "each token once");
        let written = page.evaluate("return document.querySelector(arguments[0]).textContent", vec![json!(text)]);
        let bytes = |token: &tokens::Token| match (&token.text, &token.bytes) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, hex) => {
                let hex = hex.as_deref().unwrap_or_default();
                (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
            }
        };
        let whole: Vec<u8> = row.tokens.iter().flat_map(bytes).collect();
        assert_eq!(written.as_str().unwrap(), str::from_utf8(&whole).unwrap(), "the text, character by character");
    }
    // A character of several tokens has its stripes, as in Amharic, which the model never saw.
    let striped = "return document.querySelector('#texts [data-language=amh] [data-tints]').style.background";
    page.wait("stripes", STARTED, || {
        page.evaluate(striped, vec![]).as_str().filter(|own| own.contains("linear-gradient(to right")).map(|_| ())
    });
    // Keys: in Arabic what comes next is to the left.
    page.evaluate("document.querySelector('#texts [data-language=ara] .tokens').focus()", vec![]);
    press(&page, "ArrowLeft");
    press(&page, "ArrowLeft");
    let groups = fairbits::lab::tokens::groups(&report.rows[2].tokens);
    let at = page.evaluate("return document.activeElement.dataset.at", vec![]);
    assert_eq!(at, json!(groups[1].tokens.start.to_string()));
    let told = page.wait_text("#tokens-readout", STARTED, |text| text.starts_with("Arabic: "));
    let (full, quantized) = report.rows[2].tokens[groups[1].tokens.start].nats.expect("it is scored");
    let bits = |nats: f64| format!("{:.2}", nats / std::f64::consts::LN_2);
    assert!(told.contains(&format!("{} bits before, {} after", bits(full), bits(quantized))), "{told}");
    // On to the next text, and every token as a file.
    page.click("#unit-after");
    page.wait_text("#result-heading", LOOK, |text| text.starts_with("Article 3"));
    let (name, csv) = saved(&page, "#tokens-csv");
    assert!(name.ends_with("udhr-3-3bit-tokens.csv"), "{name}");
    let tokens: usize =
        page.report()["rows"].as_array().unwrap().iter().map(|row| row["tokens"].as_array().unwrap().len()).sum();
    assert_eq!(csv.split("\r\n").count(), tokens + 2);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
    page.screenshot("tokens");
}

/// Law: a look below a quick look, which reads some of the languages, is in all that are chosen, and all stay chosen.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_look_inside_keeps_every_language_that_is_chosen() {
    let page = open("");
    page.wait_for("#quick[data-state=done]", LOOK);
    let count =
        |selector: &str| page.evaluate("return document.querySelectorAll(arguments[0]).length", vec![json!(selector)]);
    let chosen = count("input[name=language]:checked");
    page.wait("fewer languages in the quick look", LOOK, || {
        (page.shows("#inside [data-unit='2']") && count("#table tr[data-language]") != chosen).then_some(())
    });
    page.click("#inside [data-unit='2']");
    page.wait("the texts", LOOK, || page.shows("#texts .token").then_some(()));
    assert_eq!(count("#texts [data-language]"), chosen, "each in its own text");
    assert_eq!(count("input[name=language]:checked"), chosen, "as many as before");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_symbol_says_what_it_is() {
    let page = Page::open(Site::new(dist()), "/#/workshop?view=tour-where-to-clip");
    page.wait_for(".exercise .term", STARTED);
    let term = "document.querySelector('.exercise .term')";
    let shown = |page: &Page| {
        page.evaluate(
            "return [...document.querySelectorAll('.note-card')].filter((card) => card.checkVisibility()).length",
            vec![],
        )
    };
    assert_eq!(shown(&page), json!(0));
    page.evaluate(&format!("{term}.focus()"), vec![]);
    page.wait("its note", STARTED, || (shown(&page) == json!(1)).then_some(()));
    // The note is the symbol's description, has an equation that the browser draws, and lies within the window.
    let script = format!(
        "const card = document.getElementById({term}.getAttribute('aria-describedby')); \
         const [box, math] = [card, card.querySelector('math')].map((own) => own.getBoundingClientRect()); \
         return [card.textContent.includes('clipping threshold'), math.width > 20 && math.height > 8, \
                 box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight, \
                 card.querySelector('math').namespaceURI]"
    );
    assert_eq!(page.evaluate(&script, vec![]), json!([true, true, true, "http://www.w3.org/1998/Math/MathML"]));
    page.screenshot("term");
    press(&page, "Escape");
    page.wait("the note to go", STARTED, || (shown(&page) == json!(0)).then_some(()));
    // A heading of a table has its note, and still sorts.
    page.go("/#/weights");
    page.wait_for("#model[data-state=loaded]", STARTED);
    run(&page);
    page.evaluate("document.querySelector('#table th[data-figure=kurtosis] button').focus()", vec![]);
    page.wait("its note", STARTED, || (shown(&page) == json!(1)).then_some(()));
    page.click("#table th[data-figure=kurtosis] button");
    page.wait("the order", STARTED, || {
        (attribute(&page, "#table th[data-figure=kurtosis]", "aria-sort") == json!("descending")).then_some(())
    });
}
