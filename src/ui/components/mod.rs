//! Parts of pages.

pub mod card;
pub mod chart;
pub mod dial;
pub mod drilldown;
pub mod footnotes;
pub mod gateway;
pub mod import;
pub mod lab;
pub mod layers;
pub mod matrix;
pub mod model;
pub mod model_preview;
pub mod nav;
pub mod opened;
pub mod profile;
pub mod progress;
pub mod quantization;
pub mod quick;
pub mod reference;
pub mod result;
pub mod run;
pub mod save;
pub mod scopes;
pub mod screened;
pub mod select;
pub mod setting;
pub mod share;
pub mod statistics;
pub mod status;
pub mod table;
pub mod term;
pub mod texts;
pub mod threshold;
pub mod tokens;
pub mod widths;

use crate::report::Resource;

/// The value of `data-level`, which decides colour and shape in the style sheet.
pub fn level_name(level: Resource) -> &'static str {
    match level {
        Resource::High => "high",
        Resource::Middle => "middle",
        Resource::Low => "low",
        Resource::Unseen => "unseen",
        Resource::Unknown => "unknown",
    }
}
