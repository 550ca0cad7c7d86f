//! The project's commands and the parts of them that the tests share; see `main.rs` for the commands.

pub mod server;
