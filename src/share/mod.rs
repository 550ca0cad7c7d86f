//! Links that reproduce: what was asked and found, in the fragment of an address, where no server sees it.
//!
//! A link is `#/<page>?run=<version>.<base64url(zlib(payload))>`, with plain options such as `view=…` beside it. It is made of
//! a [`Report`](crate::lab::Report) by [`Link::of`], read by [`Link::parse`], and what a run of it gave is held against
//! it by [`compare`].
//!
//! A link is a stranger's input. Its length is bounded before anything is decoded, what it unpacks to is bounded while it is
//! unpacked, and every field is checked; what is wrong is a [`LinkError`], a sentence for a person. Nothing of it is markup.
//!
//! Invariant: no DOM, no I/O, no clock; old versions decode for ever (`tests/fixtures/links/`).

mod digest;
mod error;
mod link;
mod place;
mod v1;
mod verdict;
mod view;

pub use crate::lab::headline::{Figure, MOST_FIGURES, headline};
pub use digest::{canonical, digest};
pub use error::LinkError;
pub use link::{Link, MOST_CHARACTERS, Model, Run, page};
pub use place::Place;
pub use verdict::{Difference, Mismatch, TOLERANCE, Verdict, compare, compare_digested, mismatches};
pub use view::View;
