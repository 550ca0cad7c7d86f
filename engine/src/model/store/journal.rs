//! Which pieces of a file are on the disk, and their checksums.

use std::collections::BTreeMap;

use super::{Disk, checksum, pieces};

/// How a journal begins, with the version of its form.
const MAGIC: [u8; 8] = *b"fairbit1";
/// Bytes before the first record: the magic and the file's size.
const HEAD: usize = 16;
/// Bytes of a record: piece, checksum of the piece, checksum of both.
const RECORD: usize = 12;

/// Records one after another; of two of one piece the later holds.
pub struct Journal<D> {
    disk: D,
    /// Where the next record goes.
    end: u64,
    checksums: BTreeMap<u64, u32>,
}

impl<D: Disk> Journal<D> {
    /// Reads what is there, as far as it is whole, and begins anew where it is of a file of another size.
    pub fn open(disk: D, size: u64) -> Journal<D> {
        let mut bytes = vec![0; usize::try_from(disk.size()).unwrap_or_default()];
        let read = disk.read(0, &mut bytes);
        bytes.truncate(read);
        let head = [MAGIC, size.to_le_bytes()].concat();
        let mut journal = Journal { disk, end: HEAD as u64, checksums: BTreeMap::new() };
        match bytes.strip_prefix(&head[..]) {
            Some(records) => journal.take(records, pieces(size)),
            None => {
                journal.disk.truncate(0);
                journal.disk.write(0, &head);
                journal.disk.flush();
            }
        }
        journal
    }

    /// Takes in the records that are right; the piece of one that is not counts as absent.
    fn take(&mut self, records: &[u8], pieces: u64) {
        for record in records.as_chunks::<RECORD>().0 {
            self.end += RECORD as u64;
            let [piece, of_piece, of_both] =
                [0, 4, 8].map(|at| u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]));
            if checksum(&record[..8]) == of_both && u64::from(piece) < pieces {
                self.checksums.insert(piece.into(), of_piece);
            }
        }
        // What was cut off in the middle makes room for what comes.
        self.disk.truncate(self.end);
    }

    /// Whether no piece is noted.
    pub fn is_empty(&self) -> bool {
        self.checksums.is_empty()
    }

    /// Of a piece that is noted.
    pub fn checksum(&self, piece: u64) -> Option<u32> {
        self.checksums.get(&piece).copied()
    }

    /// Notes a piece; false where there is no room.
    pub fn note(&mut self, piece: u64, of_piece: u32) -> bool {
        let Ok(number) = u32::try_from(piece) else { return false };
        let both = [number.to_le_bytes(), of_piece.to_le_bytes()].concat();
        let record = [&both[..], &checksum(&both).to_le_bytes()].concat();
        let room = self.disk.write(self.end, &record);
        if room {
            self.end += RECORD as u64;
            self.checksums.insert(piece, of_piece);
        } else {
            self.disk.truncate(self.end);
        }
        room
    }

    /// Returns when all that was noted is on the disk.
    pub fn flush(&self) {
        self.disk.flush();
    }
}
