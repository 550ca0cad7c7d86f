//! Files kept for the next visit, in pieces. A piece is noted in the file's journal, with its checksum, once it is written:
//! whatever is cut off, wherever, what the journal names is there or is found to be damaged.

mod cached;
mod journal;
mod parts;
mod pieces;

pub use cached::{Cached, CachedReader, FileCache};

use journal::Journal;

/// Bytes of a piece: what a broken connection or a flipped bit costs at most.
pub const PIECE: u64 = 1 << 20;

/// Pieces after which it is waited for the disk. A page that ends loses nothing that was written; a machine that loses its power
/// loses at most these, and their checksums tell.
const BETWEEN_FLUSHES: u64 = 16;

/// A file that bytes can be put into anywhere.
pub trait Disk {
    /// Bytes in it.
    fn size(&self) -> u64;

    /// Reads from `at` on; the number of bytes that were there.
    fn read(&self, at: u64, to: &mut [u8]) -> usize;

    /// Writes all of the bytes at `at`; false where there is no room for them.
    fn write(&self, at: u64, bytes: &[u8]) -> bool;

    /// Leaves only the first bytes.
    fn truncate(&self, size: u64);

    /// Returns when all that was written is on the disk.
    fn flush(&self);
}

/// A file of known size, some pieces of which are there.
pub struct CacheEntry<D> {
    data: D,
    journal: Journal<D>,
    size: u64,
}

impl<D: Disk> CacheEntry<D> {
    /// Opens what is there of a file of `size` bytes; of a file of another size, or of none, nothing is there.
    pub fn open(data: D, journal: D, size: u64) -> CacheEntry<D> {
        let journal = Journal::open(journal, size);
        if journal.is_empty() {
            data.truncate(0);
        }
        CacheEntry { data, journal, size }
    }

    /// Bytes of the whole file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes of the pieces that are noted.
    pub fn held(&self) -> u64 {
        (0..pieces(self.size)).filter(|&piece| self.notes(piece)).map(|piece| self.length(piece)).sum()
    }

    fn length(&self, piece: u64) -> u64 {
        let range = range(piece, self.size);
        range.end - range.start
    }

    /// Whether a piece is noted.
    pub fn notes(&self, piece: u64) -> bool {
        self.journal.checksum(piece).is_some()
    }

    /// A piece that is there and whole.
    pub fn get(&self, piece: u64) -> Option<Vec<u8>> {
        let expected = self.journal.checksum(piece)?;
        let range = range(piece, self.size);
        let mut bytes = vec![0; usize::try_from(range.end - range.start).ok()?];
        let whole = self.data.read(range.start, &mut bytes) == bytes.len();
        (whole && checksum(&bytes) == expected).then_some(bytes)
    }

    /// Keeps a piece; false where there is no room. What is noted of it is noted last.
    pub fn put(&mut self, piece: u64, bytes: &[u8]) -> bool {
        debug_assert_eq!(bytes.len() as u64, self.length(piece));
        if !self.data.write(piece * PIECE, bytes) {
            return false;
        }
        let room = self.journal.note(piece, checksum(bytes));
        if (piece + 1).is_multiple_of(BETWEEN_FLUSHES) {
            self.data.flush();
            self.journal.flush();
        }
        room
    }
}

/// How many pieces a file of `size` bytes has.
pub fn pieces(size: u64) -> u64 {
    size.div_ceil(PIECE)
}

/// The bytes of a piece of a file of `size` bytes.
pub fn range(piece: u64, size: u64) -> std::ops::Range<u64> {
    let first = piece * PIECE;
    first..size.min(first + PIECE)
}

/// CRC-32: every change of up to 32 neighbouring bits is seen, and any other but for one in four thousand million.
fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
