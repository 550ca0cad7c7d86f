//! The project's commands; see `main.rs`.
