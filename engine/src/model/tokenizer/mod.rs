//! `tokenizer.json`: texts into token ids of the model's vocabulary.

mod charsmap;
mod checked;
mod guarded;
mod start;
#[cfg(not(target_arch = "wasm32"))]
mod thread;

use serde::{Deserialize, Serialize};
use tokenizers::{NormalizedString, Normalizer, PreTokenizedString, PreTokenizer};

use super::{
    error::ModelError,
    source::{Source, sha256},
};
use checked::{Checked, check};
pub use guarded::{About, Cutting, Ending, Guarded, PATIENCE, Part, Reader, Reading};
pub use start::SETTINGS;

/// Where a model folder keeps its tokenizer.
pub const FILE: &str = "tokenizer.json";
/// The largest in wide use (250,000 tokens) are 17 MB.
const LIMIT: u64 = 64 << 20;
/// Embeddings are often padded to a round number of rows, by up to 905 in known models; more than this is another
/// model's tokenizer.
pub const MOST_PADDING: usize = 1024;
/// The largest in wide use name 256,000 tokens once more and take 4 MB.
const SETTINGS_LIMIT: u64 = 16 << 20;

/// The refusal of a part of the file.
fn bad(at: &str, why: impl std::fmt::Display) -> ModelError {
    ModelError::BadTokenizer { file: FILE.into(), reason: format!("{at} {why}") }
}

/// What a model folder has of its tokenizer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// `tokenizer.json`.
    pub file: Vec<u8>,
    /// [`SETTINGS`], where the folder has them.
    pub settings: Option<Vec<u8>>,
    /// Tokens of its model.
    pub vocabulary: usize,
}

impl Files {
    /// Those of a model folder, for a model of `vocabulary` tokens; none where it has no tokenizer.
    pub async fn read(source: &impl Source, vocabulary: usize) -> Result<Option<Files>, ModelError> {
        let file = match source.read(FILE, LIMIT).await {
            Err(ModelError::NotFound { .. }) => return Ok(None),
            file => file?,
        };
        let settings = source.read_if_there(SETTINGS, SETTINGS_LIMIT).await?;
        Ok(Some(Files { file, settings, vocabulary }))
    }
}

/// What is wanted of a text besides the ids of its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Besides {
    /// No more.
    Nothing,
    /// See [`Tokenizer::begins`].
    Begins,
    /// See [`Tokenizer::pieces`].
    Pieces,
}

/// A text that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// See [`Tokenizer::encode`].
    pub ids: Vec<u32>,
    /// Where it was wanted.
    pub begins: Vec<usize>,
    /// Where they were wanted.
    pub pieces: Vec<Vec<u8>>,
}

/// A tokenizer that fits its model, in this thread. Whoever has a stranger's runs it where it can be lost: [`Guarded`].
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    vocabulary: usize,
    text_start: Option<u32>,
    /// Tokens are bytes.
    byte_level: bool,
    sha256: String,
    settings_sha256: Option<String>,
}

impl Tokenizer {
    /// From a folder's files.
    pub fn parse_files(files: &Files) -> Result<Tokenizer, ModelError> {
        Tokenizer::parse(&files.file, files.settings.as_deref(), files.vocabulary)
    }

    /// From the file's bytes, and those of [`SETTINGS`] where the folder has them. A tokenizer.json may carry the length limits
    /// of its training; a text is measured whole.
    pub fn parse(bytes: &[u8], settings: Option<&[u8]>, vocabulary: usize) -> Result<Tokenizer, ModelError> {
        if bytes.is_empty() {
            return Err(ModelError::Empty { file: FILE.into() });
        }
        let Checked { text, post_processor, byte_level } = check(bytes)?;
        let refused =
            |fault: tokenizers::Error| ModelError::BadTokenizer { file: FILE.into(), reason: fault.to_string() };
        let inner = tokenizers::Tokenizer::from_bytes(text).map_err(refused)?;
        let tokens = inner.get_vocab(true).values().max().map_or(0, |id| *id as usize + 1);
        if tokens == 0 || tokens > vocabulary || vocabulary - tokens > MOST_PADDING {
            return Err(ModelError::VocabularyMismatch {
                file: FILE.into(),
                tokens: tokens as u64,
                vocabulary: vocabulary as u64,
            });
        }
        let outside = |id| ModelError::TokenOutside { file: FILE.into(), id, vocabulary: vocabulary as u64 };
        let text_start = match start::start(&post_processor, settings, |name| inner.token_to_id(name))? {
            Some(id) => match u32::try_from(id) {
                Ok(id) if (id as usize) < vocabulary => Some(id),
                _ => return Err(outside(id.try_into().unwrap_or(u32::MAX))),
            },
            None => None,
        };
        let settings_sha256 = settings.map(sha256);
        Ok(Tokenizer { inner, vocabulary, text_start, byte_level, sha256: sha256(bytes), settings_sha256 })
    }

