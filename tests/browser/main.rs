//! The real page in a real Chromium. `cargo xtask test` builds the page and runs these; plain `cargo test`, which has
//! neither page nor browser, lists them as ignored.

mod architectures;
mod claims;
mod dial;
mod driver;
mod everyone;
mod faults;
mod firefox;
mod gateway;
mod glyphs;
mod harness;
mod hub;
mod inside;
mod keeping;
mod languages;
mod links;
mod loading;
mod look;
mod minute;
mod offline;
mod other;
mod page;
mod paper;
mod picture;
mod policy;
mod shell;
#[path = "../share/slow.rs"]
mod slow;
#[path = "../share/small.rs"]
mod small;
mod statistics;
mod sweep;
mod theory;
mod usage;
mod wander;
mod way;
mod webgpu;
mod webkit;
mod weights;
