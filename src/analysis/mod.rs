//! Analyses: each is a pure function `(Model, Corpus, Config, seed) -> Report`, in a file of its own.
//!
//! An analysis is written as three steps, so that any number of workers may share the middle one and the result does
//! not depend on how many there are: it lists the passes it needs, the passes are run anywhere in any order, and the
//! report is assembled from their results in the order they were listed.

pub mod languages;
pub mod resource;
