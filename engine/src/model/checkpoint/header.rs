//! The header of a safetensors file: 8 bytes of length, then JSON that lays the data out without hole or overlap.

use std::{collections::BTreeMap, fmt};

use safetensors::Dtype;
use serde::{
    Deserialize,
    de::{Error, IntoDeserializer, MapAccess, Visitor, value::StrDeserializer},
};

use super::Checkpoint;
use crate::model::{
    error::ModelError,
    source::{Extent, Ranged},
};

/// The format's own bound.
pub const HEADER_LIMIT: u64 = 100_000_000;
/// `{}`.
const SMALLEST: u64 = 2;
/// Bytes of the length.
pub(super) const PREFIX: usize = 8;

/// Where a tensor lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorEntry {
    /// Name.
    pub name: String,
    /// Shape.
    pub shape: Vec<usize>,
    /// Type of its values.
    pub dtype: Dtype,
    /// First byte, counted from the first byte of data.
    pub begin: u64,
    /// Byte after its last.
    pub end: u64,
}

impl TensorEntry {
    /// Whether it can be read as weights.
    pub fn is_float(&self) -> bool {
        matches!(self.dtype, Dtype::F32 | Dtype::F16 | Dtype::BF16)
    }

    /// Values in it; a header in which they are too many to count is refused.
    pub fn values(&self) -> u64 {
        self.shape.iter().map(|dimension| *dimension as u64).product()
    }
}

/// A header whose tensors lie one after the other from the first byte of data to the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    file: String,
    /// In the order of their bytes.
    entries: Vec<TensorEntry>,
    metadata: BTreeMap<String, String>,
    json_bytes: u64,
}

/// The length that the first 8 bytes state, if it is possible in a file of `size` bytes.
pub(super) fn check_length(file: &str, length: u64, size: Option<u64>) -> Result<usize, ModelError> {
    let file = || file.to_string();
    if length < SMALLEST {
        return Err(ModelError::HeaderTooSmall { file: file(), length });
    }
    match size {
        Some(size) if length > size.saturating_sub(PREFIX as u64) => {
            Err(ModelError::HeaderBeyondFile { file: file(), length, size })
        }
        _ if length > HEADER_LIMIT => Err(ModelError::HeaderTooLarge { file: file(), length, limit: HEADER_LIMIT }),
        _ => Ok(length as usize),
    }
}

impl Header {
    /// Asks for the header of a file alone; where the file comes whole or not at all, its first bytes are read.
    pub async fn read(source: &impl Ranged, file: &str) -> Result<Header, ModelError> {
        let Some(Extent { size, .. }) = source.extent(file).await? else {
            return Ok(Checkpoint::open(source, file).await?.header().clone());
        };
        let prefix = source.part(file, 0..size.min(PREFIX as u64), size).await?;
        let Some(prefix) = prefix.first_chunk::<PREFIX>() else {
            return Err(ModelError::NoHeader { file: file.into(), bytes: size });
        };
        let length = check_length(file, u64::from_le_bytes(*prefix), Some(size))? as u64;
        let json = source.part(file, PREFIX as u64..PREFIX as u64 + length, size).await?;
        let header = Header::parse(file, &json)?;
        header.check_size(size)?;
        Ok(header)
    }

    /// Reads and checks the JSON.
    pub fn parse(file: &str, json: &[u8]) -> Result<Header, ModelError> {
        let text = std::str::from_utf8(json).map_err(|_| ModelError::HeaderNotText { file: file.into() })?;
        let raw: RawHeader = serde_json::from_str(text)
            .map_err(|fault| ModelError::HeaderNotJson { file: file.into(), reason: fault.to_string() })?;
        let mut entries =
            raw.tensors.into_iter().map(|(name, raw)| raw.check(file, name)).collect::<Result<Vec<_>, _>>()?;
        entries.sort_by(|a, b| (a.begin, a.end, &a.name).cmp(&(b.begin, b.end, &b.name)));
        check_names(file, &entries)?;
        check_layout(file, &entries)?;
        check_end(file, &entries, (PREFIX + json.len()) as u64)?;
        Ok(Header { file: file.into(), entries, metadata: raw.metadata, json_bytes: json.len() as u64 })
    }

    /// Name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Every tensor, in the order of their bytes.
    pub fn entries(&self) -> &[TensorEntry] {
        &self.entries
    }

    /// Free text that the writer left.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// One tensor.
    pub fn get(&self, name: &str) -> Option<&TensorEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// A tensor that must be there, hold floats and have this shape.
    pub fn weight(&self, name: &str, shape: &[usize]) -> Result<&TensorEntry, ModelError> {
        let (file, tensor) = (self.file.clone(), name.to_string());
        match self.get(name) {
            None => Err(ModelError::MissingTensor { file, tensor }),
            Some(entry) if !entry.is_float() => {
                Err(ModelError::NotAWeight { file, tensor, dtype: entry.dtype.to_string() })
            }
            Some(entry) if entry.shape != shape => {
                Err(ModelError::WrongShape { file, tensor, expected: shape.to_vec(), came: entry.shape.clone() })
            }
            Some(entry) => Ok(entry),
        }
    }

