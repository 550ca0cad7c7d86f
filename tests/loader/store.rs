//! Files kept in pieces: cut anywhere they go on, damaged they are mended, and a full disk stops nothing.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use fairbits::model::{
    ModelError,
    source::{
        Http, Ranged, Reader, Source,
        http::{Answer, Body, Fault, Transport},
    },
    store::{CacheEntry, Cached, Disk, FileCache, PIECE},
};
use proptest::prelude::*;

/// A file in memory, on a disk with some room.
#[derive(Clone)]
pub struct File {
    bytes: Rc<RefCell<Vec<u8>>>,
    room: Rc<Cell<u64>>,
}

impl Disk for File {
    fn size(&self) -> u64 {
        self.bytes.borrow().len() as u64
    }

    fn read(&self, at: u64, to: &mut [u8]) -> usize {
        let bytes = self.bytes.borrow();
        let there = bytes.get(at as usize..).unwrap_or_default();
        let count = there.len().min(to.len());
        to[..count].copy_from_slice(&there[..count]);
        count
    }

    fn write(&self, at: u64, new: &[u8]) -> bool {
        let mut bytes = self.bytes.borrow_mut();
        let end = at as usize + new.len();
        let more = end.saturating_sub(bytes.len()) as u64;
        if more > self.room.get() {
            return false;
        }
        self.room.set(self.room.get() - more);
        let length = bytes.len().max(end);
        bytes.resize(length, 0);
        bytes[at as usize..end].copy_from_slice(new);
        true
    }

    fn truncate(&self, size: u64) {
        self.bytes.borrow_mut().truncate(size as usize);
    }

    fn flush(&self) {}
}

/// Data and journal of each key.
#[derive(Clone)]
pub struct MemoryCache {
    files: Rc<RefCell<BTreeMap<String, [File; 2]>>>,
    room: Rc<Cell<u64>>,
    pub full: Rc<Cell<usize>>,
}

impl MemoryCache {
    pub fn with_room(room: u64) -> MemoryCache {
        MemoryCache { files: Rc::default(), room: Rc::new(Cell::new(room)), full: Rc::default() }
    }

    fn only(&self) -> [File; 2] {
        let files = self.files.borrow();
        assert_eq!(files.len(), 1);
        files.values().next().unwrap().clone()
    }
}

impl FileCache for MemoryCache {
    type Disk = File;

    async fn entry(&self, key: &str, size: u64) -> Option<CacheEntry<File>> {
        let file = || File { bytes: Rc::default(), room: self.room.clone() };
        let mut files = self.files.borrow_mut();
        let [data, journal] = files.entry(key.into()).or_insert_with(|| [file(), file()]).clone();
        Some(CacheEntry::open(data, journal, size))
    }

    async fn remove(&self, key: &str) {
        self.files.borrow_mut().remove(key);
    }

    fn full(&self, _: &str) {
        self.full.set(self.full.get() + 1);
    }
}

/// A server whose line can be cut after some bytes.
#[derive(Clone)]
pub struct Line {
    content: Rc<Vec<u8>>,
    pub version: Option<&'static str>,
    ranges: bool,
    /// Bytes until the cut.
    left: Rc<Cell<u64>>,
    sent: Rc<Cell<u64>>,
}

impl Line {
    pub fn new(content: Vec<u8>) -> Line {
        Line {
            content: Rc::new(content),
            version: Some("one"),
            ranges: true,
            left: Rc::new(Cell::new(u64::MAX)),
            sent: Rc::default(),
        }
    }

    pub fn cut_after(&self, bytes: u64) {
        self.left.set(bytes);
    }

    pub fn sent(&self) -> u64 {
        self.sent.replace(0)
    }
}

pub struct Bytes {
    line: Line,
    at: usize,
    end: usize,
}

impl Body for Bytes {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let count = (self.end - self.at).min(10_007);
        if count as u64 > self.line.left.get() {
            return Err(Fault::Failed("cut".into()));
        }
        self.line.left.set(self.line.left.get() - count as u64);
        self.line.sent.set(self.line.sent.get() + count as u64);
        let chunk = self.line.content[self.at..self.at + count].to_vec();
        self.at += count;
        Ok((count > 0).then_some(chunk))
    }
}

impl Transport for Line {
    type Body = Bytes;

    async fn get(&self, _: &str, range: Option<(u64, u64)>) -> Result<Answer<Bytes>, Fault> {
        let size = self.content.len();
        let version = self.version.map(String::from);
        match range.filter(|_| self.ranges) {
            Some((first, last)) => {
                let (at, end) = (first as usize, size.min(last as usize + 1));
                let range = Some(format!("bytes {at}-{}/{size}", end - 1));
                let body = Bytes { line: self.clone(), at, end };
                Ok(Answer { status: 206, length: Some((end - at) as u64), range, version, body })
            }
            None => {
                let body = Bytes { line: self.clone(), at: 0, end: size };
                Ok(Answer { status: 200, length: Some(size as u64), range: None, version, body })
            }
        }
    }
}

fn read(line: &Line, cache: &MemoryCache) -> Result<Vec<u8>, ModelError> {
    pollster::block_on(async {
        let source = Cached::new(Http::new("http://somewhere/model", line.clone()), cache.clone());
        let (mut reader, mut bytes) = (source.open("model.safetensors").await?, Vec::new());
        while let Some(chunk) = reader.next().await? {
            bytes.extend(chunk);
        }
        Ok(bytes)
    })
}

