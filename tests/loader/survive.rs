//! The law of every function of a stranger's bytes (`fuzz/src`): no panic, no hang, no memory without bounds, and what is refused
//! is refused with a sentence.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use crate::allocations::held;

/// Longest that one case may take.
const LONGEST: Duration = Duration::from_secs(10);

/// A function of a stranger's bytes, and what may come of it.
#[derive(Clone, Copy)]
pub struct Target {
    /// Reads the bytes, or says why not.
    pub read: fn(&[u8]) -> Result<(), String>,
    /// Bytes that it may hold at a time.
    pub most_bytes: usize,
    /// How sentences may begin: with the file that is refused.
    pub begin: &'static [&'static str],
}

impl Target {
    /// Holds it to the law, case by case. Gives how many were read.
    pub fn survives(self, cases: Vec<(String, Vec<u8>)>) -> usize {
        let (tell, heard) = mpsc::channel();
        let all = thread::spawn(move || {
            let (mut good, mut panicked) = (0, Vec::new());
            for (name, bytes) in cases {
                tell.send(name.clone()).expect("somebody listens");
                let (outcome, most) = held(|| catch_unwind(AssertUnwindSafe(|| (self.read)(&bytes))));
                assert!(most < self.most_bytes, "{name}: {most} bytes were held");
                match outcome {
                    Ok(Ok(())) => good += 1,
                    Ok(Err(sentence)) => {
                        let begins = self.begin.iter().any(|begin| sentence.starts_with(begin));
                        assert!(begins && sentence.len() > 10, "{name}: {sentence}");
                    }
                    Err(_) => panicked.push(name),
                }
            }
            assert!(panicked.is_empty(), "panicked:\n{}", panicked.join("\n"));
            good
        });
        let mut last = String::new();
        loop {
            match heard.recv_timeout(LONGEST) {
                Ok(name) => last = name,
                Err(RecvTimeoutError::Timeout) => panic!("{last}: took longer than {LONGEST:?}"),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        all.join().unwrap_or_else(|_| panic!("see above; the last case was {last}"))
    }
}
