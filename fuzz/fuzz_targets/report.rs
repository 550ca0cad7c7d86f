//! Any bytes as a report's file: nothing panics, and what was taken can be written.
#![no_main]

use fairbits::report::{fairness, import};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(report) = import(bytes) {
        fairness::html(&report, None);
    }
});
