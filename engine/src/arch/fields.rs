//! Fields that several configs share, and the refusal of what the interpreter does not do.

use std::ops::RangeInclusive;

use super::{ArchError, spec::Activation};
use crate::model::config::Config;

/// Bounds of what a stranger's config may ask for; far above any model that a page can hold.
pub const MAX_LAYERS: usize = 1_024;
pub const MAX_WIDTH: usize = 65_536;
/// Channels of all heads of a layer; models with heads of their own size have up to four times their width.
pub const MAX_JOINED: usize = 16 * MAX_WIDTH;
pub const MAX_CONTEXT: usize = 1 << 22;
pub const MAX_VOCABULARY: usize = 1 << 24;

/// A refusal that names the field and its value.
pub fn unsupported(field: &'static str, value: impl Into<String>) -> ArchError {
    ArchError::Unsupported { field, value: value.into() }
}

/// Refuses flags that are set otherwise than the interpreter computes.
pub fn only(config: &Config, flags: &[(&'static str, bool)]) -> Result<(), ArchError> {
    for &(field, usual) in flags {
        let value = config.flag_if_there(field)?.unwrap_or(usual);
        if value != usual {
            return Err(unsupported(field, value.to_string()));
        }
    }
    Ok(())
}

/// Refuses fields that are there at all, whatever they say.
pub fn absent(config: &Config, fields: &[&'static str]) -> Result<(), ArchError> {
    match fields.iter().find_map(|field| Some((*field, config.get(field)?))) {
        Some((field, value)) => Err(unsupported(field, value.to_string())),
        None => Ok(()),
    }
}

/// A whole number under the first of several names that is there.
pub fn first_whole(config: &Config, fields: &[&str], range: RangeInclusive<usize>) -> Result<usize, ArchError> {
    let there = fields.iter().find(|field| config.get(field).is_some());
    Ok(config.whole(there.unwrap_or(&fields[0]), range)?)
}

/// The activation function that a field names.
pub fn activation(config: &Config, field: &'static str, usual: &'static str) -> Result<Activation, ArchError> {
    match config.text_if_there(field)?.unwrap_or(usual) {
        "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(Activation::GeluTanh),
        "gelu" => Ok(Activation::Gelu),
        "relu" => Ok(Activation::Relu),
        "silu" | "swish" => Ok(Activation::Silu),
        other => Err(unsupported(field, format!("\"{other}\""))),
    }
}

/// Channels of a head; refuses heads that do not share the width evenly.
pub fn head(heads: (&'static str, usize), width: (&'static str, usize)) -> Result<usize, ArchError> {
    match width.1.is_multiple_of(heads.1) {
        true => Ok(width.1 / heads.1),
        false => Err(unsupported(heads.0, format!("{} with {} = {}", heads.1, width.0, width.1))),
    }
}

/// Channels of all heads together. Two numbers that are each within their bounds may have a product that is not, which wraps to
/// a small one in wasm.
pub fn joined(heads: (&'static str, usize), head: (&'static str, usize)) -> Result<usize, ArchError> {
    let channels = heads.1 as u64 * head.1 as u64;
    usize::try_from(channels)
        .ok()
        .filter(|channels| *channels <= MAX_JOINED)
        .ok_or_else(|| unsupported(heads.0, format!("{} with {} = {}", heads.1, head.0, head.1)))
}

/// A token that the config names.
pub fn token(config: &Config, field: &'static str, usual: u32, vocabulary: usize) -> Result<u32, ArchError> {
    Ok(config.whole_if_there(field, 0..=vocabulary - 1)?.map_or(usual, |id| id as u32))
}

/// 1/√n
pub fn per_root(n: usize) -> f32 {
    1.0 / (n as f32).sqrt()
}
