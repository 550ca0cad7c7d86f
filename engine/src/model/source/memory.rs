//! Files held in memory.

use std::{collections::BTreeMap, ops::Range, rc::Rc};

use super::{Extent, ModelError, Ranged, Reader, Source};

/// A folder in memory; clones and inner folders share the bytes.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    files: Rc<BTreeMap<String, Rc<[u8]>>>,
    prefix: String,
    chunk: Option<usize>,
}

impl Memory {
    /// Files by path (`models/catalog.json`).
    pub fn new<N: Into<String>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (N, B)>) -> Memory {
        let files = files.into_iter().map(|(name, bytes)| (name.into(), Rc::from(bytes.into()))).collect();
        Memory { files: Rc::new(files), ..Memory::default() }
    }

    /// The same files, handed out `bytes` at a time (whole otherwise).
    pub fn in_chunks_of(self, bytes: usize) -> Memory {
        Memory { chunk: Some(bytes.max(1)), ..self }
    }
}

impl Source for Memory {
    type Reader = MemoryReader;

    fn folder(&self, path: &str) -> Memory {
        Memory { prefix: format!("{}{path}/", self.prefix), ..self.clone() }
    }

    async fn open(&self, file: &str) -> Result<MemoryReader, ModelError> {
        let path = format!("{}{file}", self.prefix);
        let bytes =
            self.files.get(&path).ok_or_else(|| ModelError::NotFound { file: file.into(), place: path.clone() })?;
        Ok(MemoryReader { bytes: bytes.clone(), position: 0, chunk: self.chunk.unwrap_or(bytes.len()) })
    }
}

impl Ranged for Memory {
    async fn extent(&self, file: &str) -> Result<Option<Extent>, ModelError> {
        Ok(self.open(file).await?.size().map(|size| Extent { size, key: None }))
    }

    async fn part(&self, file: &str, range: Range<u64>, size: u64) -> Result<Vec<u8>, ModelError> {
        let MemoryReader { bytes, .. } = self.open(file).await?;
        let place = |of: u64| usize::try_from(of).unwrap_or(usize::MAX);
        let part = bytes.get(place(range.start)..place(range.end));
        part.map(<[u8]>::to_vec).ok_or_else(|| ModelError::CutShort {
            file: file.into(),
            came: bytes.len() as u64,
            expected: size,
            reason: "no more came".into(),
        })
    }
}

/// Reads one file of a [`Memory`].
pub struct MemoryReader {
    bytes: Rc<[u8]>,
    position: usize,
    chunk: usize,
}

impl Reader for MemoryReader {
    fn size(&self) -> Option<u64> {
        Some(self.bytes.len() as u64)
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let end = self.position.saturating_add(self.chunk).min(self.bytes.len());
        let chunk = self.bytes[self.position..end].to_vec();
        self.position = end;
        Ok((!chunk.is_empty()).then_some(chunk))
    }
}
