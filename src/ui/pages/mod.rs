//! One file per page.

pub mod bench;
pub mod languages;
