//! Tokenizers that nobody should have written: each is refused with a sentence, or reads any text within its bounds.

use serde_json::{Value, json};

use crate::{
    fuzz_model::tokenizer,
    places::{changed, places},
    store::Dice,
    survive::Target,
};

/// A file may ask for a table of its own, and its texts may grow.
const TOKENIZER: Target = Target { read: tokenizer, most_bytes: 2 << 30, begin: &["tokenizer"] };
/// A real table of SentencePiece, see `charsmap_golden.py`.
const CHARSMAP: &str = include_str!("../fixtures/charsmap.txt");

fn file(normalizer: Value, pre_tokenizer: Value, post_processor: Value, model: Value) -> Value {
    json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
        "post_processor": post_processor, "decoder": {"type": "ByteLevel", "add_prefix_space": true}, "model": model,
        "added_tokens": [{"id": 0, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": true,
                          "normalized": true, "special": true}],
    })
}

fn vocabulary(tokens: &[&str]) -> Value {
    let numbered = tokens.iter().enumerate().map(|(id, token)| (token.to_string(), json!(id)));
    Value::Object(numbered.collect())
}

/// Every kind of part that published files have, on small vocabularies.
fn published() -> Vec<(&'static str, Value)> {
    let template = json!({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}}], "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}});
    let words = ["<s>", "a", "b", "ab", "é", "▁", "▁a", "##a", "##b", "1", "漢", "<0x0A>"];
    let bpe = |prefix: Value, merges: Value| {
        json!({"type": "BPE", "dropout": null, "unk_token": "<s>", "continuing_subword_prefix": prefix,
               "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
               "vocab": vocabulary(&words), "merges": merges})
    };
    let gpt2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
    let pieces: Vec<Value> = words.iter().enumerate().map(|(at, word)| json!([word, -(at as f64)])).collect();
    vec![
        (
            "bytes",
            file(
                Value::Null,
                json!({"type": "Sequence", "pretokenizers": [
                    {"type": "Split", "pattern": {"Regex": gpt2}, "behavior": "Isolated", "invert": false},
                    {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]}),
                json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false}),
                bpe(Value::Null, json!([["a", "b"], ["▁", "a"]])),
            ),
        ),
        (
            "llama",
            file(
                json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, {"type": "NFC"}]}),
                Value::Null,
                template.clone(),
                bpe(json!("##"), json!(["a ##b"])),
            ),
        ),
        (
            "pieces",
            file(
                json!({"type": "Sequence", "normalizers": [
                    {"type": "Precompiled", "precompiled_charsmap": CHARSMAP.trim()},
                    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}, {"type": "Nmt"}]}),
                json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}),
                template,
                json!({"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": false}),
            ),
        ),
        (
            "bert",
            file(
                json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                       "lowercase": true}),
                json!({"type": "BertPreTokenizer"}),
                json!({"type": "BertProcessing", "sep": ["<s>", 0], "cls": ["<s>", 0]}),
                json!({"type": "WordPiece", "unk_token": "<s>", "continuing_subword_prefix": "##",
                       "max_input_chars_per_word": 100, "vocab": vocabulary(&words)}),
            ),
        ),
        (
            "words",
            file(
                json!({"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "StripAccents"},
                    {"type": "Lowercase"}, {"type": "Strip", "strip_left": true, "strip_right": true}]}),
                json!({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "UnicodeScripts"},
                    {"type": "Digits", "individual_digits": true}, {"type": "Punctuation", "behavior": "Isolated"},
                    {"type": "CharDelimiterSplit", "delimiter": "-"}, {"type": "FixedLength", "length": 3}]}),
                json!({"type": "RobertaProcessing", "sep": ["<s>", 0], "cls": ["<s>", 0], "trim_offsets": true,
                       "add_prefix_space": false}),
                json!({"type": "WordLevel", "unk_token": "<s>", "vocab": vocabulary(&words)}),
            ),
        ),
    ]
}

