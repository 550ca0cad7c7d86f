//! What the browser has room for, on its disk and in its memory.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::PathBuf,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use fairbits::share::{Link, Place, View};
use serde_json::{Value, json};
use xtask::server::{Line, Reply, Site};

use crate::hub::{self, load_typed};
use crate::languages::{choose, run};
use crate::links::natively;
use crate::loading::{elsewhere, native};
use crate::page::{LOADED, Page, STARTED, dist};

fn look_up(page: &Page, model: &str) {
    page.choose("#model-picker", "other");
    page.fill("#model-url", model);
    page.click("#model-load");
}

/// Where the disk is full the run goes on from memory and says so; nothing leaves by itself, and the model that was read longest
/// ago leaves when the person says so.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_full_disk_is_told_and_the_oldest_model_leaves_with_consent() {
    let (site, _) = hub::slow_site(std::time::Duration::ZERO);
    // A line makes the server name versions, by which files can be kept.
    let page = Page::open(site.mount("/elsewhere/", elsewhere()).line(Line::new(1e9)), "/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    hub::use_mirror(&page);
    load_typed(&page, "org/tiny");
    page.wait_text("#commit", LOADED, |text| !text.is_empty());
    let used = page.evaluate_later(
        "const done = arguments[0]; navigator.storage.estimate().then((estimate) => done(estimate.usage))",
    );
    page.allow_bytes(used.as_u64().expect("bytes in use") + (2 << 20));

    look_up(&page, "/elsewhere");
    page.wait_for("#load-whole", LOADED);
    page.click("#load-whole");
    page.wait_text("#notice", LOADED, |text| text.contains("no room to keep model.safetensors for the next visit"));
    let offer = page.wait_for("#make-room", LOADED);
    assert!(offer.starts_with("Remove tiny (") && offer.ends_with("which was read longest ago"), "{offer}");
    page.screenshot("full-disk");
    choose(&page, &["eng", "kor"], 2);
    let shown = run(&page);
    assert_eq!(shown, native(elsewhere(), &shown), "the run went on from memory");
    assert!(page.text("#kept-models").is_some_and(|kept| kept.contains("tiny")), "nothing leaves by itself");

    page.click("#make-room");
    page.wait("tiny has left", STARTED, || {
        (!page.shows("#make-room") && page.text("#kept-models").is_none_or(|kept| !kept.contains("tiny"))).then_some(())
    });
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

/// Bytes of what is kept as one.
const PIECE: u64 = 1 << 20;
/// One piece after another comes, each in this time.
const PIECE_TAKES: Duration = Duration::from_millis(2000);
/// What was sent so long ago is kept, on a machine that does other things too.
const KEPT: Duration = Duration::from_millis(1500);

/// A browser, counted from 0, and the pieces that were sent to it, each with when.
type Sent = (usize, Vec<(u64, Instant)>);

/// The piece that a range asks for; none for a smaller range.
fn piece(range: &str, size: u64) -> Option<u64> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    (first.is_multiple_of(PIECE) && last + 1 == size.min(first + PIECE)).then_some(first / PIECE)
}

