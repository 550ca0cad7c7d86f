//! A source whose large files are kept on a shelf: what is there is read from it, what is not is fetched, a few pieces at
//! once, and put there. Without a shelf, or without room on it, everything is fetched.

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    future::Future,
    ops::Range,
    pin::Pin,
    rc::Rc,
};

use super::{Disk, Entry, PIECE, pieces, range};
use crate::model::{
    error::ModelError,
    source::{Extent, Ranged, Reader, Source},
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

    /// Drops what is kept under a key.
    async fn remove(&self, key: &str);

    /// Hears that there is no room for a file.
    fn full(&self, file: &str);
}

/// A source and the shelf of its files.
#[derive(Debug, Clone)]
pub struct Kept<S, H> {
    /// Where files come from.
    source: S,
    /// Where they are kept.
    shelf: H,
    /// Of each file that was asked for.
    extents: Rc<RefCell<BTreeMap<String, Option<Extent>>>>,
}

impl<S: Ranged, H: Shelf> Kept<S, H> {
    /// Files of `source`, kept on `shelf`.
    pub fn new(source: S, shelf: H) -> Kept<S, H> {
        Kept { source, shelf, extents: Rc::default() }
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

impl<S: Ranged + Clone + 'static, H: Shelf> Source for Kept<S, H> {
    type Reader = KeptReader<S, H>;

    fn folder(&self, path: &str) -> Kept<S, H> {
        Kept::new(self.source.folder(path), self.shelf.clone())
    }

    fn digest(&self, file: &str) -> Option<&str> {
        self.source.digest(file)
    }

    async fn open(&self, file: &str) -> Result<KeptReader<S, H>, ModelError> {
        let Some(extent) = self.known(file).await? else {
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

    async fn forget(&self, file: &str) {
        if let Ok(Some(Extent { key: Some(key), .. })) = self.known(file).await {
            self.shelf.remove(&key).await;
        }
        self.extents.borrow_mut().remove(file);
    }
}

impl<S: Ranged + Clone + 'static, H: Shelf> Ranged for Kept<S, H> {
    async fn extent(&self, file: &str) -> Result<Option<Extent>, ModelError> {
        self.known(file).await
    }

    /// From the shelf where the pieces are there, else from the source.
    async fn part(&self, file: &str, asked: Range<u64>, size: u64) -> Result<Vec<u8>, ModelError> {
        let entry = match self.known(file).await? {
            Some(Extent { key: Some(key), size }) => self.shelf.entry(&key, size).await,
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
