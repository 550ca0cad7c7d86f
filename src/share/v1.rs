//! Version 1 of what a link carries: JSON with short keys, digests in base64url, deflated.
//!
//! Links of this version are out in the world: what is read here may never change. Another form is another version, in a file
//! beside this one. A setting that is added to a Config needs a default that means what was done before.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use miniz_oxide::{
    deflate::compress_to_vec_zlib,
    inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit},
};
use serde::{Deserialize, Serialize};

use super::{
    LinkError, Place,
    error::shown,
    link::{Model, Run},
};
use crate::lab::{
    Config,
    headline::{Figure, MOST_FIGURES},
};

/// As it stands before the full stop.
pub(super) const VERSION: &str = "1";
/// A link's payload unpacked: the largest is a few kB.
const MOST_BYTES: usize = 64 << 10;
/// Smallest output of miniz_oxide's levels; links are small, so its time does not count.
const LEVEL: u8 = 10;
/// Letters of the longest name of a model, of a version, of a figure.
const MOST_LETTERS: usize = 80;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    /// What was asked.
    c: Config,
    /// Name and folder of the model; both empty where there is none.
    m: (String, String),
    /// SHA-256 of model.safetensors, config.json, tokenizer.json, texts, report.
    h: [Option<String>; 5],
    /// Program version.
    v: String,
    /// Backend.
    b: String,
    /// Figures.
    f: Vec<Named>,
}

/// A figure: name, value, ends of the interval.
type Named = (String, f64, Option<(f64, f64)>);

/// Whether a run can be unpacked again.
pub(super) fn holds(run: &Run) -> bool {
    serde_json::to_vec(&run.config).is_ok_and(|json| json.len() < MOST_BYTES / 2)
}

pub(super) fn encode(run: &Run) -> String {
    let short = |hex: &String| bytes_of(hex).map(|bytes| BASE64.encode(bytes));
    let Run { config, model, corpus, version, backend, digest, figures } = run;
    let files =
        model.as_ref().map_or([None; 3], |of| [Some(&of.checkpoint), of.config.as_ref(), of.tokenizer.as_ref()]);
    let [checkpoint, settings, tokenizer] = files;
    let digests = [checkpoint, settings, tokenizer, corpus.as_ref(), digest.as_ref()];
    let payload = Payload {
        c: config.clone(),
        m: model.as_ref().map_or_else(Default::default, |of| (of.name.clone(), of.place.to_string())),
        h: digests.map(|hex| hex.and_then(short)),
        v: version.clone(),
        b: backend.clone(),
        f: figures.iter().map(|figure| (figure.name.clone(), figure.value, figure.bounds)).collect(),
    };
    let json = serde_json::to_vec(&payload).expect("a payload holds numbers, strings and lists only");
    BASE64.encode(compress_to_vec_zlib(&json, LEVEL))
}

pub(super) fn decode(text: &str) -> Result<Run, LinkError> {
    let packed = BASE64.decode(text).map_err(|_| LinkError::Damaged("a letter of it is missing or wrong"))?;
    let json = decompress_to_vec_zlib_with_limit(&packed, MOST_BYTES).map_err(|fault| match fault.status {
        TINFLStatus::HasMoreOutput => LinkError::TooLarge(MOST_BYTES),
        _ => LinkError::Damaged("it does not unpack"),
    })?;
    let Payload { c, m, h, v, b, f } =
        serde_json::from_slice(&json).map_err(|fault| LinkError::Content(shown(&fault.to_string())))?;
    let long = |short: Option<String>, what| match short.map(|short| BASE64.decode(short)) {
        None => Ok(None),
        Some(Ok(bytes)) if bytes.len() == 32 => Ok(Some(crate::model::source::hex(&bytes))),
        Some(_) => Err(LinkError::Digest(what)),
    };
    let [checkpoint, config, tokenizer, corpus, digest] = h;
    let none = m.0.is_empty() && m.1.is_empty() && checkpoint.is_none() && config.is_none() && tokenizer.is_none();
    let model = match none {
        true => None,
        false => Some(Model {
            name: m.0,
            place: Place::parse(&m.1)?,
            checkpoint: long(checkpoint, CHECKPOINT)?.ok_or(LinkError::Digest(CHECKPOINT))?,
            config: long(config, CONFIG)?,
            tokenizer: long(tokenizer, TOKENIZER)?,
        }),
    };
    let run = Run {
        config: c,
        model,
        corpus: long(corpus, CORPUS)?,
        version: v,
        backend: b,
        digest: long(digest, REPORT)?,
        figures: f.into_iter().map(|(name, value, bounds)| Figure { name, value, bounds }).collect(),
    };
    run.check()?;
    Ok(run)
}

const CHECKPOINT: &str = "the digest of model.safetensors";
const CONFIG: &str = "the digest of config.json";
const TOKENIZER: &str = "the digest of tokenizer.json";
const CORPUS: &str = "the digest of the texts";
const REPORT: &str = "the digest of the report";

/// The 32 bytes of a SHA-256 in hexadecimal.
fn bytes_of(hex: &String) -> Option<[u8; 32]> {
    let digits = hex.as_bytes().as_chunks::<2>().0;
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let plain = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    digits.iter().map(byte).collect::<Option<Vec<u8>>>().filter(|_| plain)?.try_into().ok()
}

impl Run {
    /// What every version must hold to.
    pub(super) fn check(&self) -> Result<(), LinkError> {
        let Run { config, model, corpus, version, backend, digest, figures } = self;
        config.check().map_err(|fault| LinkError::Settings(fault.to_string()))?;
        match (config.kind().has_model(), model) {
            (true, None) => return Err(LinkError::Model("names no model, and its run needs one")),
            (false, Some(_)) => return Err(LinkError::Model("names a model, and its run needs none")),
            _ => {}
        }
        let digests = model.iter().flat_map(|of| {
            [(Some(&of.checkpoint), CHECKPOINT), (of.config.as_ref(), CONFIG), (of.tokenizer.as_ref(), TOKENIZER)]
        });
        for (hex, what) in digests.chain([(corpus.as_ref(), CORPUS), (digest.as_ref(), REPORT)]) {
            if hex.is_some_and(|hex| bytes_of(hex).is_none()) {
                return Err(LinkError::Digest(what));
            }
        }
        model.iter().try_for_each(|of| name("the name of the model", &of.name))?;
        name("the program's version", version)?;
        if !backend.split(", then ").all(|one| ["cpu", "fused", "webgpu"].contains(&one))
            || backend.len() > MOST_LETTERS
        {
            let expected = "it must be cpu, fused or webgpu";
            return Err(LinkError::Text { what: "the backend", came: shown(backend), expected });
        }
        if figures.len() > MOST_FIGURES {
            return Err(LinkError::Figures { came: figures.len(), most: MOST_FIGURES });
        }
        for figure in figures {
            name("the name of a figure", &figure.name)?;
            let in_order = figure.bounds.is_none_or(|(low, high)| low <= high);
            if !in_order || !figure.numbers().all(f64::is_finite) {
                return Err(LinkError::Figure(shown(&figure.name)));
            }
        }
        Ok(())
    }
}

/// Short, and of characters that can be seen and stand in a line in their order.
fn name(what: &'static str, text: &str) -> Result<(), LinkError> {
    // What turns the order of letters or takes no room can make one name look like another.
    let hidden =
        |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let seen = |c: char| !c.is_control() && !hidden(c);
    if !text.is_empty() && text.chars().count() <= MOST_LETTERS && text.chars().all(seen) {
        return Ok(());
    }
    Err(LinkError::Text { what, came: shown(text), expected: "it must be a short line of text" })
}
