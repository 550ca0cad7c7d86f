//! Files of this device that the person chose, read where they lie, slice by slice.

use std::{collections::BTreeMap, ops::Range, rc::Rc};

use js_sys::Uint8Array;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::{Extent, ModelError, Ranged, Reader, Source};

/// Bytes read at a time.
const CHUNK: u64 = 1 << 20;

/// A folder of such files.
#[derive(Debug, Clone, Default)]
pub struct Blobs {
    files: Rc<BTreeMap<String, Blob>>,
    prefix: String,
}

impl Blobs {
    /// Files by name.
    pub fn new(files: BTreeMap<String, Blob>) -> Blobs {
        Blobs { files: Rc::new(files), prefix: String::new() }
    }

    fn blob(&self, file: &str) -> Result<&Blob, ModelError> {
        let path = format!("{}{file}", self.prefix);
        let missing = || ModelError::NotFound { file: file.into(), place: "the files that were chosen".into() };
        self.files.get(&path).ok_or_else(missing)
    }
}

impl Source for Blobs {
    type Reader = BlobReader;

    fn folder(&self, path: &str) -> Blobs {
        Blobs { files: self.files.clone(), prefix: format!("{}{path}/", self.prefix) }
    }

    async fn open(&self, file: &str) -> Result<BlobReader, ModelError> {
        Ok(BlobReader { file: file.into(), blob: self.blob(file)?.clone(), position: 0 })
    }
}

impl Ranged for Blobs {
    async fn extent(&self, file: &str) -> Result<Option<Extent>, ModelError> {
        Ok(Some(Extent { size: self.blob(file)?.size() as u64, key: None }))
    }

    async fn part(&self, file: &str, range: Range<u64>, _: u64) -> Result<Vec<u8>, ModelError> {
        slice(file, self.blob(file)?, range).await
    }
}

/// Some bytes of a file. One that has changed since it was chosen cannot be read.
async fn slice(file: &str, blob: &Blob, range: Range<u64>) -> Result<Vec<u8>, ModelError> {
    let unreadable = |_| ModelError::Unreadable {
        file: file.into(),
        reason: "the browser cannot read it, or it has changed since it was chosen; choose it again".into(),
    };
    let part = blob.slice_with_f64_and_f64(range.start as f64, range.end as f64).map_err(unreadable)?;
    let bytes = Uint8Array::new(&JsFuture::from(part.array_buffer()).await.map_err(unreadable)?).to_vec();
    match bytes.len() as u64 == range.end - range.start {
        true => Ok(bytes),
        false => Err(ModelError::CutShort {
            file: file.into(),
            came: range.start + bytes.len() as u64,
            expected: range.end,
            reason: "the file shrank while it was read".into(),
        }),
    }
}

/// Reads one file of [`Blobs`].
pub struct BlobReader {
    file: String,
    blob: Blob,
    position: u64,
}

impl Reader for BlobReader {
    fn size(&self) -> Option<u64> {
        Some(self.blob.size() as u64)
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let end = (self.position + CHUNK).min(self.blob.size() as u64);
        if end <= self.position {
            return Ok(None);
        }
        let bytes = slice(&self.file, &self.blob, self.position..end).await?;
        self.position = end;
        Ok(Some(bytes))
    }
}
