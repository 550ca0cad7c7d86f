//! What a place says of its files before they come: a SHA-256, or the id that git has for them.

use sha1::{Digest, Sha1};

use super::{check_digest, hex, sha256};
use crate::model::error::ModelError;

/// Hexadecimal digits of a SHA-256.
const SHA256_DIGITS: usize = 64;
/// Hexadecimal digits of a SHA-1.
const SHA1_DIGITS: usize = 40;
/// Who says it.
const BY: &str = "the place it comes from";

/// What a place says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stated {
    /// The file's SHA-256: hubs say it of large files.
    Sha256(String),
    /// The SHA-1 that git names a file by: hubs say it of all others.
    GitBlob(String),
}

impl Stated {
    /// A SHA-256 in hexadecimal; none where it is no such thing. It becomes the name of what is kept.
    pub fn sha256(digits: &str) -> Option<Stated> {
        is_hexadecimal(digits, SHA256_DIGITS).then(|| Stated::Sha256(digits.to_ascii_lowercase()))
    }

    /// The id of a blob in hexadecimal; none where it is no such thing.
    pub fn git_blob(digits: &str) -> Option<Stated> {
        is_hexadecimal(digits, SHA1_DIGITS).then(|| Stated::GitBlob(digits.to_ascii_lowercase()))
    }

    /// Refuses bytes that are not those of the file that was meant.
    pub fn check(&self, file: &str, bytes: &[u8]) -> Result<(), ModelError> {
        match self {
            Stated::Sha256(expected) => check_digest(file, BY, Some(expected), &sha256(bytes)),
            Stated::GitBlob(expected) => match git_blob(bytes) {
                came if came == *expected => Ok(()),
                came => Err(ModelError::WrongBlob { file: file.into(), by: BY, expected: expected.clone(), came }),
            },
        }
    }
}

/// The id that git has for a file of these bytes.
pub fn git_blob(bytes: &[u8]) -> String {
    let head = format!("blob {}\0", bytes.len());
    hex(&Sha1::new_with_prefix(head).chain_update(bytes).finalize())
}

/// Hexadecimal digits, and so many.
pub(crate) fn is_hexadecimal(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `git hash-object` has them.
    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(git_blob(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(git_blob(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
        let stated = Stated::git_blob("CE013625030BA8DBA906F756967F9E9CA394464A").unwrap();
        assert_eq!(stated.check("a", b"hello\n"), Ok(()));
        assert!(matches!(stated.check("a", b"hello"), Err(ModelError::WrongBlob { .. })));
        assert_eq!((Stated::git_blob("ce01"), Stated::sha256(&"g".repeat(64))), (None, None));
    }
}