fn strange() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1_u64 << 40),
        json!(1e300),
        json!(""),
        json!("\u{0}"),
        json!("Sequence"),
        json!("a".repeat(70_000)),
        json!("(a|a)*b|(?=(a+)+$)"),
        json!([]),
        json!([[]]),
        json!({}),
        json!({"type": "Sequence", "normalizers": [], "pretokenizers": [], "processors": []}),
    ]
}

#[test]
fn published_kinds_are_read() {
    for (name, json) in published() {
        assert_eq!(tokenizer(json.to_string().as_bytes()), Ok(()), "{name}");
    }
}

#[test]
fn no_value_in_any_place_of_a_tokenizer_breaks_the_program() {
    let mut cases = Vec::new();
    for (name, json) in published() {
        for place in places(&json) {
            for value in strange() {
                let shown: String = value.to_string().chars().take(40).collect();
                let file = changed(&json, &place, value).to_string();
                cases.push((format!("{name}: {place} = {shown}"), file.into_bytes()));
            }
        }
    }
    let tried = cases.len();
    let good = TOKENIZER.survives(cases);
    println!("{tried} changed tokenizers, {good} of them read");
    assert!(tried >= 2000 && good > 100 && good < tried, "{good} of {tried}");
}

#[test]
fn no_cut_and_no_flipped_bit_of_a_tokenizer_breaks_the_program() {
    let (mut cases, mut dice) = (Vec::new(), Dice(22));
    for (name, json) in published() {
        let bytes = json.to_string().into_bytes();
        for _ in 0..120 {
            let cut = dice.below(bytes.len() as u64) as usize;
            cases.push((format!("{name}: cut at {cut}"), bytes[..cut].to_vec()));
            let (at, bit) = (dice.below(bytes.len() as u64) as usize, dice.below(8));
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            cases.push((format!("{name}: bit {bit} of byte {at}"), flipped));
        }
    }
    assert!(cases.len() >= 1000);
    TOKENIZER.survives(cases);
}

/// What an audit broke: each panicked, hung, or asked for gigabytes.
#[test]
fn what_broke_once_is_refused_by_its_part() {
    let all = published();
    let of = |name: &str| all.iter().find(|(known, _)| *known == name).unwrap().1.clone();
    let charsmap = "/normalizer/normalizers/0/precompiled_charsmap";
    let laughs: Vec<Value> =
        (0..12).map(|_| json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaa"})).collect();
    for (name, place, value, said) in [
        (
            "pieces",
            charsmap,
            json!(null),
            "normalizer.normalizers[0] (Precompiled) cannot be used: has no precompiled_charsmap",
        ),
        ("pieces", charsmap, json!("AAAA"), "precompiled_charsmap is too short"),
        // 8.6 GB are asked for, and nothing follows.
        ("pieces", charsmap, json!("/////w=="), "precompiled_charsmap says that it is longer than it is"),
        ("pieces", charsmap, json!("BAAAAP////8="), "precompiled_charsmap has a trie that points outside of itself"),
        (
            "llama",
            "/model/continuing_subword_prefix",
            json!("#########"),
            "model.merges has \"a ##b\", which joins no two tokens",
        ),
        (
            "bytes",
            "/model/merges/0",
            json!(["ab", "ab"]),
            "model.merges has [\"ab\",\"ab\"], which joins no two tokens",
        ),
        ("words", "/pre_tokenizer/pretokenizers/5/length", json!(0), "(FixedLength) cannot be used: length is 0"),
        ("llama", "/normalizer/normalizers", json!(laughs), "makes a text more than 1024 times as long"),
        ("llama", "/normalizer/type", json!("Magic"), "normalizer is of the unknown type \"Magic\""),
        ("words", "/model/type", json!("Chance"), "model is of the unknown type \"Chance\""),
    ] {
        let sentence = tokenizer(changed(&of(name), place, value).to_string().as_bytes()).unwrap_err();
        let expected = "tokenizer.json: is not a tokenizer this program can read: ";
        assert!(sentence.starts_with(expected) && sentence.contains(said), "{name}{place}: {sentence}");
    }
}
