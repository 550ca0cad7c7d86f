//! What can be wrong with bytes from elsewhere: one variant per fault, each a sentence that names the file.

use std::fmt;

use thiserror::Error;

use super::tokenizer::{Ending, Part};

/// A figure with its thousands set apart: `6,012,345`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut text = String::with_capacity(digits.len() * 4 / 3);
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        f.pad(&text)
    }
}

/// What can be done about a file that the site itself should have.
pub const OF_THE_SITE: &str =
    "A file of this site is not as it should be: load the page again, or tell whoever hosts it.";

/// A fault of a file, or of the way to it.
#[derive(Debug, Clone, PartialEq, Error)]
#[allow(missing_docs)] // the sentence above each variant says what its fields hold
pub enum ModelError {
    // The way to the file.
    #[error("{file}: not found at {place}")]
    NotFound { file: String, place: String },
    #[error("{file}: the server answered with status {status} at {place}")]
    Status { file: String, place: String, status: u16 },
    #[error("{file}: cannot be read: {reason}")]
    Unreadable { file: String, reason: String },
    #[error("{file}: the connection ended after {} of {} bytes: {reason}", Grouped(*came), Grouped(*expected))]
    CutShort { file: String, came: u64, expected: u64, reason: String },
    #[error("{file}: the server has sent nothing for {seconds} seconds")]
    Silent { file: String, seconds: u64 },
    #[error("{file}: the server announced {} bytes and sent more", Grouped(*expected))]
    SentMore { file: String, expected: u64 },
    #[error("{file}: the server announced {} bytes in one place and {} in another", Grouped(*length), Grouped(*range))]
    LengthsDisagree { file: String, length: u64, range: u64 },
    #[error("{file}: asked for bytes {first}-{last}, the server answered with \"{answer}\"")]
    WrongRange { file: String, first: u64, last: u64, answer: String },
    #[error("{file}: \"{name}\" is not a plain file or folder name")]
    BadName { file: String, name: String },
    #[error(
        "{model} is not on {host}, or it is not for everybody; the name of a model is owner/name, and a revision may follow after @"
    )]
    NotOnHub { model: String, host: String },
    #[error("{host} did not say what is in the model: {reason}")]
    HubUnreadable { host: String, reason: String },
    #[error("stopped")]
    Cancelled,

    // Any file.
    #[error("{file}: larger than the {} bytes that are allowed", Grouped(*limit))]
    TooLarge { file: String, limit: u64 },
    #[error("{file}: is empty")]
    Empty { file: String },
    #[error("{file}: is not JSON of the expected form: {reason}")]
    BadJson { file: String, reason: String },
    #[error("{file}: its SHA-256 is {came}, {by} says {expected}")]
    WrongDigest { file: String, by: &'static str, expected: String, came: String },
    #[error("{file}: its git id is {came}, {by} says {expected}")]
    WrongBlob { file: String, by: &'static str, expected: String, came: String },

    // Checkpoint: the index of several files.
    #[error("{file}: names {} files of weights; at least one and at most {} are read", Grouped(*count as u64), Grouped(*most as u64))]
    WrongShards { file: String, count: usize, most: usize },
    #[error("{file}: lacks the tensor {tensor}, which the checkpoint's index says is there")]
    NotInShard { file: String, tensor: String },

    // Checkpoint: the header.
    #[error("{file}: {} bytes are too few for a safetensors file, which starts with 8 bytes of header length", Grouped(*bytes))]
    NoHeader { file: String, bytes: u64 },
    #[error("{file}: the header says it has {} bytes, fewer than the 2 of the smallest one", Grouped(*length))]
    HeaderTooSmall { file: String, length: u64 },
    #[error("{file}: the header says it has {} bytes, more than the {} that are allowed", Grouped(*length), Grouped(*limit))]
    HeaderTooLarge { file: String, length: u64, limit: u64 },
    #[error("{file}: the header says it has {} bytes, more than the file holds ({})", Grouped(*length), Grouped(*size))]
    HeaderBeyondFile { file: String, length: u64, size: u64 },
    #[error("{file}: the header is not UTF-8 text")]
    HeaderNotText { file: String },
    #[error("{file}: the header is not JSON of the safetensors form: {reason}")]
    HeaderNotJson { file: String, reason: String },
    #[error("{file}: tensor `{tensor}` is named twice in the header")]
    DuplicateTensor { file: String, tensor: String },
    #[error("{file}: tensor `{tensor}` has type `{dtype}`, which safetensors does not know")]
    UnknownDtype { file: String, tensor: String, dtype: String },
    #[error("{file}: tensor `{tensor}` of shape {shape:?} and type {dtype} is too large to count")]
    ShapeOverflow { file: String, tensor: String, shape: Vec<u64>, dtype: String },
    #[error("{file}: tensor `{tensor}` of shape {shape:?} and type {dtype} needs {} bytes, its offsets {begin}-{end} span {}",
            Grouped(*needed), Grouped(end.saturating_sub(*begin)))]
    ShapeMismatch { file: String, tensor: String, shape: Vec<u64>, dtype: String, needed: u64, begin: u64, end: u64 },
    #[error("{file}: tensor `{tensor}` of shape {shape:?} and type {dtype} does not fill whole bytes")]
    PartialByte { file: String, tensor: String, shape: Vec<u64>, dtype: String },
    #[error("{file}: tensor `{tensor}` ends at byte {end}, before it begins at {begin}")]
    BackwardOffsets { file: String, tensor: String, begin: u64, end: u64 },
    #[error("{file}: tensors `{first}` and `{second}` overlap at byte {begin} of the data")]
    Overlap { file: String, first: String, second: String, begin: u64 },
    #[error("{file}: bytes {from}-{to} of the data, before tensor `{tensor}`, belong to no tensor")]
    Hole { file: String, tensor: String, from: u64, to: u64 },

    // Checkpoint: the data.
    #[error("{file}: is cut short: it holds {} of the {} bytes that its header describes, and ends in tensor `{tensor}`",
            Grouped(*came), Grouped(*expected))]
    Truncated { file: String, tensor: String, expected: u64, came: u64 },
    #[error("{file}: its header describes {} bytes, its size is given as {}", Grouped(*expected), Grouped(*size))]
    WrongSize { file: String, expected: u64, size: u64 },
    #[error("{file}: its header describes {} bytes, it goes on after them", Grouped(*expected))]
    Trailing { file: String, expected: u64 },
    #[error("{file}: tensor `{tensor}` is not finite: value {index} is {value}")]
    NotFinite { file: String, tensor: String, index: u64, value: f32 },
    #[error("{file}: tensor `{tensor}` of {} values does not fit in memory", Grouped(*values))]
    OutOfMemory { file: String, tensor: String, values: u64 },
    #[error("{file}: tensor `{tensor}` is not what it was when the model was looked through; load the model again")]
    Changed { file: String, tensor: String },
    #[error("{sentence}")]
    Told { sentence: String },
    #[error("{file}: tensor `{tensor}` is missing")]
    MissingTensor { file: String, tensor: String },
    #[error("{file}: tensor `{tensor}` has type {dtype}; weights are read from F32, F16 and BF16")]
    NotAWeight { file: String, tensor: String, dtype: String },
    #[error("{file}: tensor `{tensor}` has shape {came:?}, expected {expected:?}")]
    WrongShape { file: String, tensor: String, expected: Vec<usize>, came: Vec<usize> },

    // Configuration.
    #[error("{file}: {key} is missing")]
    Missing { file: String, key: String },
    #[error("{file}: {key} is {came}, expected {expected}")]
    WrongValue { file: String, key: String, came: String, expected: String },

    // Tokenizer.
    #[error("{file}: is not a tokenizer this program can read: {reason}")]
    BadTokenizer { file: String, reason: String },
    #[error("{file}: the tokenizer has {} tokens, the model {}", Grouped(*tokens), Grouped(*vocabulary))]
    VocabularyMismatch { file: String, tokens: u64, vocabulary: u64 },
    #[error("{file}: token id {id} is outside the model's {} tokens", Grouped(*vocabulary))]
    TokenOutside { file: String, id: u32, vocabulary: u64 },
    #[error("{file}: a text could not be cut into tokens: {reason}")]
    Untokenizable { file: String, reason: String },
    #[error("{file}: {part} {ending}")]
    TokenizerEnded { file: String, part: Part, ending: Ending },

    // Cards and corpora.
    #[error("{file}: language {code} appears twice")]
    DuplicateLanguage { file: String, code: String },
    #[error("{file}: there is no language {code}")]
    UnknownLanguage { file: String, code: String },
    #[error("{file}: has {came} units, the card says {expected}")]
    UnitCount { file: String, expected: usize, came: usize },
    #[error("{file}: unit {unit} is empty")]
    EmptyUnit { file: String, unit: usize },
}

