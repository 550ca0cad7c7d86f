//! SentencePiece's table of replacements, `precompiled_charsmap`: a trie over bytes, then the replacements, each ended by a zero.
//! The library that reads it trusts every place in it.

use base64::{Engine, engine::general_purpose::STANDARD};

/// Units of the largest in wide use are 65,000.
const MOST_UNITS: usize = 1 << 22;

/// Bytes of the longest replacement; or what is wrong with the table.
pub fn longest_replacement(text: &str) -> Result<usize, &'static str> {
    let bytes = STANDARD.decode(text).map_err(|_| "is not in base64")?;
    let (size, rest) = bytes.split_first_chunk().ok_or("is too short")?;
    let size = u32::from_le_bytes(*size) as usize;
    if size > rest.len() {
        return Err("says that it is longer than it is");
    }
    if !size.is_multiple_of(4) || size / 4 > MOST_UNITS || size == 0 {
        return Err("has a trie of no possible size");
    }
    let (trie, replacements) = rest.split_at(size);
    let replacements = std::str::from_utf8(replacements).map_err(|_| "has replacements that are not text")?;
    Trie(trie.as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect()).longest(replacements)
}

/// A double array as Darts writes it.
struct Trie(Vec<u32>);

impl Trie {
    /// Visits every place that some text leads to.
    fn longest(&self, replacements: &str) -> Result<usize, &'static str> {
        let (mut seen, mut longest) = (vec![false; self.0.len()], 0);
        let mut todo = vec![self.below(0)?];
        while let Some(place) = todo.pop() {
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            for byte in 1..=0xFF {
                let child = place ^ byte;
                let unit = self.0[child];
                // A value never looks like a byte: its highest bit is set.
                if unit & (1 << 31 | 0xFF) != byte as u32 {
                    continue;
                }
                let next = self.below(child)?;
                if unit >> 8 & 1 == 1 {
                    let begin = (self.0[next] & !(1 << 31)) as usize;
                    let replacement = replacements.get(begin..).ok_or("points outside of its replacements")?;
                    longest = longest.max(replacement.find('\0').unwrap_or(replacement.len()));
                }
                todo.push(next);
            }
        }
        Ok(longest)
    }

    /// Where the places below a unit begin. Whatever byte comes next must be inside.
    fn below(&self, unit: usize) -> Result<usize, &'static str> {
        let value = self.0[unit] as usize;
        let place = unit ^ ((value >> 10) << ((value & 1 << 9) >> 6));
        if place | 0xFF < self.0.len() { Ok(place) } else { Err("has a trie that points outside of itself") }
    }
}
