//! Before a model is loaded and without holding it: the preview, looking through, files of this device, what is kept, two tabs.

use std::{fs, path::PathBuf, sync::atomic::Ordering, time::Duration};

use fairbits::{cli, lab::Report};
use serde_json::Value;
use xtask::server::Site;

use crate::hub::{self, load_typed};
use crate::languages::{choose, run};
use crate::page::{LOADED, Page, STARTED, dist};

/// Twelve sets of one layer.
const SEARCHED: Duration = Duration::from_secs(120);

/// The default model without its card, as a folder elsewhere.
pub fn elsewhere() -> PathBuf {
    let (model, folder) =
        (dist().join("models/skew-skew"), PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("elsewhere"));
    fs::create_dir_all(&folder).unwrap();
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        fs::copy(model.join(file), folder.join(file)).unwrap();
    }
    folder
}

/// The same configuration, run natively on the same files, which are held.
pub fn native(folder: PathBuf, shown: &Value) -> Value {
    let config = serde_json::from_value::<Report>(shown.clone()).expect("a report").config();
    serde_json::to_value(cli::measure(&cli::load(folder).expect("the model"), dist(), &config).expect("a run")).unwrap()
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_model_is_previewed_and_looked_through_with_the_bits_of_a_held_one() {
    let page = Page::open(Site::new(dist()).mount("/elsewhere/", elsewhere()), "/#/weights");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    page.choose("#model-picker", "other");
    page.fill("#model-url", "/elsewhere");
    page.click("#model-load");
    let told = page.wait_for("#preview", LOADED);
    assert!(told.contains("gpt2: 12 layers of 128 channels") && told.contains("It fits."), "{told}");
    page.screenshot("preview");
    page.click("#load-weights");
    page.wait_for("#looked-through", LOADED);
    let shown = run(&page);
    assert_eq!(shown, native(elsewhere(), &shown), "Weights: the same bits");
    page.go("/#/clipping");
    page.click("#languages-none");
    page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Run");
    let shown = run(&page);
    assert_eq!(shown, native(elsewhere(), &shown), "Clipping: the same bits, read again tensor by tensor");
    page.go("/#/");
    page.click("#languages-trained");
    page.wait_text("#run-hint", STARTED, |text| text.contains("Load it whole or packed to run texts"));
    assert_eq!(page.evaluate("return document.querySelector('#run').disabled", vec![]), Value::Bool(true));
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn files_of_this_device_are_read_in_place_and_have_no_link() {
    let page = Page::open(Site::new(dist()), "/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    page.choose("#model-picker", "other");
    let folder = elsewhere();
    page.choose_files("#files", &[folder.join("tokenizer.json")]);
    let told = page.wait_text("#error", STARTED, |text| !text.is_empty());
    assert!(told.contains("There is no config.json among the files"), "{told}");
    page.choose_files("#folder", std::slice::from_ref(&folder));
    page.wait_for("#preview", LOADED);
    page.click("#load-whole");
    page.wait("the model", LOADED, || page.text("#model[data-state=loaded] .facts"));
    choose(&page, &["eng", "kor"], 2);
    let shown = run(&page);
    assert_eq!(shown["model"], Value::from("elsewhere"));
    assert_eq!(shown, native(folder, &shown), "the same bits");
    let told = page.wait_for("#share-none", STARTED);
    assert!(told.contains("files of this device, which nobody else can fetch"), "{told}");
}

/// A folder is dropped with another inside it, with a hidden one, and with a file whose name no source would ask for.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_folder_is_dropped_and_its_model_is_held_packed() {
    let outer = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dropped");
    fs::remove_dir_all(&outer).ok();
    for folder in ["inner/.hidden", "a/b/c/d"] {
        fs::create_dir_all(outer.join(folder)).unwrap();
    }
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        fs::copy(elsewhere().join(file), outer.join("inner").join(file)).unwrap();
    }
    for (file, text) in [("inner/.hidden/config.json", "{}"), ("a/b/c/d/config.json", "{}"), ("inner/<b>x&", "x")] {
        fs::write(outer.join(file), text).unwrap();
    }
    let page = Page::open(Site::new(dist()), "/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    page.choose("#model-picker", "other");
    page.drop_files("#drop", std::slice::from_ref(&outer));
    let told = page.wait_for("#preview", LOADED);
    assert!(told.starts_with("inner") && told.contains("gpt2: 12 layers of 128 channels"), "{told}");
    page.click("#load-packed");
    let told = page.wait_for("#held-packed", LOADED);
    assert!(told.contains("read again for each batch of texts"), "{told}");
    page.screenshot("packed");
    choose(&page, &["eng", "kor"], 2);
    let shown = run(&page);
    assert_eq!(shown, native(outer.join("inner"), &shown), "Languages: the same bits, layer by layer");
    page.go("/#/gateway");
    let one = "label:has(> input[name=budgets][value='1'])";
    page.wait("sets of one layer", STARTED, || page.shows(one).then_some(()));
    page.click(one);
    page.click("label:has(> input[name=budgets][value='3'])");
    page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Run");
    run(&page);
    page.wait_for("#result[data-state=whole]", SEARCHED);
    page.wait_text("#run:not(:disabled)", STARTED, |text| text == "Run");
    let shown = page.report();
    assert_eq!(shown, native(outer.join("inner"), &shown), "Gateway: the same bits");
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn two_tabs_share_one_download_and_what_is_kept_can_be_removed() {
    let (site, asked_for) = hub::slow_site(Duration::from_millis(1500));
    let page = Page::open(site, "/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    hub::use_mirror(&page);
    page.choose("#model-picker", "other");
    page.fill("#model-url", "org/tiny");
    page.click("#model-load");
    page.wait_for("#preview", LOADED);
    page.click("#load-whole");
    page.wait_for("#model[data-state=loading]", STARTED);
    let first = page.second_tab("/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    load_typed(&page, "org/tiny");
    page.wait_text("#commit", LOADED, |text| !text.is_empty());
    page.switch_to(first);
    page.wait_text("#commit", LOADED, |text| !text.is_empty());
    // Each tab asked what the files are, and only one for their pieces, once for each.
    let pieces = hub::pieces();
    assert_eq!(asked_for.pieces.load(Ordering::Relaxed), pieces, "each piece is asked for once");
    page.fill("#model-url", "org/tiny");
    page.click("#model-load");
    let kept = page.wait_for("#kept-models", STARTED);
    assert!(kept.contains("Kept in this browser") && kept.contains("in 1 model") && kept.contains("tiny"), "{kept}");
    page.screenshot("kept");
    page.click("#kept-models summary");
    page.click("#kept-models button");
    page.wait("nothing is kept", STARTED, || page.text("#kept-models").is_none().then_some(()));
}
