//! A folder on disk.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::PathBuf,
};

use super::{ModelError, Reader, Source};

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
