#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // A refusal is as good as a reading.
    fairbits_fuzz::report::report(bytes).ok();
});
