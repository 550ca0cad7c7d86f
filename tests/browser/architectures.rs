//! Every architecture's tiny model on the pages Languages, Activation, Clipping and Gateway: the figures are those of the native
//! program.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use fairbits::{cli, lab::Report};
use serde_json::{Value, json};
use xtask::server::Site;

use crate::hub::load_typed;
use crate::languages::{choose, run};
use crate::page::{LOADED, Page, STARTED, dist};

/// Sixteen sets at most, of tiny models.
const SEARCHED: Duration = Duration::from_secs(120);
const PAGES: [&str; 3] = ["activation", "clipping", "gateway"];

/// A hundred letters, so that texts in Latin and in Cyrillic script are more than unknown tokens.
pub fn tokenizer() -> String {
    let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(" .,;:'-()".chars()).chain('а'..='я');
    let vocabulary: serde_json::Map<String, Value> =
        letters.take(100).enumerate().map(|(at, letter)| (letter.to_string(), json!(at + 1))).collect();
    let mut all = serde_json::Map::from_iter([("<|endoftext|>".to_string(), json!(0))]);
    all.extend(vocabulary);
    json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": false},
        "decoder": null,
        "added_tokens": [{"id": 0, "content": "<|endoftext|>", "single_word": false, "lstrip": false, "rstrip": false,
                          "normalized": false, "special": true}],
        "model": {"type": "WordLevel", "vocab": all, "unk_token": "<|endoftext|>"},
    })
    .to_string()
}

/// The tiny models, each with the tokenizer; and their names.
fn tiny_models() -> (PathBuf, Vec<String>) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tiny");
    let mut names = Vec::new();
    for folder in fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()) {
        if !folder.join("model.safetensors").is_file() {
            continue;
        }
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        fs::create_dir_all(root.join(&name)).unwrap();
        for file in ["config.json", "model.safetensors"] {
            fs::copy(folder.join(file), root.join(&name).join(file)).unwrap();
        }
        fs::write(root.join(&name).join("tokenizer.json"), tokenizer()).unwrap();
        names.push(name);
    }
    names.sort();
    (root, names)
}

fn native(root: &Path, shown: &Value) -> Value {
    let config = serde_json::from_value::<Report>(shown.clone()).expect("a report").config();
    let model = cli::load(root.join(shown["model"].as_str().expect("the model's name"))).expect("the same model");
    serde_json::to_value(cli::measure(&model, dist(), &config).expect("the same run")).unwrap()
}

/// Waits until a model with the tokenizer above is there.
pub fn wait_for_tiny(page: &Page) {
    page.wait("the tiny model", LOADED, || {
        let loaded = page.text("#model[data-state=loaded] .facts").unwrap_or_default();
        (loaded.contains("Vocabulary101") && page.text("#run:not(:disabled)").is_some()).then_some(())
    });
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn every_architecture_runs_on_four_pages() {
    let (root, names) = tiny_models();
    assert!(names.len() >= 13, "{names:?}");
    let page = Page::open(Site::new(dist()).mount("/tiny/", &root), "/#/?backend=cpu");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    for name in names {
        page.go("/#/?backend=cpu");
        load_typed(&page, &format!("/tiny/{name}"));
        wait_for_tiny(&page);
        choose(&page, &["eng", "rus"], 2);
        let shown = run(&page);
        assert_eq!(shown["model"], json!(name));
        assert_eq!(shown, native(&root, &shown), "{name}: languages");
        for path in PAGES {
            page.go(&format!("/#/{path}?backend=cpu"));
            // Sets of three layers, which are the usual choice, are more than most of them have.
            let one = "input[name=budgets][value='1']";
            if path == "gateway" {
                page.wait("sets of one layer", STARTED, || page.shows(&format!("label:has(> {one})")).then_some(()));
                let script = "return document.querySelector(arguments[0]).checked";
                if page.evaluate(script, vec![json!(one)]) == json!(false) {
                    page.click(&format!("label:has(> {one})"));
                }
            }
            page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Run");
            let mut shown = run(&page);
            if path == "gateway" {
                page.wait_for("#result[data-state=whole]", SEARCHED);
                page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Run");
                shown = page.report();
            }
            assert_eq!(shown["model"], json!(name));
            assert_eq!(shown, native(&root, &shown), "{name}: {path}");
        }
        assert_eq!(page.text("#error").unwrap_or_default(), "", "{name}");
    }
}
