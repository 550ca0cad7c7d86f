//! What stands before a text. As transformers finds it: what the tokenizer's post-processor puts there; where that puts nothing
//! anywhere, the folder may say in `tokenizer_config.json` that its first token is added all the same.

use serde_json::{Map, Value};

use super::{FILE, bad};
use crate::model::{config::shortened, error::ModelError, source::parse_json};

/// Where a model folder says how its tokenizer is to be used.
pub const SETTINGS: &str = "tokenizer_config.json";

/// Tokens that a post-processor adds, by their ids: before a text, and after it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Added {
    before: Vec<u64>,
    after: Vec<u64>,
}

/// Id of the token before a text, where there is one. `post_processor` is that of tokenizer.json, `settings` are the bytes of
/// [`SETTINGS`], and `id` finds a token.
pub fn start(
    post_processor: &Value,
    settings: Option<&[u8]>,
    id: impl Fn(&str) -> Option<u32>,
) -> Result<Option<u64>, ModelError> {
    let added = added(post_processor, "post_processor")?;
    match added.before[..] {
        [] if added.after.is_empty() => stated(settings, id),
        [] => Ok(None),
        [one] => Ok(Some(one)),
        ref several => Err(bad("post_processor", format!("puts {} tokens before a text", several.len()))),
    }
}

fn added(processor: &Value, at: &str) -> Result<Added, ModelError> {
    let Some(kind) = processor.get("type").and_then(Value::as_str) else {
        return if processor.is_null() { Ok(Added::default()) } else { Err(bad(at, "has no type")) };
    };
    let list = |key: &str| {
        processor[key].as_array().map(Vec::as_slice).ok_or_else(|| bad(&format!("{at}.{key}"), "is not a list"))
    };
    // ["</s>", 2]
    let marked = |key: &str| {
        list(key)?.get(1).and_then(Value::as_u64).ok_or_else(|| bad(&format!("{at}.{key}"), "names no token"))
    };
    match kind {
        "ByteLevel" => Ok(Added::default()),
        "BertProcessing" | "RobertaProcessing" => {
            Ok(Added { before: vec![marked("cls")?], after: vec![marked("sep")?] })
        }
        "TemplateProcessing" => template(processor, list("single")?, at),
        "Sequence" => {
            let mut all = Added::default();
            for (place, processor) in list("processors")?.iter().enumerate() {
                // Each goes around what those before it have made.
                let Added { mut before, after } = added(processor, &format!("{at}.processors[{place}]"))?;
                before.append(&mut all.before);
                all.before = before;
                all.after.extend(after);
            }
            Ok(all)
        }
        other => Err(bad(at, format!("is of the unknown type \"{}\"", shortened(other)))),
    }
}

fn template(processor: &Value, single: &[Value], at: &str) -> Result<Added, ModelError> {
    let mut added = Added::default();
    let mut text = false;
    for piece in single {
        if piece.get("Sequence").is_some() {
            text = true;
            continue;
        }
        let name = piece["SpecialToken"]["id"].as_str();
        let ids = name.and_then(|name| processor["special_tokens"].get(name)?.get("ids")?.as_array());
        let ids = ids.ok_or_else(|| bad(&format!("{at}.single"), "names a token that it does not have"))?;
        let ids = ids.iter().filter_map(Value::as_u64);
        if text { added.after.extend(ids) } else { added.before.extend(ids) }
    }
    match text {
        true => Ok(added),
        false => Err(bad(&format!("{at}.single"), "leaves the text out")),
    }
}

/// What [`SETTINGS`] say.
fn stated(settings: Option<&[u8]>, id: impl Fn(&str) -> Option<u32>) -> Result<Option<u64>, ModelError> {
    let Some(bytes) = settings else { return Ok(None) };
    let map: Map<String, Value> = parse_json(SETTINGS, bytes)?;
    let wrong = |key: &str, value: &Value, expected: &str| ModelError::WrongValue {
        file: SETTINGS.into(),
        key: key.into(),
        came: shortened(&value.to_string()),
        expected: expected.into(),
    };
    match map.get("add_bos_token") {
        None | Some(Value::Null | Value::Bool(false)) => Ok(None),
        Some(Value::Bool(true)) => {
            let token = map.get("bos_token").unwrap_or(&Value::Null);
            let name = token.as_str().or_else(|| token.get("content")?.as_str());
            let found = name.and_then(id).ok_or_else(|| wrong("bos_token", token, &format!("a token of {FILE}")))?;
            Ok(Some(found.into()))
        }
        Some(other) => Err(wrong("add_bos_token", other, "true or false")),
    }
}
