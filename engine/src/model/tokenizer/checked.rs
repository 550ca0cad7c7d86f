//! A stranger's tokenizer.json, part by part, before the library that runs it sees it: parts that are known by name, each of
//! bounded size, and none that makes a short text endless. What this program does not use of the file is left out.

use serde_json::{Map, Value, json};
use tokenizers::{NormalizedString, Normalizer, NormalizerWrapper, utils::SysRegex};

use super::{FILE, bad, charsmap::longest_replacement};
use crate::model::{config::shortened, error::ModelError};

/// Parts of a normalizer or pre-tokenizer, and how deep they may lie in each other.
const MOST_PARTS: usize = 64;
const DEEPEST: usize = 8;
/// Normalizers together may make a text at most so many times as long.
const MOST_GROWTH: f64 = 1024.0;
/// Of compatibility forms of Unicode: one letter may become eighteen.
const UNICODE_GROWTH: f64 = 18.0;
/// Bytes of a pattern, of what replaces it, and of a token.
const LONGEST_PATTERN: usize = 2_048;
const LONGEST_TOKEN: usize = 65_536;
/// How often a pattern may say that a part of it repeats, all counts multiplied.
const MOST_REPEATS: u64 = 100_000;
/// Texts in which a pattern that can match nothing does so.
const PROBES: [&str; 7] = ["", "a", " ", "a b", "1", "\n", "é漢"];
/// Tokens, and ids.
const MOST_TOKENS: usize = 1 << 24;
/// Letters of a word that WordPiece looks at, which takes time with their square.
const LONGEST_WORD: u64 = 1_000;
/// Letters of a piece of fixed length.
const LONGEST_PIECE: u64 = 65_536;

/// What can be handed on, and what was read of the rest.
pub struct Checked {
    /// For the library: normalizer, pre-tokenizer, model and added tokens.
    pub text: String,
    /// Of the file.
    pub post_processor: Value,
    /// Whether tokens are bytes, as its decoder says.
    pub byte_level: bool,
}

/// Checks the whole file.
pub fn check(bytes: &[u8]) -> Result<Checked, ModelError> {
    let unreadable =
        |fault: serde_json::Error| ModelError::BadTokenizer { file: FILE.into(), reason: fault.to_string() };
    let mut file: Map<String, Value> = serde_json::from_slice(bytes).map_err(unreadable)?;
    let mut take = |key: &str| file.remove(key).unwrap_or(Value::Null);
    let (normalizer, pre_tokenizer) = (take("normalizer"), take("pre_tokenizer"));
    let (mut model, added) = (take("model"), take("added_tokens"));
    let (post_processor, decoder) = (take("post_processor"), take("decoder"));
    check_parts(&normalizer, "normalizer", NORMALIZERS)?;
    check_parts(&pre_tokenizer, "pre_tokenizer", PRE_TOKENIZERS)?;
    check_model(&mut model)?;
    check_added(&added)?;
    check_normalized(&added, &normalizer)?;
    let added = if added.is_null() { json!([]) } else { added };
    let for_library = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": null, "model": model,
    });
    Ok(Checked {
        text: for_library.to_string(),
        post_processor,
        byte_level: decoder.get("type").and_then(Value::as_str) == Some("ByteLevel"),
    })
}

/// How one part may be: the growth of a text that it causes, or what is wrong with it.
type Rule = fn(&Value) -> Result<f64, String>;

