//! A safetensors file as a stream: the header is checked whole, then each tensor is handed on as its last byte comes in.
//!
//! Memory is bounded by the tensor under way and the chunk in hand; a declared size is never allocated before its bytes
//! have begun to come.

mod decoder;
mod header;
mod shards;

use sha2::{Digest, Sha256};

use super::{
    error::ModelError,
    source::{Ranged, Reader, Source, hex},
};
use decoder::Decoder;
pub use header::{HEADER_LIMIT, Header, TensorEntry};
pub use safetensors::Dtype;
pub use shards::{INDEX, Shards, read_headers};

/// Where a model folder keeps its weights.
pub const FILE: &str = "model.safetensors";

/// When a tensor is needed, by its name: the least first. None for one that is not.
pub type Rank<'a> = &'a dyn Fn(&str) -> Option<usize>;

/// Bytes so far, the header's included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes in.
    pub bytes: u64,
    /// Bytes of the whole file, by its header.
    pub total: u64,
}

/// A tensor of floats, as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Name in the file.
    pub name: String,
    /// Shape.
    pub shape: Vec<usize>,
    /// Type in the file.
    pub dtype: Dtype,
    /// Values in row-major order, all finite.
    pub data: Vec<f32>,
}

/// What is known of a file when its last byte is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Bytes of the whole file.
    pub bytes: u64,
    /// SHA-256 of the whole file, in hexadecimal.
    pub sha256: String,
}

/// A checkpoint whose header is in and checked.
pub struct Checkpoint<R> {
    file: String,
    reader: R,
    header: Header,
    hasher: Sha256,
    /// Data that came in one chunk with the end of the header.
    rest: Vec<u8>,
}

impl<R: Reader> Checkpoint<R> {
    /// Opens `file` and reads its header.
    pub async fn open<S: Source<Reader = R>>(source: &S, file: &str) -> Result<Checkpoint<R>, ModelError> {
        let mut reader = source.open(file).await?;
        let name = || file.to_string();
        let mut bytes = Vec::new();
        fill(&mut reader, &mut bytes, header::PREFIX).await?;
        let prefix: [u8; 8] = match bytes.first_chunk() {
            Some(prefix) => *prefix,
            None if bytes.is_empty() => return Err(ModelError::Empty { file: name() }),
            None => return Err(ModelError::NoHeader { file: name(), bytes: bytes.len() as u64 }),
        };
        let length = header::check_length(file, u64::from_le_bytes(prefix), reader.size())?;
        let data = header::PREFIX + length;
        fill(&mut reader, &mut bytes, data).await?;
        if bytes.len() < data {
            return Err(ModelError::HeaderBeyondFile { file: name(), length: length as u64, size: bytes.len() as u64 });
        }
        let rest = bytes.split_off(data);
        let header = Header::parse(file, &bytes[header::PREFIX..])?;
        if let Some(size) = reader.size() {
            header.check_size(size)?;
        }
        Ok(Checkpoint { file: name(), reader, header, hasher: Sha256::new_with_prefix(&bytes), rest })
    }

    /// Names, shapes and types of what will come.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the rest. `on_tensor` gets every tensor of floats in the file's order; tensors of other types (masks,
    /// counters) are passed over, [`Header::weight`] refuses them where they are needed. `cancelled` is asked after
    /// each chunk.
    pub async fn stream<E: From<ModelError>>(
        self,
        cancelled: impl Fn() -> bool,
        on_bytes: impl FnMut(Progress),
        on_tensor: impl FnMut(Tensor) -> Result<(), E>,
    ) -> Result<Finished, E> {
        self.stream_some(&|_| Some(0), cancelled, on_bytes, on_tensor).await
    }

