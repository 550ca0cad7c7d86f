//! What the browser's memory has room for.

use std::{fs, io::Write, path::PathBuf};

use serde_json::{Value, json};
use xtask::server::Site;

use crate::page::{LOADED, Page, STARTED, dist};

fn look_up(page: &Page, model: &str) {
    page.choose("#model-picker", "other");
    page.fill("#model-url", model);
    page.click("#model-load");
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
}
