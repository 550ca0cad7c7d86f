//! A slow line, and a count of what went over it.

use std::{
    io::{self, Read},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Bytes handed on at a time: some milliseconds of any line that is worth slowing down.
const STEP: usize = 64 << 10;

/// Who slept too long catches up by so much, or a busy machine would make the line slower than it is.
const ARREARS: Duration = Duration::from_millis(100);

/// A line that all connections share.
#[derive(Debug, Clone)]
pub struct Line {
    bytes_per_second: f64,
    /// When all that was taken so far has passed.
    free: Arc<Mutex<Instant>>,
    sent: Arc<AtomicU64>,
}

impl Line {
    /// A line of this rate.
    pub fn new(bytes_per_second: f64) -> Line {
        Line { bytes_per_second, free: Arc::new(Mutex::new(Instant::now())), sent: Arc::default() }
    }

    /// Bytes that went over it so far.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// `body`, at the line's pace.
    pub fn slow(&self, body: impl Read) -> impl Read {
        Slowed { line: self.clone(), body }
    }

    fn pass(&self, bytes: usize) {
        let until = {
            let mut free = self.free.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let earliest = Instant::now().checked_sub(ARREARS).unwrap_or(*free);
            *free = (*free).max(earliest) + Duration::from_secs_f64(bytes as f64 / self.bytes_per_second);
            *free
        };
        thread::sleep(until.saturating_duration_since(Instant::now()));
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

struct Slowed<R> {
    line: Line,
    body: R,
}

impl<R: Read> Read for Slowed<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let room = to.len().min(STEP);
        let read = self.body.read(&mut to[..room])?;
        self.line.pass(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_pace_whoever_uses_it() {
        let (line, began) = (Line::new(1e6), Instant::now());
        let other = line.clone();
        let beside = thread::spawn(move || io::copy(&mut other.slow(&[0u8; 100_000][..]), &mut io::sink()).unwrap());
        io::copy(&mut line.slow(&[0u8; 100_000][..]), &mut io::sink()).unwrap();
        beside.join().unwrap();
        assert!(began.elapsed() >= Duration::from_millis(190), "{:?}", began.elapsed());
        assert_eq!(line.sent(), 200_000);
    }
}