impl ModelError {
    /// What a person can do about it, as a sentence; nothing where the fault says it itself.
    pub fn what_to_do(&self) -> &'static str {
        use ModelError as E;
        match self {
            E::NotFound { .. } | E::Status { .. } => {
                "Check the address: it is that of a folder which has config.json and model.safetensors in it."
            }
            E::Unreadable { .. } | E::HubUnreadable { .. } => {
                "Check the address and the network. A server elsewhere must also let other sites read from it (CORS); if it does \
                 not, download the files and open their folder here."
            }
            E::CutShort { .. } => "Load it again: it goes on from what has come.",
            E::Silent { .. } => "Check the network and load it again: it goes on from what has come.",
            E::SentMore { .. } | E::LengthsDisagree { .. } | E::WrongRange { .. } => {
                "The server is at fault: download the files by other means and open their folder here."
            }
            E::OutOfMemory { .. } => {
                "Close other tabs and load it again, or let the preview's other buttons hold it packed or look through its \
                 weights only."
            }
            E::WrongDigest { .. } | E::WrongBlob { .. } => {
                "Load it again; if this stays, the file is not the one that was meant."
            }
            E::Missing { .. }
            | E::WrongValue { .. }
            | E::MissingTensor { .. }
            | E::NotAWeight { .. }
            | E::WrongShape { .. } => "This page cannot read such a model; choose another.",
            E::BadTokenizer { .. }
            | E::VocabularyMismatch { .. }
            | E::TokenOutside { .. }
            | E::Untokenizable { .. }
            | E::TokenizerEnded { .. } => {
                "Put the tokenizer.json that belongs to the model into its folder; without any, its weights can still be looked at."
            }
            E::DuplicateLanguage { .. } | E::UnknownLanguage { .. } | E::UnitCount { .. } | E::EmptyUnit { .. } => {
                OF_THE_SITE
            }
            E::BadName { .. } | E::NotOnHub { .. } | E::Cancelled | E::Changed { .. } | E::Told { .. } => "",
            E::TooLarge { .. }
            | E::Empty { .. }
            | E::BadJson { .. }
            | E::WrongShards { .. }
            | E::NotInShard { .. }
            | E::NoHeader { .. }
            | E::HeaderTooSmall { .. }
            | E::HeaderTooLarge { .. }
            | E::HeaderBeyondFile { .. }
            | E::HeaderNotText { .. }
            | E::HeaderNotJson { .. }
            | E::DuplicateTensor { .. }
            | E::UnknownDtype { .. }
            | E::ShapeOverflow { .. }
            | E::ShapeMismatch { .. }
            | E::PartialByte { .. }
            | E::BackwardOffsets { .. }
            | E::Overlap { .. }
            | E::Hole { .. }
            | E::Truncated { .. }
            | E::WrongSize { .. }
            | E::Trailing { .. }
            | E::NotFinite { .. } => "The file is damaged or of another kind: get it anew, or choose another model.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Grouped;

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<String> =
            [0, 7, 999, 1000, 12_345, 6_012_345, 100_000_000].iter().map(|n| Grouped(*n).to_string()).collect();
        assert_eq!(shown, ["0", "7", "999", "1,000", "12,345", "6,012,345", "100,000,000"]);
    }
}