/// Bytes that no two pieces share.
fn content(size: u64) -> Vec<u8> {
    (0..size).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Numbers as if at random.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

const SIZE: u64 = 12 * PIECE + 12_345;

#[test]
fn a_second_visit_fetches_nothing() {
    let (line, cache) = (Line::new(content(SIZE)), MemoryCache::with_room(u64::MAX));
    assert_eq!(read(&line, &cache).unwrap(), *line.content);
    assert!(line.sent() >= SIZE);
    assert_eq!(read(&line, &cache).unwrap(), *line.content);
    assert!(line.sent() <= 16, "only how large the file is was asked");
}

/// The line is cut at twelve places, each time all that is in memory is lost; it completes, and little came twice.
#[test]
fn a_download_goes_on_where_it_was_cut() {
    for seed in 0..8 {
        let (line, cache) = (Line::new(content(SIZE)), MemoryCache::with_room(u64::MAX));
        let mut dice = Dice(seed);
        for _ in 0..12 {
            line.cut_after(dice.below(SIZE / 6));
            if let Err(fault) = read(&line, &cache) {
                assert!(fault.to_string().contains("cut"), "{fault}");
            }
        }
        line.cut_after(u64::MAX);
        assert_eq!(read(&line, &cache).unwrap(), *line.content);
        assert!(line.sent() - SIZE < 12 * 4_000_000, "less than 4 MB for each cut");
    }
}

#[test]
fn damage_is_found_and_only_the_damaged_piece_is_fetched_again() {
    let (line, cache) = (Line::new(content(SIZE)), MemoryCache::with_room(u64::MAX));
    read(&line, &cache).unwrap();
    line.sent();
    let mut dice = Dice(7);
    for trial in 0..100 {
        // Mostly the data, now and then a record of the journal.
        let file = cache.only()[usize::from(trial % 5 == 4)].clone();
        let head = if trial % 5 == 4 { 16 } else { 0 };
        let at = (head + dice.below(file.size() - head)) as usize;
        file.bytes.borrow_mut()[at] ^= 1 << dice.below(8);
        assert_eq!(read(&line, &cache).unwrap(), *line.content, "trial {trial}");
        let sent = line.sent();
        // A record of the journal may be one that a later one of the same piece has made void.
        let least = if head > 0 { 0 } else { 12_345 };
        assert!((least..=PIECE + 16).contains(&sent), "trial {trial}: {sent} bytes");
    }
}

#[test]
fn a_journal_cut_off_in_the_middle_of_a_record_loses_that_piece_alone() {
    let (line, cache) = (Line::new(content(SIZE)), MemoryCache::with_room(u64::MAX));
    read(&line, &cache).unwrap();
    let [_, journal] = cache.only();
    journal.truncate(journal.size() - 5);
    line.sent();
    assert_eq!(read(&line, &cache).unwrap(), *line.content);
    assert!(line.sent() < PIECE);
    assert_eq!(read(&line, &cache).unwrap(), *line.content);
    assert!(line.sent() <= 16);
}

#[test]
fn a_full_disk_is_told_of_once_and_stops_nothing() {
    let (line, cache) = (Line::new(content(SIZE)), MemoryCache::with_room(2 * PIECE + PIECE / 2));
    assert_eq!(read(&line, &cache).unwrap(), *line.content);
    assert_eq!(cache.full.get(), 1);
    line.sent();
    assert_eq!(read(&line, &cache).unwrap(), *line.content);
    assert!((SIZE - 2 * PIECE..=SIZE - 2 * PIECE + 16).contains(&line.sent()), "two pieces were kept");
}

#[test]
fn another_version_is_another_file_and_a_server_without_ranges_is_read_as_before() {
    let (mut line, cache) = (Line::new(content(SIZE)), MemoryCache::with_room(u64::MAX));
    read(&line, &cache).unwrap();
    line.version = Some("two");
    line.sent();
    read(&line, &cache).unwrap();
    assert!(line.sent() >= SIZE);
    assert_eq!(cache.files.borrow().len(), 2);
    line.version = None;
    assert_eq!(read(&line, &cache).unwrap(), *line.content);
    assert_eq!(cache.files.borrow().len(), 2, "a file that may change unseen is not kept");
    line.ranges = false;
    assert_eq!(read(&line, &cache).unwrap(), *line.content);
    assert_eq!(cache.files.borrow().len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever part is asked for, and however little of the file is kept: its bytes.
    #[test]
    fn a_part_is_read_from_what_is_kept_and_from_where_it_comes(a in 0..=SIZE, b in 0..=SIZE, cut in 0..SIZE) {
        let (line, cache) = (Line::new(content(SIZE)), MemoryCache::with_room(u64::MAX));
        line.cut_after(cut);
        let whole = read(&line, &cache).is_ok();
        line.cut_after(u64::MAX);
        line.sent();
        let source = Cached::new(Http::new("http://somewhere/model", line.clone()), cache.clone());
        let (from, to) = (a.min(b), a.max(b));
        let part = pollster::block_on(source.part("model.safetensors", from..to, SIZE)).unwrap();
        prop_assert_eq!(&part[..], &line.content[from as usize..to as usize]);
        let sent = line.sent();
        prop_assert!(if whole { sent <= 16 } else { sent <= to - from + 16 }, "{} bytes", sent);
    }
}