/// Law: a browser that is killed while pieces of a model are on their way, or being written, has lost no piece that was whole. The
/// next one fetches the rest, and the run has the native bits.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_browser_killed_in_mid_download_fetches_only_the_rest() {
    let size = fs::metadata(elsewhere().join("model.safetensors")).unwrap().len();
    let sent: Arc<Mutex<Sent>> = Arc::default();
    let (noted, turn) = (sent.clone(), Mutex::new(()));
    let site = Site::new(dist()).mount("/elsewhere/", elsewhere()).line(Line::new(1e9)).hook(move |ask| {
        let of_weights = ask.path == "/elsewhere/model.safetensors" && ask.method == "GET";
        if let Some(piece) = ask.range.filter(|_| of_weights).and_then(|range| piece(range, size)) {
            let asking = noted.lock().unwrap().0;
            let _turn = turn.lock().unwrap();
            // A browser that was killed meanwhile has no turn.
            if noted.lock().unwrap().0 == asking {
                thread::sleep(PIECE_TAKES);
                let (browser, sent) = &mut *noted.lock().unwrap();
                sent.extend((*browser == asking).then(|| (piece, Instant::now())));
            }
        }
        Reply::File
    });
    let mut page = Page::open(site, "/");
    let all = size.div_ceil(PIECE) as usize;
    let mut whole = BTreeSet::new();
    for pieces in [3, 2] {
        page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
        load_typed(&page, "/elsewhere");
        // The last of them is on its way, or just being written.
        page.wait("some pieces", LOADED, || (sent.lock().unwrap().1.len() >= pieces).then_some(()));
        let killed = Instant::now();
        page.kill_browser();
        let came = {
            let (browser, sent) = &mut *sent.lock().unwrap();
            *browser += 1;
            std::mem::take(sent)
        };
        for (piece, when) in came {
            assert!(!whole.contains(&piece), "piece {piece} was kept and came once more");
            whole.extend((when + KEPT < killed).then_some(piece));
        }
        page.start_again("/");
    }
    assert!(whole.len() >= 3 && whole.len() < all, "{whole:?} of {all}");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    load_typed(&page, "/elsewhere");
    page.wait_for("#model[data-state=loaded]", LOADED);
    let rest: BTreeSet<u64> = sent.lock().unwrap().1.iter().map(|(piece, _)| *piece).collect();
    assert!(!rest.is_empty() && rest.is_disjoint(&whole), "{rest:?} came after {whole:?}");
    choose(&page, &["eng", "kor"], 2);
    let shown = run(&page);
    assert_eq!(shown, native(elsewhere(), &shown), "the same bits");
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}

/// Config and header of a Llama of 1.1 billion parameters; its weights are a hole in a file, which a preview does not read.
fn large() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("large");
    fs::create_dir_all(&folder).unwrap();
    let config = json!({
        "model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22,
        "num_attention_heads": 32, "num_key_value_heads": 4, "max_position_embeddings": 2048, "vocab_size": 32000,
        "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": false,
    })
    .to_string();
    let spec = fairbits::arch::spec(&fairbits::model::config::Config::parse(config.as_bytes()).unwrap()).unwrap();
    let (mut header, mut end) = (serde_json::Map::new(), 0);
    for tensor in spec.tensors() {
        let begin = end;
        end += 4 * tensor.shape.iter().map(|n| *n as u64).product::<u64>();
        header.insert(tensor.name, json!({ "dtype": "F32", "shape": tensor.shape, "data_offsets": [begin, end] }));
    }
    let header = Value::Object(header).to_string();
    fs::write(folder.join("config.json"), config).unwrap();
    let mut file = fs::File::create(folder.join("model.safetensors")).unwrap();
    file.write_all(&(header.len() as u64).to_le_bytes()).unwrap();
    file.write_all(header.as_bytes()).unwrap();
    file.set_len(8 + header.len() as u64 + end).unwrap();
    folder
}

/// What no program in a browser can address is said before the download, with what would fit; and a request for it is refused.
#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_model_beyond_four_gigabytes_is_offered_packed() {
    let page = Page::open(Site::new(dist()).mount("/large/", large()), "/");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    look_up(&page, "/large");
    let told = page.wait_for("#preview", LOADED);
    assert!(
        told.contains("llama: 22 layers of 2,048 channels") && told.contains("cannot address more than 4 GB"),
        "{told}"
    );
    assert!(told.contains("What fits is to hold it packed") && told.contains("few languages and texts"), "{told}");
    assert!(page.shows("#load-packed.primary") && page.shows("#load-weights") && !page.shows("#load-whole"));
    page.screenshot("too-large");
    page.click("#load-not");
    page.wait("no preview", STARTED, || (!page.shows("#preview")).then_some(()));

    // A link asks for all of it: it is told what would fit, and can choose it.
    let config = serde_json::from_value(json!({ "analysis": "weights", "threshold": 5.0 })).expect("a run");
    let link = Link::of(&natively(&config), Place::parse("large").unwrap(), View::default()).unwrap();
    page.go(&format!("/{link}"));
    page.reload();
    page.wait_for("#load-packed.primary", STARTED + LOADED);
    let error = page.wait_text("#error", LOADED, |text| !text.is_empty());
    assert!(error.contains("cannot address more than 4 GB"), "{error}");
}
