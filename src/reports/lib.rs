//! What can be asked and what can be said: the settings of every analysis, its report, and all that is made of reports. Nothing here
//! runs a model. The page sees this library and no other; what measures is the package `fairbits` (`src/lib.rs`, which has the map).
//!
//! An analysis has one folder, `src/lab/<analysis>/`, for two packages: its `measure.rs` belongs to `fairbits`, its `page.rs` to the
//! page, and all else in it to this library.

#[path = "../claims/mod.rs"]
pub mod claims;
#[path = "../fairness/mod.rs"]
pub mod fairness;
#[path = "../lab/mod.rs"]
pub mod lab;
#[path = "../protocol.rs"]
pub mod protocol;
#[path = "../report/mod.rs"]
pub mod report;
#[path = "../share/mod.rs"]
pub mod share;
#[path = "../workshop/mod.rs"]
pub mod workshop;

// Not handed on: who sees a report sees no model.
use engine::{arch, backend, math, model};
