//! A source whose large files are kept in a cache: what is there is read from it, what is not is fetched, a few pieces at
//! once, and put there. Without a cache, or without room on it, everything is fetched.

use std::{cell::RefCell, collections::BTreeMap, ops::Range, rc::Rc};

use super::{CacheEntry, Disk, PIECE, parts::Parts, range};
use crate::model::{
    error::ModelError,
    source::{Extent, Ranged, Reader, Source},
};

/// Where files are kept.
#[allow(async_fn_in_trait)] // used through generics in one thread
pub trait FileCache: Clone + 'static {
    /// What it is made of.
    type Disk: Disk + 'static;

    /// The place of a file, by its key; none where nothing can be kept.
    async fn entry(&self, key: &str, size: u64) -> Option<CacheEntry<Self::Disk>>;

    /// Drops what is kept under a key.
    async fn remove(&self, key: &str);

    /// Hears that there is no room for a file.
    fn full(&self, file: &str);

    /// Awaited after each piece that was there: others may have something to say.
    async fn pause(&self) {}
}

/// A source and the cache of its files.
#[derive(Debug, Clone)]
pub struct Cached<S, H> {
    /// Where files come from.
    source: S,
    /// Where they are kept.
    cache: H,
    /// Of each file that was asked for.
    extents: Rc<RefCell<BTreeMap<String, Option<Extent>>>>,
}

impl<S: Ranged, H: FileCache> Cached<S, H> {
    /// Files of `source`, kept on `cache`.
    pub fn new(source: S, cache: H) -> Cached<S, H> {
        Cached { source, cache, extents: Rc::default() }
    }

    /// What is known of a file, which is asked once.
    async fn known(&self, file: &str) -> Result<Option<Extent>, ModelError> {
        let known = self.extents.borrow().get(file).cloned();
        match known {
            Some(extent) => Ok(extent),
            None => {
                let extent = self.source.extent(file).await?;
                self.extents.borrow_mut().insert(file.into(), extent.clone());
                Ok(extent)
            }
        }
    }
}

impl<S: Ranged + Clone + 'static, H: FileCache> Source for Cached<S, H> {
    type Reader = CachedReader<S, H>;

    fn folder(&self, path: &str) -> Cached<S, H> {
        Cached::new(self.source.folder(path), self.cache.clone())
    }

    fn digest(&self, file: &str) -> Option<&str> {
        self.source.digest(file)
    }

    async fn open(&self, file: &str) -> Result<CachedReader<S, H>, ModelError> {
        let Some(extent) = self.known(file).await? else {
            return Ok(CachedReader::Plain(self.source.open(file).await?));
        };
        let entry = match &extent.key {
            Some(key) => self.cache.entry(key, extent.size).await,
            None => None,
        };
        let cache = self.cache.clone();
        Ok(CachedReader::Parts(Box::new(Parts::new(self.source.clone(), cache, file, extent.size, entry))))
    }

    async fn read(&self, file: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
        self.source.read(file, limit).await
    }

    async fn forget(&self, file: &str) {
        if let Ok(Some(Extent { key: Some(key), .. })) = self.known(file).await {
            self.cache.remove(&key).await;
        }
        self.extents.borrow_mut().remove(file);
    }
}

impl<S: Ranged + Clone + 'static, H: FileCache> Ranged for Cached<S, H> {
    async fn extent(&self, file: &str) -> Result<Option<Extent>, ModelError> {
        self.known(file).await
    }

    /// From the cache where the pieces are there, else from the source.
    async fn part(&self, file: &str, asked: Range<u64>, size: u64) -> Result<Vec<u8>, ModelError> {
        let entry = match self.known(file).await? {
            Some(Extent { key: Some(key), size }) => self.cache.entry(&key, size).await,
            _ => None,
        };
        let mut bytes = Vec::with_capacity(usize::try_from(asked.end - asked.start).unwrap_or_default());
        for piece in asked.start / PIECE..asked.end.div_ceil(PIECE) {
            let own = range(piece, size);
            let (from, to) = (asked.start.max(own.start), asked.end.min(own.end));
            match entry.as_ref().and_then(|entry| entry.get(piece)) {
                Some(held) => bytes.extend_from_slice(&held[(from - own.start) as usize..(to - own.start) as usize]),
                None => bytes.extend(self.source.part(file, from..to, size).await?),
            }
        }
        Ok(bytes)
    }
}

/// Reads a file from its cache and its source.
pub enum CachedReader<S: Source, H: FileCache> {
    /// From a server that has no ranges.
    Plain(S::Reader),
    /// Piece by piece.
    Parts(Box<Parts<S, H>>),
}

impl<S: Ranged + Clone + 'static, H: FileCache> Reader for CachedReader<S, H> {
    fn size(&self) -> Option<u64> {
        match self {
            CachedReader::Plain(reader) => reader.size(),
            CachedReader::Parts(parts) => Some(parts.size()),
        }
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        match self {
            CachedReader::Plain(reader) => reader.next().await,
            CachedReader::Parts(parts) => parts.next().await,
        }
    }

    fn arrange(&mut self, order: Vec<Range<u64>>) -> bool {
        match self {
            CachedReader::Plain(reader) => reader.arrange(order),
            CachedReader::Parts(parts) => parts.arrange(order),
        }
    }

    async fn digest(&mut self) -> Result<Option<[u8; 32]>, ModelError> {
        match self {
            CachedReader::Plain(reader) => reader.digest().await,
            CachedReader::Parts(parts) => parts.digest().await,
        }
    }
}