    /// As [`Checkpoint::stream`], but by rank where the file can be read in any order. Of tensors without a rank, which come
    /// last, no more than a chunk is held at a time.
    pub async fn stream_some<E: From<ModelError>>(
        mut self,
        rank: Rank<'_>,
        cancelled: impl Fn() -> bool,
        mut on_bytes: impl FnMut(Progress),
        mut on_tensor: impl FnMut(Tensor) -> Result<(), E>,
    ) -> Result<Finished, E> {
        let wanted = &|name: &str| rank(name).is_some();
        let mut order: Vec<&TensorEntry> = self.header.entries().iter().collect();
        order.sort_by_key(|entry| rank(&entry.name).unwrap_or(usize::MAX));
        let (start, total) = (self.header.data_start(), self.header.file_bytes());
        let mut bytes = start;
        // Not by where they begin: a tensor without values begins where the next one does.
        let as_in_file = order.iter().zip(self.header.entries()).all(|(entry, own)| std::ptr::eq(*entry, own));
        if !as_in_file
            && self.reader.arrange(order.iter().map(|entry| start + entry.begin..start + entry.end).collect())
        {
            for entry in order {
                let mut decoder = Decoder::new(&self.file, std::slice::from_ref(entry), wanted);
                let end = bytes + (entry.end - entry.begin);
                loop {
                    let chunk = if bytes < end { self.reader.next().await? } else { Some(Vec::new()) };
                    let (file, tensor) = (&self.file, &entry.name);
                    let chunk = chunk.ok_or_else(|| ModelError::Truncated {
                        file: file.clone(),
                        tensor: tensor.clone(),
                        expected: total,
                        came: bytes,
                    })?;
                    bytes += chunk.len() as u64;
                    decoder.push(&chunk, &mut on_tensor)?;
                    on_bytes(Progress { bytes, total });
                    if cancelled() {
                        return Err(ModelError::Cancelled.into());
                    }
                    if bytes >= end {
                        break;
                    }
                }
            }
            let digest = self.reader.digest().await?.unwrap_or_default();
            return Ok(Finished { bytes, sha256: hex(&digest) });
        }
        let mut decoder = Decoder::new(&self.file, self.header.entries(), wanted);
        let mut chunk = std::mem::take(&mut self.rest);
        loop {
            bytes += chunk.len() as u64;
            if bytes > total {
                return Err(ModelError::Trailing { file: self.file, expected: total }.into());
            }
            self.hasher.update(&chunk);
            decoder.push(&chunk, &mut on_tensor)?;
            on_bytes(Progress { bytes, total });
            if cancelled() {
                return Err(ModelError::Cancelled.into());
            }
            match self.reader.next().await? {
                Some(next) => chunk = next,
                None => break,
            }
        }
        self.header.check_size(bytes)?;
        Ok(Finished { bytes, sha256: hex(&self.hasher.finalize()) })
    }
}

/// Opens and reads a checkpoint in one go.
pub async fn stream<S: Source, E: From<ModelError>>(
    source: &S,
    file: &str,
    cancelled: impl Fn() -> bool,
    on_bytes: impl FnMut(Progress),
    on_tensor: impl FnMut(Tensor) -> Result<(), E>,
) -> Result<Finished, E> {
    Checkpoint::open(source, file).await?.stream(cancelled, on_bytes, on_tensor).await
}

/// Bytes asked for at a time: small beside the tensors for which it matters.
const PART: u64 = 16 << 20;

/// One tensor of floats, read by itself.
pub async fn read_tensor(source: &impl Ranged, header: &Header, entry: &TensorEntry) -> Result<Tensor, ModelError> {
    let file = header.file();
    let mut decoder = Decoder::new(file, std::slice::from_ref(entry), &|_| true);
    let (mut at, mut read) = (entry.begin, None);
    loop {
        let to = entry.end.min(at + PART);
        let bytes = match at < to {
            true => {
                let start = header.data_start();
                source.part(file, start + at..start + to, header.file_bytes()).await?
            }
            false => Vec::new(),
        };
        at = to;
        decoder.push(&bytes, &mut |tensor| {
            read = Some(tensor);
            Ok::<(), ModelError>(())
        })?;
        if at == entry.end {
            break;
        }
    }
    read.ok_or_else(|| ModelError::MissingTensor { file: file.into(), tensor: entry.name.clone() })
}

/// Reads until `bytes` has at least `wanted`, or the file ends.
async fn fill(reader: &mut impl Reader, bytes: &mut Vec<u8>, wanted: usize) -> Result<(), ModelError> {
    while bytes.len() < wanted {
        match reader.next().await? {
            Some(chunk) => bytes.extend_from_slice(&chunk),
            None => break,
        }
    }
    Ok(())
}
