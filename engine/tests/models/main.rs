//! Whole models: against other people's truth, and the laws of passes, dials and walks. One program, so that the forward pass is
//! compiled for the tests once.

mod architectures;
mod dial;
mod formats;
mod gateway;
#[path = "../goldens/mod.rs"]
mod goldens;
#[path = "../../../tests/loader/places.rs"]
mod places;
mod settings;
mod shipped;
