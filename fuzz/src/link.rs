//! Links, which carry a run in an address.

use fairbits::share::Link;

/// Reads it; what was read can be said again.
pub fn link(bytes: &[u8]) -> Result<(), String> {
    let link = Link::parse(&String::from_utf8_lossy(bytes)).map_err(|fault| fault.to_string())?;
    assert_eq!(Link::parse(&link.to_string()).as_ref(), Ok(&link), "what was read can be said again");
    Ok(())
}
