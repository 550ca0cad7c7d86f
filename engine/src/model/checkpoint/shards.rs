//! A checkpoint in one file, or in several that `model.safetensors.index.json` lists.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{Checkpoint, FILE, Finished, Header, Progress, Rank, Tensor};
use crate::model::{
    error::ModelError,
    source::{Ranged, Reader, Source, check_name, sha256},
};

/// Where a folder says which tensor is in which file.
pub const INDEX: &str = "model.safetensors.index.json";
/// Bound on it: a hundred bytes for each tensor of the largest models.
const INDEX_LIMIT: u64 = 16 << 20;
/// Bound on the files of a checkpoint; the largest known have some two hundred.
const MOST_FILES: usize = 1000;

#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

/// Every file of a checkpoint, its header in and checked.
pub struct Shards<R> {
    files: Vec<Checkpoint<R>>,
}

/// Opens each file of a folder's checkpoint: the one file where it is there, else the files of the index, in the order of their
/// names. Then every tensor is in the file that the index names, and in no other.
async fn each<T>(
    source: &impl Source,
    open: impl AsyncFn(&str) -> Result<T, ModelError>,
    header: impl Fn(&T) -> &Header,
) -> Result<Vec<T>, ModelError> {
    let missing = match open(FILE).await {
        Err(missing @ ModelError::NotFound { .. }) => missing,
        opened => return Ok(vec![opened?]),
    };
    let places = match source.read_json::<Index>(INDEX, INDEX_LIMIT).await {
        Ok(index) => index.weight_map,
        // Folders without either are told of the file that most of them have.
        Err(ModelError::NotFound { .. }) => return Err(missing),
        Err(fault) => return Err(fault),
    };
    let names: BTreeSet<&String> = places.values().collect();
    if names.is_empty() || names.len() > MOST_FILES {
        return Err(ModelError::WrongShards { file: INDEX.into(), count: names.len(), most: MOST_FILES });
    }
    names.iter().try_for_each(|name| check_name(INDEX, name))?;
    let mut files = Vec::with_capacity(names.len());
    for name in names {
        files.push(open(name).await?);
    }
    check(files.iter().map(header), &places)?;
    Ok(files)
}

/// Every tensor must be in the file that the index names, and in no other.
fn check<'a>(headers: impl Iterator<Item = &'a Header>, places: &BTreeMap<String, String>) -> Result<(), ModelError> {
    let mut seen = BTreeMap::new();
    for header in headers {
        for entry in header.entries() {
            if seen.insert(entry.name.as_str(), header.file()).is_some() {
                let (file, tensor) = (header.file().to_string(), entry.name.clone());
                return Err(ModelError::DuplicateTensor { file, tensor });
            }
        }
    }
    match places.iter().find(|(tensor, file)| seen.get(tensor.as_str()) != Some(&file.as_str())) {
        Some((tensor, file)) => Err(ModelError::NotInShard { file: file.clone(), tensor: tensor.clone() }),
        None => Ok(()),
    }
}

/// The headers of a folder's checkpoint, and no more than them where its files can be asked for in parts.
pub async fn read_headers(source: &impl Ranged) -> Result<Vec<Header>, ModelError> {
    each(source, async |file| Header::read(source, file).await, |header| header).await
}

impl<R: Reader> Shards<R> {
    /// Opens a folder's checkpoint.
    pub async fn open<S: Source<Reader = R>>(source: &S) -> Result<Shards<R>, ModelError> {
        let files = each(source, async |file| Checkpoint::open(source, file).await, Checkpoint::header).await?;
        Ok(Shards { files })
    }

    /// The header of each file.
    pub fn headers(&self) -> impl Iterator<Item = &Header> + Clone {
        self.files.iter().map(Checkpoint::header)
    }

    /// Reads all files, one after another; see [`Checkpoint::stream`]. `on_file` hears each at its end. What is returned is of
    /// all of them: of several the digest is that of the list which `sha256sum` prints of them.
    pub async fn stream<E: From<ModelError>>(
        self,
        cancelled: impl Fn() -> bool,
        on_bytes: impl FnMut(Progress),
        on_tensor: impl FnMut(Tensor) -> Result<(), E>,
        on_file: impl FnMut(&str, &Finished) -> Result<(), E>,
    ) -> Result<Finished, E> {
        self.stream_some(&|_| Some(0), cancelled, on_bytes, on_tensor, on_file).await
    }

    /// The same for some of the tensors; see [`Checkpoint::stream_some`].
    pub async fn stream_some<E: From<ModelError>>(
        self,
        rank: Rank<'_>,
        cancelled: impl Fn() -> bool,
        mut on_bytes: impl FnMut(Progress),
        mut on_tensor: impl FnMut(Tensor) -> Result<(), E>,
        mut on_file: impl FnMut(&str, &Finished) -> Result<(), E>,
    ) -> Result<Finished, E> {
        let total = self.headers().map(Header::file_bytes).fold(0, u64::saturating_add);
        let (mut before, mut all) = (0, Vec::with_capacity(self.files.len()));
        for checkpoint in self.files {
            let file = checkpoint.header().file().to_string();
            let told = |progress: Progress| on_bytes(Progress { bytes: before + progress.bytes, total });
            let finished = checkpoint.stream_some(rank, &cancelled, told, &mut on_tensor).await?;
            on_file(&file, &finished)?;
            before += finished.bytes;
            all.push((file, finished.sha256));
        }
        let sha256 = match &all[..] {
            [(_, of_one)] => of_one.clone(),
            _ => sha256(all.iter().map(|(file, of)| format!("{of}  {file}\n")).collect::<String>().as_bytes()),
        };
        Ok(Finished { bytes: before, sha256 })
    }
}
