//! `tokenizer.json`: texts into token ids of the model's vocabulary.

use tokenizers::DecoderWrapper;

use super::{
    config::Config,
    error::ModelError,
    source::{Source, sha256},
};

/// Where a model folder keeps its tokenizer.
pub const FILE: &str = "tokenizer.json";
/// The largest in wide use (250,000 tokens) are 17 MB.
const LIMIT: u64 = 64 << 20;
/// Embeddings are often padded to a round number of rows, by up to 905 in known models; more than this is another
/// model's tokenizer.
pub const MOST_PADDING: usize = 1024;
/// What models call the token that separates texts, in the order of preference.
const TEXT_STARTS: [&str; 8] =
    ["<|endoftext|>", "<|begin_of_text|>", "<|startoftext|>", "<bos>", "<s>", "[BOS]", "</s>", "<eos>"];

/// A tokenizer that fits its model.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    vocabulary: usize,
    text_start: Option<u32>,
    sha256: String,
}

impl Tokenizer {
    /// Reads `tokenizer.json` of a model folder, for a model of `vocabulary` tokens.
    pub async fn read(source: &impl Source, config: &Config, vocabulary: usize) -> Result<Tokenizer, ModelError> {
        Tokenizer::parse(&source.read(FILE, LIMIT).await?, config, vocabulary)
    }

    /// From the file's bytes.
    pub fn parse(bytes: &[u8], config: &Config, vocabulary: usize) -> Result<Tokenizer, ModelError> {
        if bytes.is_empty() {
            return Err(ModelError::Empty { file: FILE.into() });
        }
        let bad = |fault: tokenizers::Error| ModelError::BadTokenizer { file: FILE.into(), reason: fault.to_string() };
        let mut inner = tokenizers::Tokenizer::from_bytes(bytes).map_err(bad)?;
        // A tokenizer.json may carry the length limits of its training; a text is measured whole.
        inner.with_truncation(None).map_err(bad)?;
        inner.with_padding(None);
        let tokens = inner.get_vocab(true).values().max().map_or(0, |id| *id as usize + 1);
        if tokens == 0 || tokens > vocabulary || vocabulary - tokens > MOST_PADDING {
            return Err(ModelError::VocabularyMismatch {
                file: FILE.into(),
                tokens: tokens as u64,
                vocabulary: vocabulary as u64,
            });
        }
        let text_start = text_start(&inner, config, vocabulary);
        Ok(Tokenizer { inner, vocabulary, text_start, sha256: sha256(bytes) })
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
        if let Some(DecoderWrapper::ByteLevel(_)) = self.inner.get_decoder() {
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

    /// The token that stands before a text (end of text, beginning of sequence), where the model has one.
    pub fn text_start(&self) -> Option<u32> {
        self.text_start
    }

    /// Tokens of the model, padding included.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// SHA-256 of the file.
    pub fn sha256(&self) -> &str {
        &self.sha256
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

/// `bos_token_id` where it names a token of this vocabulary (configurations often keep the id of a larger model), then
/// the first well-known name.
fn text_start(inner: &tokenizers::Tokenizer, config: &Config, vocabulary: usize) -> Option<u32> {
    let stated = config.get("bos_token_id").and_then(|value| value.as_u64()).filter(|id| *id < vocabulary as u64);
    stated
        .map(|id| id as u32)
        .filter(|id| inner.id_to_token(*id).is_some())
        .or_else(|| TEXT_STARTS.iter().find_map(|name| inner.token_to_id(name)))
}