    /// Bytes before the data.
    pub fn data_start(&self) -> u64 {
        PREFIX as u64 + self.json_bytes
    }

    /// Bytes of the whole file.
    pub fn file_bytes(&self) -> u64 {
        self.data_start() + self.entries.last().map_or(0, |entry| entry.end)
    }

    /// Whether a file of `size` bytes ends where the last tensor does.
    pub(super) fn check_size(&self, size: u64) -> Result<(), ModelError> {
        let (file, expected) = (self.file.clone(), self.file_bytes());
        if size > expected {
            return Err(ModelError::WrongSize { file, expected, size });
        }
        let held = size.saturating_sub(self.data_start());
        match self.entries.iter().find(|entry| entry.end > held) {
            Some(entry) => Err(ModelError::Truncated { file, tensor: entry.name.clone(), expected, came: size }),
            None => Ok(()),
        }
    }
}

fn check_names(file: &str, entries: &[TensorEntry]) -> Result<(), ModelError> {
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ModelError::DuplicateTensor { file: file.into(), tensor: pair[0].into() }),
        None => Ok(()),
    }
}

/// Where the last tensor ends, counted from the first byte of the file, must be a number: all places in the file are below it.
fn check_end(file: &str, entries: &[TensorEntry], data_start: u64) -> Result<(), ModelError> {
    match entries.last().filter(|entry| entry.end.checked_add(data_start).is_none()) {
        Some(TensorEntry { name, shape, dtype, .. }) => {
            let shape = shape.iter().map(|dimension| *dimension as u64).collect();
            Err(ModelError::ShapeOverflow { file: file.into(), tensor: name.clone(), shape, dtype: dtype.to_string() })
        }
        None => Ok(()),
    }
}

/// Sorted entries must each begin where the one before ended.
fn check_layout(file: &str, entries: &[TensorEntry]) -> Result<(), ModelError> {
    let mut cursor = 0;
    let mut before = "";
    for entry in entries {
        let TensorEntry { name, begin, end, .. } = entry;
        if *begin < cursor {
            return Err(ModelError::Overlap {
                file: file.into(),
                first: before.into(),
                second: name.clone(),
                begin: *begin,
            });
        }
        if *begin > cursor {
            return Err(ModelError::Hole { file: file.into(), tensor: name.clone(), from: cursor, to: *begin - 1 });
        }
        (cursor, before) = (*end, name);
    }
    Ok(())
}

/// One entry as the JSON has it. The `safetensors` crate's own `TensorInfo` counts in `usize`, which is too small in
/// wasm, and its `Metadata` keeps the last of two equal names.
#[derive(Deserialize)]
struct RawEntry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

impl RawEntry {
    fn check(self, file: &str, name: String) -> Result<TensorEntry, ModelError> {
        let RawEntry { dtype, shape, data_offsets: (begin, end) } = self;
        let file = file.to_string();
        let parser: StrDeserializer<'_, serde::de::value::Error> = dtype.as_str().into_deserializer();
        let Ok(known) = Dtype::deserialize(parser) else {
            return Err(ModelError::UnknownDtype { file, tensor: name, dtype: dtype.chars().take(40).collect() });
        };
        if end < begin {
            return Err(ModelError::BackwardOffsets { file, tensor: name, begin, end });
        }
        let values = shape.iter().try_fold(1u64, |values, dimension| values.checked_mul(*dimension));
        let bits = values.and_then(|values| values.checked_mul(known.bitsize() as u64));
        let dimensions = shape.iter().map(|dimension| usize::try_from(*dimension)).collect::<Result<Vec<_>, _>>();
        let (Some(bits), Ok(dimensions)) = (bits, dimensions) else {
            return Err(ModelError::ShapeOverflow { file, tensor: name, shape, dtype });
        };
        if !bits.is_multiple_of(8) {
            return Err(ModelError::PartialByte { file, tensor: name, shape, dtype });
        }
        if bits / 8 != end - begin {
            return Err(ModelError::ShapeMismatch { file, tensor: name, shape, dtype, needed: bits / 8, begin, end });
        }
        Ok(TensorEntry { name, shape: dimensions, dtype: known, begin, end })
    }
}

/// The JSON object as it stands, equal names kept apart.
struct RawHeader {
    metadata: BTreeMap<String, String>,
    tensors: Vec<(String, RawEntry)>,
}

impl<'de> Deserialize<'de> for RawHeader {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<RawHeader, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = RawHeader;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawHeader, A::Error> {
                let mut metadata = None;
                let mut tensors = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if name != "__metadata__" {
                        tensors.push((name, map.next_value()?));
                    } else if metadata.replace(map.next_value::<Option<_>>()?.unwrap_or_default()).is_some() {
                        return Err(A::Error::duplicate_field("__metadata__"));
                    }
                }
                Ok(RawHeader { metadata: metadata.unwrap_or_default(), tensors })
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}