    /// Cuts texts. `at` hears which part is at work next: each is tried by itself before all of them run, so that one that breaks
    /// or does not end is known. What they say of a text is what the whole says of it.
    pub fn cut(&self, texts: &[String], besides: Besides, at: impl Fn(Part)) -> Result<Vec<Cut>, ModelError> {
        let normalized = |text: &String| {
            let mut text = NormalizedString::from(text.as_str());
            if let Some(normalizer) = self.inner.get_normalizer() {
                // A fault is told when the whole runs.
                let _ = normalizer.normalize(&mut text);
            }
            text
        };
        at(Part::Normalizer);
        texts.iter().for_each(|text| drop(normalized(text)));
        at(Part::PreTokenizer);
        if let Some(pre_tokenizer) = self.inner.get_pre_tokenizer() {
            for text in texts {
                let _ = pre_tokenizer.pre_tokenize(&mut PreTokenizedString::from(normalized(text)));
            }
        }
        at(Part::Model);
        let cut = |text: &String| {
            let begins = if besides == Besides::Begins { self.begins(text)? } else { Vec::new() };
            let pieces = if besides == Besides::Pieces { self.pieces(text)? } else { Vec::new() };
            Ok(Cut { ids: self.encode(text)?, begins, pieces })
        };
        texts.iter().map(cut).collect()
    }

    /// Token ids of a text, without any token around it. The text is normalised as the tokenizer's own settings say.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = self
            .inner
            .encode_fast(text, false)
            .map_err(|fault| ModelError::Untokenizable { file: FILE.into(), reason: fault.to_string() })?;
        let ids = encoding.get_ids().to_vec();
        match ids.iter().find(|id| **id as usize >= self.vocabulary) {
            Some(id) => {
                Err(ModelError::TokenOutside { file: FILE.into(), id: *id, vocabulary: self.vocabulary as u64 })
            }
            None => Ok(ids),
        }
    }

    /// Byte of the text at which each of its tokens begins.
    pub fn begins(&self, text: &str) -> Result<Vec<usize>, ModelError> {
        let encoding = self
            .inner
            .encode(text, false)
            .map_err(|fault| ModelError::Untokenizable { file: FILE.into(), reason: fault.to_string() })?;
        Ok(encoding.get_offsets().iter().map(|offsets| offsets.0).collect())
    }

    /// The bytes of the text that each of its tokens stands for: one after another they are the text, as the tokenizer
    /// normalises it. A token may be a part of a character.
    pub fn pieces(&self, text: &str) -> Result<Vec<Vec<u8>>, ModelError> {
        let encoding = self
            .inner
            .encode(text, false)
            .map_err(|fault| ModelError::Untokenizable { file: FILE.into(), reason: fault.to_string() })?;
        if self.byte_level {
            return Ok(encoding.get_tokens().iter().map(|token| bytes_of(token)).collect());
        }
        // What lies between two tokens, such as a space that is dropped, goes to the later; what follows the last, to it.
        let (bytes, mut covered) = (text.as_bytes(), 0);
        let mut pieces: Vec<Vec<u8>> = Vec::with_capacity(encoding.len());
        for (_, end) in encoding.get_offsets() {
            let end = (*end).clamp(covered, bytes.len());
            pieces.push(bytes[covered..end].to_vec());
            covered = end;
        }
        if let Some(last) = pieces.last_mut() {
            last.extend(&bytes[covered..]);
        }
        Ok(pieces)
    }

    /// The token that stands before a text (end of text, beginning of sequence), where the tokenizer puts one there.
    pub fn text_start(&self) -> Option<u32> {
        self.text_start
    }

    /// The same as it is written.
    pub fn text_start_name(&self) -> Option<String> {
        let id = self.text_start?;
        Some(self.inner.id_to_token(id).unwrap_or_else(|| format!("token {id}")))
    }

    /// Tokens of the model, padding included.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// SHA-256 of the file.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// SHA-256 of [`SETTINGS`], where the folder has them.
    pub fn settings_sha256(&self) -> Option<&str> {
        self.settings_sha256.as_deref()
    }
}

/// A token of a byte-level vocabulary as bytes. Each byte is written as one letter: printable ones as themselves, the others, in
/// their order, as the letters from U+0100 on. What is no such letter stands for itself.
fn bytes_of(token: &str) -> Vec<u8> {
    let printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let others: Vec<u8> = (0..=u8::MAX).filter(|byte| !printable(byte)).collect();
    let mut bytes = Vec::with_capacity(token.len());
    for letter in token.chars() {
        match u8::try_from(u32::from(letter)) {
            Ok(byte) if printable(&byte) => bytes.push(byte),
            _ => match (letter as usize).checked_sub(0x100).and_then(|at| others.get(at)) {
                Some(byte) => bytes.push(*byte),
                None => bytes.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
            },
        }
    }
    bytes
}
