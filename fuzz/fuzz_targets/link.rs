//! Any text as a link: nothing panics, and what was read can be said again.
#![no_main]

use fairbits::share::Link;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(link) = Link::parse(text) {
        assert_eq!(Link::parse(&link.to_string()), Ok(link));
    }
});
