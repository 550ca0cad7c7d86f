//! Tokenizers that fit their model, and those that do not.

use fairbits::model::{
    ModelError,
    config::Config,
    source::Memory,
    tokenizer::{self, MOST_PADDING, Tokenizer},
};
use serde_json::{Value, json};

/// Six tokens: `<|endoftext|>`, a, b, ab, e, U+0301, é.
fn tokenizer_json() -> Value {
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
                    "pad_type_id": 0, "pad_token": "<|endoftext|>"},
        "added_tokens": [{"id": 0, "content": "<|endoftext|>", "single_word": false, "lstrip": false,
                          "rstrip": false, "normalized": false, "special": true}],
        "normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                  "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
                  "vocab": {"<|endoftext|>": 0, "a": 1, "b": 2, "ab": 3, "e": 4, "\u{301}": 5, "é": 6},
                  "merges": ["a b"]}
    })
}

fn parse(json: &Value, config: &str, vocabulary: usize) -> Result<Tokenizer, ModelError> {
    Tokenizer::parse(json.to_string().as_bytes(), &Config::parse(config.as_bytes()).unwrap(), vocabulary)
}

fn sentence(outcome: Result<Tokenizer, ModelError>) -> String {
    outcome.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_text_becomes_ids_whole_and_bare() {
    let tokenizer = parse(&tokenizer_json(), "{}", 7).unwrap();
    // The file asks for truncation to 2 and padding to 9 tokens.
    assert_eq!(tokenizer.encode("abbaab").unwrap(), [3, 2, 1, 3]);
    assert_eq!(tokenizer.encode("").unwrap(), [] as [u32; 0]);
    assert_eq!(tokenizer.vocabulary(), 7);
}

#[test]
fn text_is_normalised_only_if_the_tokenizer_says_so() {
    let plain = parse(&tokenizer_json(), "{}", 7).unwrap();
    assert_eq!(plain.encode("e\u{301}").unwrap(), [4, 5]);
    let mut json = tokenizer_json();
    json["normalizer"] = json!({"type": "NFC"});
    assert_eq!(parse(&json, "{}", 7).unwrap().encode("e\u{301}").unwrap(), [6]);
}

#[test]
fn a_tokenizer_of_another_vocabulary_is_refused_with_both_figures() {
    assert_eq!(sentence(parse(&tokenizer_json(), "{}", 6)), "tokenizer.json: the tokenizer has 7 tokens, the model 6");
    assert!(parse(&tokenizer_json(), "{}", 7 + MOST_PADDING).is_ok());
    assert_eq!(
        sentence(parse(&tokenizer_json(), "{}", 50_257)),
        "tokenizer.json: the tokenizer has 7 tokens, the model 50,257"
    );
    // Few tokens, but one of a high id.
    let mut json = tokenizer_json();
    json["model"]["vocab"]["é"] = json!(900);
    assert_eq!(sentence(parse(&json, "{}", 7)), "tokenizer.json: the tokenizer has 901 tokens, the model 7");
}

#[test]
fn the_token_before_a_text_is_found() {
    let start = |json: &Value, config: &str| parse(json, config, 7).unwrap().text_start();
    assert_eq!(start(&tokenizer_json(), "{}"), Some(0));
    assert_eq!(start(&tokenizer_json(), r#"{"bos_token_id": 4}"#), Some(4));
    // A configuration made from a larger model's defaults.
    assert_eq!(start(&tokenizer_json(), r#"{"bos_token_id": 50256}"#), Some(0));
    let mut json = tokenizer_json();
    json["added_tokens"] = json!([]);
    json["model"]["vocab"] = json!({"a": 1, "b": 2, "ab": 3, "x": 0});
    assert_eq!(start(&json, "{}"), None);
    json["model"]["vocab"] = json!({"a": 1, "b": 2, "ab": 3, "<s>": 0});
    assert_eq!(start(&json, "{}"), Some(0));
}

#[test]
fn what_is_no_tokenizer_is_refused() {
    for wrong in ["{}", "[1]", "<html>", r#"{"model": 1}"#] {
        let said = sentence(Tokenizer::parse(wrong.as_bytes(), &Config::parse(b"{}").unwrap(), 7));
        assert!(said.starts_with("tokenizer.json: is not a tokenizer this program can read: "), "{said}");
    }
    let source = Memory::new([(tokenizer::FILE, "")]);
    let config = Config::parse(b"{}").unwrap();
    let said = sentence(pollster::block_on(Tokenizer::read(&source, &config, 7)));
    assert_eq!(said, "tokenizer.json: is empty");
}
