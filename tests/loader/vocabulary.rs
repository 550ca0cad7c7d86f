//! Tokenizers that fit their model, and those that do not.

use fairbits::model::{
    ModelError,
    source::Memory,
    tokenizer::{self, Files, MOST_PADDING, Tokenizer},
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

fn parse(json: &Value, vocabulary: usize) -> Result<Tokenizer, ModelError> {
    Tokenizer::parse(json.to_string().as_bytes(), None, vocabulary)
}

fn sentence(outcome: Result<Tokenizer, ModelError>) -> String {
    outcome.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_text_becomes_ids_whole_and_bare() {
    let tokenizer = parse(&tokenizer_json(), 7).unwrap();
    // The file asks for truncation to 2 and padding to 9 tokens.
    assert_eq!(tokenizer.encode("abbaab").unwrap(), [3, 2, 1, 3]);
    assert_eq!(tokenizer.encode("").unwrap(), [] as [u32; 0]);
    assert_eq!(tokenizer.vocabulary(), 7);
}

#[test]
fn text_is_normalised_only_if_the_tokenizer_says_so() {
    let plain = parse(&tokenizer_json(), 7).unwrap();
    assert_eq!(plain.encode("e\u{301}").unwrap(), [4, 5]);
    let mut json = tokenizer_json();
    json["normalizer"] = json!({"type": "NFC"});
    assert_eq!(parse(&json, 7).unwrap().encode("e\u{301}").unwrap(), [6]);
}

#[test]
fn a_tokenizer_of_another_vocabulary_is_refused_with_both_figures() {
    assert_eq!(sentence(parse(&tokenizer_json(), 6)), "tokenizer.json: the tokenizer has 7 tokens, the model 6");
    assert!(parse(&tokenizer_json(), 7 + MOST_PADDING).is_ok());
    assert_eq!(
        sentence(parse(&tokenizer_json(), 50_257)),
        "tokenizer.json: the tokenizer has 7 tokens, the model 50,257"
    );
    // Few tokens, but one of a high id.
    let mut json = tokenizer_json();
    json["model"]["vocab"]["é"] = json!(900);
    assert_eq!(sentence(parse(&json, 7)), "tokenizer.json: the tokenizer has 901 tokens, the model 7");
}

/// What transformers puts before a text, for every kind of post-processor and setting; `starts_golden.py` asked it.
#[test]
fn what_stands_before_a_text_is_what_transformers_puts_there() {
    let golden: Value = serde_json::from_str(include_str!("../fixtures/starts.json")).unwrap();
    let file = |case: &Value| {
        let mut json = golden["tokenizer"].clone();
        json["post_processor"] = golden["post_processors"][case["post_processor"].as_str().unwrap()].clone();
        json.to_string()
    };
    let cases = golden["cases"].as_array().unwrap();
    for case in cases {
        let settings = case["settings"].to_string();
        let settings = (!case["settings"].is_null()).then_some(settings.as_bytes());
        let tokenizer = Tokenizer::parse(file(case).as_bytes(), settings, 6).unwrap();
        let before: Vec<u32> = serde_json::from_value(case["before"].clone()).unwrap();
        assert_eq!(tokenizer.text_start().into_iter().collect::<Vec<_>>(), before, "{case}");
    }
    assert!(cases.len() >= 20 && cases.iter().any(|case| case["before"] == json!([])));
}

/// A folder without a post-processor that says so all the same, as ours do. Version 4 of transformers heeds it for some classes,
/// version 5 for none.
#[test]
fn a_folder_may_say_that_its_first_token_is_added() {
    let start = |settings: &str| {
        Tokenizer::parse(tokenizer_json().to_string().as_bytes(), Some(settings.as_bytes()), 7)
            .map(|tokenizer| (tokenizer.text_start(), tokenizer.text_start_name()))
            .map_err(|fault| fault.to_string())
    };
    let found = Ok((Some(0), Some("<|endoftext|>".to_string())));
    assert_eq!(start(r#"{"add_bos_token": true, "bos_token": "<|endoftext|>"}"#), found);
    assert_eq!(start(r#"{"add_bos_token": true, "bos_token": {"content": "<|endoftext|>"}}"#), found);
    for nothing in ["{}", r#"{"add_bos_token": false, "bos_token": "a"}"#, r#"{"bos_token": "a"}"#] {
        assert_eq!(start(nothing), Ok((None, None)), "{nothing}");
    }
    for (wrong, said) in [
        (r#"{"add_bos_token": 1}"#, "tokenizer_config.json: add_bos_token is 1, expected true or false"),
        (r#"{"add_bos_token": true}"#, "tokenizer_config.json: bos_token is null, expected a token of tokenizer.json"),
        (
            r#"{"add_bos_token": true, "bos_token": "zz"}"#,
            "tokenizer_config.json: bos_token is \"zz\", expected a token of tokenizer.json",
        ),
    ] {
        assert_eq!(start(wrong), Err(said.to_string()));
    }
}

/// Law: a text becomes the same tokens every time. What is for training, a chance to skip merges, is switched off.
#[test]
fn chance_is_switched_off() {
    let mut json = tokenizer_json();
    json["model"]["dropout"] = json!(0.9);
    let tokenizer = parse(&json, 7).unwrap();
    for _ in 0..20 {
        assert_eq!(
            tokenizer.encode("ab ".repeat(50).trim()).unwrap(),
            parse(&tokenizer_json(), 7).unwrap().encode("ab ".repeat(50).trim()).unwrap()
        );
    }
}

#[test]
fn what_is_no_tokenizer_is_refused() {
    for wrong in ["{}", "[1]", "<html>", r#"{"model": 1}"#] {
        let said = sentence(Tokenizer::parse(wrong.as_bytes(), None, 7));
        assert!(said.starts_with("tokenizer.json: is not a tokenizer this program can read: "), "{said}");
    }
    let source = Memory::new([(tokenizer::FILE, "")]);
    let files = pollster::block_on(Files::read(&source, 7)).map(|files| files.expect("it is there"));
    let said = sentence(files.and_then(|files| Tokenizer::parse_files(&files)));
    assert_eq!(said, "tokenizer.json: is empty");
}
