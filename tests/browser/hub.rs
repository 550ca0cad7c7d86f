//! A model of a hub, its weights in two files: its commit is found, shown and kept in the link.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fairbits::{
    model::source::{git_blob, sha256},
    share::Link,
};
use safetensors::SafeTensors;
use serde_json::{Value, json};
use xtask::server::{Reply, Site};

use crate::languages::{choose, run};
use crate::page::{LOADED, Page, STARTED, dist};

const COMMIT: &str = "89abcdef0123456789abcdef0123456789abcdef";
pub const FILES: [&str; 2] = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];

/// The default model without its card, every other tensor in each file; and what the hub says of it. Made once: a file that is
/// written anew while another test reads it is another file.
fn halved() -> (PathBuf, Value) {
    static MADE: OnceLock<(PathBuf, Value)> = OnceLock::new();
    MADE.get_or_init(make_halves).clone()
}

fn make_halves() -> (PathBuf, Value) {
    let model = dist().join("models/skew-skew");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hub");
    fs::create_dir_all(&folder).unwrap();
    for file in ["config.json", "tokenizer.json"] {
        fs::copy(model.join(file), folder.join(file)).unwrap();
    }
    let bytes = fs::read(model.join("model.safetensors")).unwrap();
    let mut tensors = SafeTensors::deserialize(&bytes).unwrap().tensors();
    tensors.sort_by(|one, other| one.0.cmp(&other.0));
    let of_git = |file: &str| json!({ "rfilename": file, "blobId": git_blob(&fs::read(folder.join(file)).unwrap()) });
    let (mut places, mut siblings) = (serde_json::Map::new(), ["config.json", "tokenizer.json"].map(of_git).to_vec());
    for (half, file) in FILES.into_iter().enumerate() {
        let own: Vec<_> = tensors.iter().skip(half).step_by(2).map(|(name, view)| (name.as_str(), view)).collect();
        places.extend(own.iter().map(|(name, _)| (name.to_string(), json!(file))));
        let bytes = safetensors::serialize(own, None).unwrap();
        siblings.push(json!({ "rfilename": file, "lfs": { "sha256": sha256(&bytes) } }));
        fs::write(folder.join(file), bytes).unwrap();
    }
    fs::write(folder.join("model.safetensors.index.json"), json!({ "weight_map": places }).to_string()).unwrap();
    (folder, json!({ "sha": COMMIT, "siblings": siblings }))
}

/// Pieces of 1 MiB of its weights.
pub fn pieces() -> usize {
    let folder = halved().0;
    FILES.iter().map(|file| fs::metadata(folder.join(file)).unwrap().len().div_ceil(1 << 20) as usize).sum()
}

/// How often weights were asked for.
#[derive(Debug, Default)]
pub struct Asked {
    /// In any way.
    pub all: AtomicUsize,
    /// For what is kept, and not for their size or header alone.
    pub pieces: AtomicUsize,
}

/// The hub, and how often weights were asked for.
fn site() -> (Site, Arc<Asked>) {
    slow_site(Duration::ZERO)
}

/// The same, each answer with weights after a while.
pub fn slow_site(delay: Duration) -> (Site, Arc<Asked>) {
    let (folder, said) = halved();
    let asked_for = Arc::new(Asked::default());
    let count = asked_for.clone();
    let known = ["main", COMMIT].map(|revision| format!("/hub/api/models/org/tiny/revision/{revision}"));
    let site = Site::new(dist()).mount(&format!("/hub/org/tiny/resolve/{COMMIT}/"), folder).hook(move |ask| {
        if ask.path.starts_with("/hub/") && FILES.iter().any(|file| ask.path.ends_with(file)) {
            let about = ask.range.is_some_and(|range| range == "bytes=0-7" || range.starts_with("bytes=8-"));
            count.all.fetch_add(1, Ordering::Relaxed);
            count.pieces.fetch_add(usize::from(!about), Ordering::Relaxed);
            return Reply::Late(delay);
        }
        let asked = known.iter().any(|known| known == ask.path);
        if asked { Reply::Text("application/json", said.to_string()) } else { Reply::File }
    });
    (site, asked_for)
}

/// Types a model in. One of the site is loaded, of any other it is said what it is.
pub fn ask_for(page: &Page, model: &str) {
    page.choose("#model-picker", "other");
    page.fill("#model-url", model);
    page.click("#model-load");
}

/// Types a model in and loads it, unless the preview says what is wrong with it.
pub fn load_typed(page: &Page, model: &str) {
    ask_for(page, model);
    page.wait("a preview or an error", LOADED, || {
        let failed = page.text("#error").is_some_and(|text| !text.is_empty());
        (failed || page.shows("#load-whole")).then_some(())
    });
    if page.shows("#load-whole") {
        page.click("#load-whole");
    }
}

/// The hub is on the page's own server from now on.
pub fn use_mirror(page: &Page) -> Value {
    page.choose("#model-picker", "other");
    let mirror = page.evaluate("return location.origin + '/hub'", vec![]);
    page.fill("#hub", mirror.as_str().expect("an address"));
    mirror
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_model_of_a_hub_is_loaded_at_its_commit_and_links_carry_it() {
    let (site, asked_for) = site();
    let page = Page::open(site, "/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    let mirror = use_mirror(&page);
    ask_for(&page, "org/none");
    let told = page.wait_text("#error", LOADED, |text| !text.is_empty());
    assert!(told.contains("org/none is not on "), "{told}");

    load_typed(&page, "org/tiny");
    page.wait_text("#commit", STARTED + LOADED, |text| text == &COMMIT[..12]);
    choose(&page, &["eng", "kor"], 2);
    let report = run(&page);
    assert_eq!(report["model"], json!("tiny"));
    let link = page.evaluate("return document.querySelector('#share-link').value", vec![]);
    let link = Link::parse(link.as_str().expect("a link")).expect("a link that reads");
    assert_eq!(link.run.model.unwrap().place.to_string(), format!("hub:org/tiny@{COMMIT}"));
    // Opened again, the link in the address finds the model by its commit. The hub's address was kept, and as it is the
    // page's own host nobody is asked.
    assert!(asked_for.all.swap(0, Ordering::Relaxed) > 2 * FILES.len(), "each file came in several pieces");
    page.reload();
    page.wait_for("#opened[data-state=done] #verdict[data-verdict=exact]", STARTED + LOADED);
    page.wait_text("#commit", STARTED, |text| text == &COMMIT[..12]);
    // The weights were kept: of each file only its size was asked.
    assert_eq!(asked_for.all.load(Ordering::Relaxed), FILES.len());
    assert_eq!(page.evaluate("return document.querySelector('#hub').value", vec![]), mirror);
}
