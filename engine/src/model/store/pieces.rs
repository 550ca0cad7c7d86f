//! A file in pieces: what is kept is read from the cache, what is not is on its way, a few pieces at once.

use std::{collections::VecDeque, future::Future, pin::Pin, task::Poll};

use super::{CacheEntry, FileCache, range};
use crate::model::{error::ModelError, source::Ranged};

/// Pieces that come beside the one that is waited for: enough that a round trip does not leave the line idle. Together they are
/// what a cut connection costs at most.
const BESIDE: usize = 2;

type Fetch = Pin<Box<dyn Future<Output = Result<Vec<u8>, ModelError>>>>;

/// A file in pieces.
pub struct Pieces<S, H: FileCache> {
    pub source: S,
    pub cache: H,
    pub file: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// None where nothing is kept, or no longer.
    pub entry: Option<CacheEntry<H::Disk>>,
    /// Those that will be needed, the next first.
    pub order: VecDeque<u64>,
    /// From the source.
    pub coming: VecDeque<(u64, Fetch)>,
}

impl<S: Ranged + Clone + 'static, H: FileCache> Pieces<S, H> {
    fn fetch(&self, piece: u64) -> Fetch {
        let (source, file, size) = (self.source.clone(), self.file.clone(), self.size);
        Box::pin(async move { source.part(&file, range(piece, size), size).await })
    }

    /// Has the next few pieces on their way. Those that are kept are read when their turn comes, so that memory holds one.
    fn ask(&mut self) {
        while self.coming.len() < BESIDE
            && let Some(piece) = self.order.pop_front()
        {
            let kept = self.entry.as_ref().is_some_and(|entry| entry.notes(piece));
            if !kept && self.coming.iter().all(|(coming, _)| *coming != piece) {
                self.coming.push_back((piece, self.fetch(piece)));
            }
        }
    }

    /// A piece that is kept and whole.
    pub fn kept(&self, piece: u64) -> Option<Vec<u8>> {
        self.entry.as_ref()?.get(piece)
    }

    /// A piece, from wherever it is.
    pub async fn get(&mut self, piece: u64) -> Result<Vec<u8>, ModelError> {
        if let Some(bytes) = self.kept(piece) {
            self.ask();
            self.cache.pause().await;
            return Ok(bytes);
        }
        let coming = self.coming.iter().position(|(coming, _)| *coming == piece).and_then(|at| self.coming.remove(at));
        let waiting = self.order.iter().position(|waiting| *waiting == piece);
        waiting.and_then(|at| self.order.remove(at));
        // What is not on its way is the first of all, or was kept and is damaged, or came when there was no room for it.
        let fetch = coming.map_or_else(|| self.fetch(piece), |(_, fetch)| fetch);
        self.ask();
        let bytes = self.first_of(fetch).await?;
        self.keep(piece, &bytes);
        Ok(bytes)
    }

    /// Awaits one piece while the others come too.
    async fn first_of(&mut self, mut fetch: Fetch) -> Result<Vec<u8>, ModelError> {
        std::future::poll_fn(|context| {
            let first = fetch.as_mut().poll(context);
            let mut at = 0;
            while first.is_pending() && at < self.coming.len() {
                if let Poll::Ready(came) = self.coming[at].1.as_mut().poll(context) {
                    let piece = self.coming[at].0;
                    if came.as_ref().is_ok_and(|bytes| self.keep(piece, bytes)) {
                        // The next takes its place, and is begun at once.
                        self.coming.remove(at);
                        self.ask();
                        continue;
                    }
                    self.coming[at].1 = Box::pin(std::future::ready(came));
                }
                at += 1;
            }
            first
        })
        .await
    }

    /// Whether a piece is kept now. The first for which there is no room ends the keeping.
    fn keep(&mut self, piece: u64, bytes: &[u8]) -> bool {
        let Some(entry) = &mut self.entry else { return false };
        let room = entry.put(piece, bytes);
        if !room {
            self.entry = None;
            self.cache.full(&self.file);
        }
        room
    }
}
