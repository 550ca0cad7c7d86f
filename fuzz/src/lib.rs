//! What is done with the bytes of strangers, each as a function of bytes: the programs of libFuzzer (`fuzz_targets/`) call them,
//! and so do the ordinary tests (`tests/loader/fuzzed.rs`, `tests/share/fuzzed.rs`), which include these files.
//!
//! The law of each: whatever the bytes are, it returns, soon and without much memory; what is refused is refused with a sentence.

pub mod csv;
pub mod link;
pub mod model;
pub mod report;
