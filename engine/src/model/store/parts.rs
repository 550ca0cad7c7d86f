//! A kept file, read from its first byte to its last, or part by part in the order in which they are needed.

use std::{collections::VecDeque, ops::Range};

use sha2::{Digest, Sha256};

use super::{CacheEntry, FileCache, PIECE, pieces, pieces::Pieces, range};
use crate::model::{error::ModelError, source::Ranged};

/// A digest is made from the first byte to the last. Pieces that came before their turn are read again for it, so many for each
/// that comes: while the line is slow there is time.
const CATCHING_UP: usize = 2;

/// Parts of a file.
pub struct Parts<S, H: FileCache> {
    pieces: Pieces<S, H>,
    /// What is still to be handed out.
    parts: VecDeque<Range<u64>>,
    /// The piece that was read last, where the next part may begin.
    last: Option<(u64, Vec<u8>)>,
    /// Where the parts are not handed out in the order of the file.
    digest: Option<Catching>,
}

/// A digest and the first piece that it has not seen.
struct Catching {
    hasher: Sha256,
    next: u64,
}

impl Catching {
    fn see(&mut self, piece: u64, bytes: &[u8]) {
        if piece == self.next {
            self.hasher.update(bytes);
            self.next += 1;
        }
    }
}

impl<S: Ranged + Clone + 'static, H: FileCache> Parts<S, H> {
    /// All of a file of `size` bytes.
    pub fn new(source: S, cache: H, file: &str, size: u64, entry: Option<CacheEntry<H::Disk>>) -> Parts<S, H> {
        let (order, coming) = ((0..pieces(size)).collect(), VecDeque::new());
        let pieces = Pieces { source, cache, file: file.into(), size, entry, order, coming };
        let parts = std::iter::once(0..size).filter(|all| !all.is_empty()).collect();
        Parts { pieces, parts, last: None, digest: None }
    }

    /// Bytes of the whole file.
    pub fn size(&self) -> u64 {
        self.pieces.size
    }

    /// See [`Reader::arrange`](crate::model::source::Reader::arrange): what cannot be kept cannot be read again for the digest.
    pub fn arrange(&mut self, order: Vec<Range<u64>>) -> bool {
        if self.pieces.entry.is_none() {
            return false;
        }
        let of_parts = order.iter().flat_map(|part| part.start / PIECE..part.end.div_ceil(PIECE));
        let mut known = std::collections::BTreeSet::new();
        let all = of_parts.chain(0..pieces(self.pieces.size));
        self.pieces.order = all.filter(|piece| known.insert(*piece)).collect();
        self.parts = order.into_iter().filter(|part| !part.is_empty()).collect();
        self.digest = Some(Catching { hasher: Sha256::new(), next: 0 });
        true
    }

    /// The next bytes, never of two parts.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let Some(part) = self.parts.front().cloned() else { return Ok(None) };
        let piece = part.start / PIECE;
        let own = range(piece, self.pieces.size);
        let end = part.end.min(own.end);
        let bytes = match self.last.take().filter(|(last, _)| *last == piece) {
            Some((_, bytes)) => bytes,
            None => {
                let bytes = self.pieces.get(piece).await?;
                self.see(piece, &bytes);
                bytes
            }
        };
        match end == part.end {
            true => drop(self.parts.pop_front()),
            false => self.parts[0].start = end,
        }
        if (part.start, end) == (own.start, own.end) {
            return Ok(Some(bytes));
        }
        let asked = bytes[(part.start - own.start) as usize..(end - own.start) as usize].to_vec();
        self.last = Some((piece, bytes));
        Ok(Some(asked))
    }

    fn see(&mut self, piece: u64, bytes: &[u8]) {
        let Some(digest) = &mut self.digest else { return };
        digest.see(piece, bytes);
        for _ in 0..CATCHING_UP {
            let Some(bytes) = self.pieces.kept(digest.next) else { break };
            digest.see(digest.next, &bytes);
        }
    }

    /// Of all bytes of the file, where its parts were arranged.
    pub async fn digest(&mut self) -> Result<Option<[u8; 32]>, ModelError> {
        let Some(mut digest) = self.digest.take() else { return Ok(None) };
        while digest.next < pieces(self.pieces.size) {
            let bytes = self.pieces.get(digest.next).await?;
            digest.see(digest.next, &bytes);
        }
        Ok(Some(digest.hasher.finalize().into()))
    }
}
