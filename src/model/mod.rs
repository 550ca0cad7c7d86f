//! Bytes from elsewhere become checked data: checkpoints, tokenizers, cards, catalogs, corpora.

pub mod card;
pub mod catalog;
pub mod corpus;
