//! Bytes from elsewhere become checked data: checkpoints, tokenizers, cards, catalogs, corpora.
//!
//! Invariant: every byte is a stranger's. Sizes are bounded before they are allocated, names are checked before they
//! become paths, and each fault is a variant of [`ModelError`]. Nothing here knows an architecture.

pub mod card;
pub mod catalog;
pub mod checkpoint;
pub mod config;
pub mod corpus;
mod error;
pub mod files;
pub mod hub;
pub mod source;
pub mod store;
pub mod tokenizer;

pub use error::{Grouped, ModelError, OF_THE_SITE};
