//! Tables of figures that are pasted or opened on the Statistics page.

use fairbits::report::csv::read;

/// Reads it; what was read can be named, written, and read again.
pub fn csv(bytes: &[u8]) -> Result<(), String> {
    let data = read(bytes).map_err(|fault| fault.to_string())?;
    data.labels();
    data.notes();
    let again = read(data.write().as_bytes()).map(|again| again.columns);
    assert_eq!(again.as_ref(), Ok(&data.columns), "what is written reads back as it was");
    Ok(())
}