/// The key under which a sequence lists its parts, and the parts that are known.
type Known = (&'static str, &'static [(&'static str, Rule)]);

const NORMALIZERS: Known = (
    "normalizers",
    &[
        ("BertNormalizer", |_| Ok(3.0)),
        ("ByteLevel", |_| Ok(2.0)),
        ("Lowercase", |_| Ok(2.0)),
        ("NFC", |_| Ok(3.0)),
        ("NFD", |_| Ok(4.0)),
        ("NFKC", |_| Ok(UNICODE_GROWTH)),
        ("NFKD", |_| Ok(UNICODE_GROWTH)),
        ("Nmt", |_| Ok(1.0)),
        ("Precompiled", |part| {
            let table = part["precompiled_charsmap"].as_str().ok_or("has no precompiled_charsmap")?;
            longest_replacement(table)
                .map(|bytes| bytes.max(1) as f64)
                .map_err(|why| format!("precompiled_charsmap {why}"))
        }),
        ("Prepend", |part| match text(part, "prepend")?.len() {
            0 => Err("prepend is empty".into()),
            bytes => Ok(1.0 + bytes as f64),
        }),
        ("Replace", |part| {
            let (content, shortest) = (text(part, "content")?, pattern(part)?);
            if let Some(regex) = part["pattern"].get("Regex").and_then(Value::as_str) {
                matches_something(regex)?;
            }
            Ok(if shortest == 0 {
                1.0 + content.len() as f64
            } else {
                (content.len() as f64 / shortest as f64).max(1.0)
            })
        }),
        ("Strip", |_| Ok(1.0)),
        ("StripAccents", |_| Ok(1.0)),
    ],
);

const PRE_TOKENIZERS: Known = (
    "pretokenizers",
    &[
        ("BertPreTokenizer", |_| Ok(1.0)),
        ("ByteLevel", |_| Ok(2.0)),
        ("CharDelimiterSplit", |_| Ok(1.0)),
        ("Digits", |_| Ok(1.0)),
        ("FixedLength", |part| match part.get("length") {
            None => Ok(1.0),
            Some(length) if length.as_u64().is_some_and(|length| (1..=LONGEST_PIECE).contains(&length)) => Ok(1.0),
            Some(other) => Err(format!("length is {other}")),
        }),
        ("Metaspace", |_| Ok(4.0)),
        ("Punctuation", |_| Ok(1.0)),
        ("Split", |part| pattern(part).map(|_| 1.0)),
        ("UnicodeScripts", |_| Ok(1.0)),
        ("Whitespace", |_| Ok(1.0)),
        ("WhitespaceSplit", |_| Ok(1.0)),
    ],
);

fn text<'a>(part: &'a Value, key: &str) -> Result<&'a str, String> {
    let text = part[key].as_str().ok_or_else(|| format!("{key} is not a text"))?;
    if text.len() <= LONGEST_PATTERN { Ok(text) } else { Err(format!("{key} is {} bytes long", text.len())) }
}

/// The fewest bytes that a pattern matches, as far as that is known.
fn pattern(part: &Value) -> Result<usize, String> {
    let pattern = &part["pattern"];
    if pattern.get("Regex").is_some() {
        let regex = text(pattern, "Regex")?;
        return match repeats(regex) {
            count if count <= MOST_REPEATS => Ok(0),
            count => Err(format!("a pattern repeats its parts {count} times")),
        };
    }
    match text(pattern, "String")?.len() {
        0 => Err("an empty pattern is everywhere".into()),
        bytes => Ok(bytes),
    }
}

/// Refuses a pattern to be replaced that may match no letter at all: the library does not survive it.
fn matches_something(regex: &str) -> Result<(), String> {
    if let Some(around) = ["(?=", "(?!", "(?<"].into_iter().find(|around| regex.contains(around)) {
        return Err(format!("a pattern to be replaced looks around with {around}"));
    }
    let compiled = SysRegex::new(regex).map_err(|fault| fault.to_string())?;
    let empty = |text: &&str| compiled.find_iter(text).any(|(begin, end)| begin == end);
    match PROBES.into_iter().find(empty) {
        Some(text) => Err(format!("a pattern to be replaced matches nothing at all in {text:?}")),
        None => Ok(()),
    }
}

/// All counts in braces, multiplied.
fn repeats(regex: &str) -> u64 {
    let counts = regex.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let largest = |inside: &str| inside.split(',').filter_map(|number| number.trim().parse::<u64>().ok()).max();
    counts.filter_map(|(inside, _)| largest(inside)).fold(1, |all, count| all.saturating_mul(count.max(1)))
}

/// Checks a normalizer or pre-tokenizer with all parts in it.
fn check_parts(whole: &Value, at: &str, known: Known) -> Result<(), ModelError> {
    let (mut growth, mut parts) = (1.0, 0);
    let mut todo = vec![(whole, at.to_string(), 0)];
    while let Some((part, at, depth)) = todo.pop() {
        if part.is_null() && depth == 0 {
            return Ok(());
        }
        parts += 1;
        let kind = part.get("type").and_then(Value::as_str).ok_or_else(|| bad(&at, "has no type"))?;
        if kind == "Sequence" {
            let list = part[known.0].as_array().ok_or_else(|| bad(&at, format!("has no {}", known.0)))?;
            if depth == DEEPEST || parts + list.len() > MOST_PARTS {
                return Err(bad(&at, format!("has more than {MOST_PARTS} parts, or lies deeper than {DEEPEST}")));
            }
            let inside = |(place, part)| (part, format!("{at}.{}[{place}]", known.0), depth + 1);
            todo.extend(list.iter().enumerate().map(inside));
            continue;
        }
        let rule = known.1.iter().find(|(name, _)| *name == kind);
        let (_, rule) = rule.ok_or_else(|| bad(&at, format!("is of the unknown type \"{}\"", shortened(kind))))?;
        growth *= rule(part).map_err(|why| bad(&at, format!("({kind}) cannot be used: {why}")))?;
        if growth > MOST_GROWTH {
            return Err(bad(
                &at,
                format!("makes a text more than {MOST_GROWTH} times as long, with the parts around it"),
            ));
        }
    }
    Ok(())
}

fn check_model(model: &mut Value) -> Result<(), ModelError> {
    let at = "model";
    let map = model.as_object_mut().ok_or_else(|| bad(at, "is not there"))?;
    let stated = map.get("type").and_then(Value::as_str).map(str::to_owned);
    // The oldest files leave the type to be guessed.
    let kind = stated.unwrap_or_else(|| {
        let guess = match (map.contains_key("merges"), map.get("vocab")) {
            (true, _) => "BPE",
            (_, Some(Value::Array(_))) => "Unigram",
            _ if map.contains_key("continuing_subword_prefix") => "WordPiece",
            _ => "WordLevel",
        };
        guess.to_string()
    });
    map.insert("type".into(), json!(kind));
    match kind.as_str() {
        "BPE" => {
            // Chance has no place in a measurement; it is for training.
            map.insert("dropout".into(), Value::Null);
            check_vocabulary(map)?;
            check_merges(map)
        }
        "WordPiece" => {
            let longest = map.get("max_input_chars_per_word");
            if let Some(longest) = longest.filter(|longest| longest.as_u64().is_none_or(|count| count > LONGEST_WORD)) {
                return Err(bad(at, format!("max_input_chars_per_word is {longest}, at most {LONGEST_WORD} are read")));
            }
            check_vocabulary(map)
        }
        "WordLevel" => check_vocabulary(map),
        "Unigram" => check_pieces(map),
        other => Err(bad(at, format!("is of the unknown type \"{}\"", shortened(other)))),
    }
}

fn is_token(token: &str) -> bool {
    token.len() <= LONGEST_TOKEN
}

fn check_vocabulary(model: &Map<String, Value>) -> Result<(), ModelError> {
    let at = "model.vocab";
    let vocabulary = model.get("vocab").and_then(Value::as_object).ok_or_else(|| bad(at, "is not there"))?;
    let is_id = |id: &Value| id.as_u64().is_some_and(|id| id < MOST_TOKENS as u64);
    match vocabulary.iter().find(|(token, id)| !is_token(token) || !is_id(id)) {
        Some((token, id)) => Err(bad(at, format!("gives {} the id {}", shortened(token), shortened(&id.to_string())))),
        None => Ok(()),
    }
}

/// Two tokens make a third, which must be a token too.
fn check_merges(model: &Map<String, Value>) -> Result<(), ModelError> {
    let at = "model.merges";
    let vocabulary = model["vocab"].as_object().expect("it was checked");
    let prefix = match model.get("continuing_subword_prefix") {
        None | Some(Value::Null) => "",
        Some(prefix) => prefix.as_str().ok_or_else(|| bad("model.continuing_subword_prefix", "is not a text"))?,
    };
    let merges = model.get("merges").and_then(Value::as_array).ok_or_else(|| bad(at, "are not there"))?;
    let (mut joined, mut pairs) = (String::new(), 0);
    for merge in merges {
        let pair = match merge {
            // The first line of files that were made from two others.
            Value::String(line) if line.starts_with("#version") => continue,
            Value::String(line) => line.split_once(' '),
            other => other.as_array().and_then(|pair| match &pair[..] {
                [a, b] => a.as_str().zip(b.as_str()),
                _ => None,
            }),
        };
        pairs += usize::from(merge.is_array());
        let wrong = || bad(at, format!("has {}, which joins no two tokens to a third", shortened(&merge.to_string())));
        let (a, b) = pair.ok_or_else(wrong)?;
        joined.clear();
        joined.push_str(a);
        joined.push_str(b.strip_prefix(prefix).ok_or_else(wrong)?);
        if [a, b, &joined].iter().any(|token| !vocabulary.contains_key(*token)) {
            return Err(wrong());
        }
    }
    match pairs == 0 || pairs == merges.len() {
        true => Ok(()),
        false => Err(bad(at, "are written in two ways")),
    }
}

/// Pieces with their scores.
fn check_pieces(model: &Map<String, Value>) -> Result<(), ModelError> {
    let at = "model.vocab";
    let pieces = model.get("vocab").and_then(Value::as_array).ok_or_else(|| bad(at, "is not there"))?;
    let is_piece = |piece: &&Value| match piece.as_array().map(Vec::as_slice) {
        Some([token, score]) => token.as_str().is_some_and(is_token) && score.as_f64().is_some_and(f64::is_finite),
        _ => false,
    };
    if let Some(wrong) = pieces.iter().find(|piece| !is_piece(piece)) {
        return Err(bad(at, format!("has {}, which is no piece with its score", shortened(&wrong.to_string()))));
    }
    let unknown = model.get("unk_id").unwrap_or(&Value::Null);
    let fits = unknown.is_null() || unknown.as_u64().is_some_and(|id| id < pieces.len() as u64);
    if pieces.len() <= MOST_TOKENS && fits { Ok(()) } else { Err(bad("model.unk_id", "is no piece of the vocabulary")) }
}

/// A token that is looked for in the normalised text must be something there.
fn check_normalized(added: &Value, normalizer: &Value) -> Result<(), ModelError> {
    if normalizer.is_null() {
        return Ok(());
    }
    let refused = |fault: &dyn std::fmt::Display| bad("normalizer", fault);
    let normalizer: NormalizerWrapper =
        serde_json::from_str(&normalizer.to_string()).map_err(|fault| refused(&fault))?;
    for token in added.as_array().into_iter().flatten().filter(|token| token["normalized"] != json!(false)) {
        let content = token["content"].as_str().unwrap_or_default();
        let mut text = NormalizedString::from(content);
        normalizer.normalize(&mut text).map_err(|fault| refused(&fault))?;
        if text.get().is_empty() {
            return Err(bad("added_tokens", format!("has {content:?}, of which the normalizer leaves nothing")));
        }
    }
    Ok(())
}

fn check_added(added: &Value) -> Result<(), ModelError> {
    let at = "added_tokens";
    let tokens = match added {
        Value::Null => return Ok(()),
        other => other.as_array().ok_or_else(|| bad(at, "is not a list"))?,
    };
    let is_added = |token: &&Value| {
        let content = token["content"].as_str().is_some_and(|content| !content.is_empty() && is_token(content));
        content && token["id"].as_u64().is_some_and(|id| id < MOST_TOKENS as u64)
    };
    match tokens.iter().find(|token| !is_added(token)) {
        Some(wrong) => Err(bad(at, format!("has {}, which is no token with an id", shortened(&wrong.to_string())))),
        None => Ok(()),
    }
}
