//! Where files come from: a folder at a URL, on disk or in memory, read in order in bounded chunks.

#[cfg(target_arch = "wasm32")]
pub mod blobs;
pub mod chosen;
#[cfg(target_arch = "wasm32")]
pub mod fetch;
#[cfg(not(target_arch = "wasm32"))]
mod folder;
pub mod http;
mod memory;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
mod stated;

use std::ops::Range;

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::error::ModelError;
#[cfg(not(target_arch = "wasm32"))]
pub use folder::Folder;
pub use http::Http;
pub use memory::Memory;
pub(crate) use stated::is_hexadecimal;
pub use stated::{Stated, git_blob};

/// Bound on a JSON file that describes something (config, card, catalog): the largest known are a few kB.
pub const DESCRIPTION_LIMIT: u64 = 1 << 20;

/// A folder of named files.
#[allow(async_fn_in_trait)] // used through generics in one thread; no `Send` bound is wanted
pub trait Source {
    /// Hands out one file's bytes.
    type Reader: Reader;

    /// The folder `path` inside this one.
    fn folder(&self, path: &str) -> Self
    where
        Self: Sized;

    /// SHA-256 of a file, where the place says it.
    fn digest(&self, _file: &str) -> Option<&str> {
        None
    }

    /// Hears that a file is not what was said of it: what is kept of it is dropped.
    async fn forget(&self, _file: &str) {}

    /// Opens a large file, to be read from its first byte to its last, by ranges where the source has them.
    async fn open(&self, file: &str) -> Result<Self::Reader, ModelError>;

    /// All of a small file, refused as soon as it is known to exceed `limit` bytes.
    async fn read(&self, file: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
        collect(self.open(file).await?, file, limit).await
    }

    /// As [`Source::read`]; None where there is no such file.
    async fn read_if_there(&self, file: &str, limit: u64) -> Result<Option<Vec<u8>>, ModelError> {
        match self.read(file, limit).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(ModelError::NotFound { .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// A JSON file as a `T`.
    async fn read_json<T: DeserializeOwned>(&self, file: &str, limit: u64) -> Result<T, ModelError> {
        parse_json(file, &self.read(file, limit).await?)
    }
}

/// What is known of a file that can be asked for in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of all of it.
    pub size: u64,
    /// Names its content: its SHA-256 where the place says it, else a digest of its address, size and version. None where the
    /// server says no version: the file may change unseen.
    pub key: Option<String>,
}

/// A source whose files can be asked for in parts.
#[allow(async_fn_in_trait)]
pub trait Ranged: Source {
    /// Of a file that can be asked for in parts; none where it comes whole or not at all.
    async fn extent(&self, file: &str) -> Result<Option<Extent>, ModelError>;

    /// Some bytes of a file of `size` bytes.
    async fn part(&self, file: &str, range: Range<u64>, size: u64) -> Result<Vec<u8>, ModelError>;
}

/// One open file.
#[allow(async_fn_in_trait)]
pub trait Reader {
    /// Bytes of the whole file, where they are known beforehand. Strangers say this number: do not allocate by it.
    fn size(&self) -> Option<u64>;

    /// The bytes that follow, never an empty chunk; None after the last. A file that ends before its announced size is
    /// an error here.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError>;

    /// Asks for parts of the file in an order. Where this says true, [`Reader::next`] hands them out in it, from the first of
    /// them on, no chunk with bytes of two; else it goes on from where it is to the end of the file.
    fn arrange(&mut self, _order: Vec<Range<u64>>) -> bool {
        false
    }

    /// SHA-256 of the whole file, after its parts were handed out in an order that was asked for.
    async fn digest(&mut self) -> Result<Option<[u8; 32]>, ModelError> {
        Ok(None)
    }
}

/// Reads to the end, up to `limit` bytes.
pub(crate) async fn collect(mut reader: impl Reader, file: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
    let too_large = || ModelError::TooLarge { file: file.into(), limit };
    if reader.size().is_some_and(|size| size > limit) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = reader.next().await? {
        if (bytes.len() + chunk.len()) as u64 > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Refuses a file whose SHA-256 is not the one that somebody says, where somebody says one.
pub(crate) fn check_digest(file: &str, by: &'static str, expected: Option<&str>, came: &str) -> Result<(), ModelError> {
    match expected.filter(|expected| !expected.eq_ignore_ascii_case(came)) {
        Some(expected) => {
            Err(ModelError::WrongDigest { file: file.into(), by, expected: expected.into(), came: came.into() })
        }
        None => Ok(()),
    }
}

/// JSON bytes as a `T`.
pub(crate) fn parse_json<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<T, ModelError> {
    if bytes.is_empty() {
        return Err(ModelError::Empty { file: file.into() });
    }
    serde_json::from_slice(bytes).map_err(|fault| ModelError::BadJson { file: file.into(), reason: fault.to_string() })
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Letters, digits, `-`, `_` and `.`, not starting with `.`: as part of a path it can lead nowhere else.
pub fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}

/// A name read from `file` that is to become part of a path.
pub fn check_name(file: &str, name: &str) -> Result<(), ModelError> {
    if is_plain(name) {
        Ok(())
    } else {
        Err(ModelError::BadName { file: file.into(), name: name.chars().take(80).collect() })
    }
}
