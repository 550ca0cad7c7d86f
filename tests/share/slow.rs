//! A model whose tokenizer no check refuses, and which does not come to its end.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

/// Tokens of the model, and letters that a word may have at most.
const VOCABULARY: usize = 4096;
const LONGEST_WORD: usize = 1000;

/// Each letter becomes a word as long as it may be, of which every part is looked up once from every letter on: a quarter of a
/// second for a letter of the text.
fn tokenizer() -> Value {
    let mut vocabulary = serde_json::Map::new();
    for (id, token) in ["<unk>", "x", "##x"].into_iter().enumerate() {
        vocabulary.insert(token.into(), json!(id));
    }
    vocabulary.extend((3..VOCABULARY).map(|id| (format!("t{id}"), json!(id))));
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "post_processor": null, "decoder": null,
        "normalizer": {"type": "Replace", "pattern": {"Regex": "[a-z]"}, "content": "x".repeat(LONGEST_WORD)},
        "pre_tokenizer": {"type": "FixedLength", "length": LONGEST_WORD},
        "model": {"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": LONGEST_WORD, "vocab": vocabulary},
    })
}

/// The default model of a site with that tokenizer, in a folder below `scratch`.
pub fn model(site: &Path, scratch: &Path) -> PathBuf {
    let folder = scratch.join("slow-tokenizer");
    fs::create_dir_all(&folder).unwrap();
    for file in ["config.json", "model.safetensors"] {
        fs::copy(site.join("models/skew-skew").join(file), folder.join(file)).unwrap();
    }
    fs::write(folder.join("tokenizer.json"), tokenizer().to_string()).unwrap();
    folder
}
