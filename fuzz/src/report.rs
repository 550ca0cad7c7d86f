//! A report's file.

use fairbits::{
    fairness,
    lab::{import, json, tables},
};

/// Reads it; what was read can be shown, written, and read again.
pub fn report(bytes: &[u8]) -> Result<(), String> {
    let report = import(bytes).map_err(|fault| fault.to_string())?;
    fairness::html(&report, None);
    for (_, table) in tables::tables(&report) {
        table.csv();
    }
    assert_eq!(import(json(&report).as_bytes()).as_ref(), Ok(&report), "what is written reads back as it was");
    Ok(())
}
