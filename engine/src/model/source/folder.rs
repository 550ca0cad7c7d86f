//! A folder on disk.

use std::{
    fs::File,
    io::{ErrorKind, Read, Seek, SeekFrom},
    ops::Range,
    path::PathBuf,
};

use super::{Extent, ModelError, Ranged, Reader, Source};

/// Bytes read at a time: large enough that calls cost nothing, small beside any tensor.
const CHUNK: usize = 1 << 20;

/// A folder on disk.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder { path: path.into() }
    }
}

impl Source for Folder {
    type Reader = FileReader;

    fn folder(&self, path: &str) -> Folder {
        Folder { path: self.path.join(path) }
    }

    async fn open(&self, file: &str) -> Result<FileReader, ModelError> {
        let path = self.path.join(file);
        let fault = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => ModelError::NotFound { file: file.into(), place: path.display().to_string() },
            _ => ModelError::Unreadable { file: file.into(), reason: error.to_string() },
        };
        let handle = File::open(&path).map_err(fault)?;
        let size = handle.metadata().map_err(fault)?.len();
        Ok(FileReader { file: file.into(), handle, size, position: 0 })
    }
}

impl Ranged for Folder {
    async fn extent(&self, file: &str) -> Result<Option<Extent>, ModelError> {
        Ok(Some(Extent { size: self.open(file).await?.size, key: None }))
    }

    async fn part(&self, file: &str, range: Range<u64>, _: u64) -> Result<Vec<u8>, ModelError> {
        let FileReader { mut handle, size, .. } = self.open(file).await?;
        let fault = |error: std::io::Error| ModelError::Unreadable { file: file.into(), reason: error.to_string() };
        handle.seek(SeekFrom::Start(range.start)).map_err(fault)?;
        let (mut bytes, length) = (Vec::new(), range.end - range.start);
        handle.take(length).read_to_end(&mut bytes).map_err(fault)?;
        match bytes.len() as u64 == length {
            true => Ok(bytes),
            false => Err(ModelError::CutShort {
                file: file.into(),
                came: size,
                expected: range.end,
                reason: "the file shrank while it was read".into(),
            }),
        }
    }
}

/// Reads one file of a [`Folder`].
pub struct FileReader {
    file: String,
    handle: File,
    size: u64,
    position: u64,
}

impl Reader for FileReader {
    fn size(&self) -> Option<u64> {
        Some(self.size)
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let mut chunk = Vec::with_capacity(CHUNK);
        (&mut self.handle)
            .take(CHUNK as u64)
            .read_to_end(&mut chunk)
            .map_err(|error| ModelError::Unreadable { file: self.file.clone(), reason: error.to_string() })?;
        self.position += chunk.len() as u64;
        if chunk.is_empty() && self.position < self.size {
            return Err(ModelError::CutShort {
                file: self.file.clone(),
                came: self.position,
                expected: self.size,
                reason: "the file shrank while it was read".into(),
            });
        }
        Ok((!chunk.is_empty()).then_some(chunk))
    }
}
