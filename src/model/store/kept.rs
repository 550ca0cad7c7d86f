//! A source whose large files are kept on a shelf: what is there is read from it, what is not is fetched, a few pieces at
//! once, and put there. Without a shelf, or without room on it, everything is fetched.

use std::{collections::VecDeque, future::Future, pin::Pin};

use super::{Disk, Entry, pieces, range};
use crate::model::{
    error::ModelError,
    source::{Ranged, Reader, Source},
};

/// Pieces asked for at once: enough that a round trip does not leave the line idle, and what a cut connection costs at most.
const AT_ONCE: usize = 3;

/// Where files are kept.
#[allow(async_fn_in_trait)] // used through generics in one thread
pub trait Shelf: Clone + 'static {
    /// What it is made of.
    type Disk: Disk + 'static;

    /// The place of a file, by its key; none where nothing can be kept.
    async fn entry(&self, key: &str, size: u64) -> Option<Entry<Self::Disk>>;

    /// Hears that there is no room for a file.
    fn full(&self, file: &str);
}

/// A source and the shelf of its files.
#[derive(Debug, Clone)]
pub struct Kept<S, H> {
    /// Where files come from.
    pub source: S,
    /// Where they are kept.
    pub shelf: H,
}

impl<S: Ranged + Clone + 'static, H: Shelf> Source for Kept<S, H> {
    type Reader = KeptReader<S, H>;

    fn folder(&self, path: &str) -> Kept<S, H> {
        Kept { source: self.source.folder(path), shelf: self.shelf.clone() }
    }

    fn digest(&self, file: &str) -> Option<&str> {
        self.source.digest(file)
    }

    async fn open(&self, file: &str) -> Result<KeptReader<S, H>, ModelError> {
        let Some(extent) = self.source.extent(file).await? else {
            return Ok(KeptReader::Plain(self.source.open(file).await?));
        };
        let entry = match &extent.key {
            Some(key) => self.shelf.entry(key, extent.size).await,
            None => None,
        };
        Ok(KeptReader::Pieces(Pieces {
            source: self.source.clone(),
            shelf: self.shelf.clone(),
            file: file.into(),
            size: extent.size,
            entry,
            next: 0,
            coming: VecDeque::new(),
        }))
    }

    async fn read(&self, file: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
        self.source.read(file, limit).await
    }
}

/// Reads a file from its shelf and its source.
pub enum KeptReader<S: Source, H: Shelf> {
    /// From a server that has no ranges.
    Plain(S::Reader),
    /// Piece by piece.
    Pieces(Pieces<S, H>),
}

impl<S: Ranged + Clone + 'static, H: Shelf> Reader for KeptReader<S, H> {
    fn size(&self) -> Option<u64> {
        match self {
            KeptReader::Plain(reader) => reader.size(),
            KeptReader::Pieces(pieces) => Some(pieces.size),
        }
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        match self {
            KeptReader::Plain(reader) => reader.next().await,
            KeptReader::Pieces(pieces) => pieces.next().await,
        }
    }
}

type Fetch = Pin<Box<dyn Future<Output = Result<Vec<u8>, ModelError>>>>;

/// A piece on its way.
enum Coming {
    /// From the shelf: read when its turn comes, so that memory holds one.
    Held(u64),
    /// From the source.
    Fetched(u64, Fetch),
}

/// A file in pieces.
pub struct Pieces<S, H: Shelf> {
    source: S,
    shelf: H,
    file: String,
    size: u64,
    /// None where nothing is kept, or no longer.
    entry: Option<Entry<H::Disk>>,
    /// The first piece that is not on its way.
    next: u64,
    coming: VecDeque<Coming>,
}

impl<S: Ranged + Clone + 'static, H: Shelf> Pieces<S, H> {
    fn fetch(&self, piece: u64) -> Fetch {
        let (source, file, size) = (self.source.clone(), self.file.clone(), self.size);
        Box::pin(async move { source.part(&file, range(piece, size), size).await })
    }

    /// Has the next few pieces on their way.
    fn ask(&mut self) {
        while self.coming.len() < AT_ONCE && self.next < pieces(self.size) {
            let held = self.entry.as_ref().is_some_and(|entry| entry.notes(self.next));
            let coming = if held { Coming::Held(self.next) } else { Coming::Fetched(self.next, self.fetch(self.next)) };
            self.coming.push_back(coming);
            self.next += 1;
        }
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        self.ask();
        let Some(first) = self.coming.pop_front() else { return Ok(None) };
        let (piece, fetch) = match first {
            Coming::Held(piece) => match self.entry.as_ref().and_then(|entry| entry.get(piece)) {
                Some(bytes) => return Ok(Some(bytes)),
                // Damaged since: this one is fetched again, alone.
                None => (piece, self.fetch(piece)),
            },
            Coming::Fetched(piece, fetch) => (piece, fetch),
        };
        let bytes = self.first_of(fetch).await?;
        if self.entry.as_mut().is_some_and(|entry| !entry.put(piece, &bytes)) {
            self.entry = None;
            self.shelf.full(&self.file);
        }
        Ok(Some(bytes))
    }

    /// Awaits one piece while those behind it come too.
    async fn first_of(&mut self, mut fetch: Fetch) -> Result<Vec<u8>, ModelError> {
        std::future::poll_fn(|context| {
            for coming in &mut self.coming {
                if let Coming::Fetched(piece, behind) = coming
                    && let std::task::Poll::Ready(bytes) = behind.as_mut().poll(context)
                {
                    let piece = *piece;
                    *coming = Coming::Fetched(piece, Box::pin(std::future::ready(bytes)));
                }
            }
            fetch.as_mut().poll(context)
        })
        .await
    }
}
