//! Rotary frequencies from a config, in the ways of scaling them that the interpreter computes.

use std::ops::RangeInclusive;

use super::{ArchError, fields::MAX_CONTEXT, spec::Rotary};
use crate::model::config::Config;

/// What bases of frequencies may be, here and at the top of a config.
pub const BASES: RangeInclusive<f64> = 1.0..=1e12;
/// What figures of a way of scaling may be: above 0.
const FIGURES: RangeInclusive<f64> = 1e-12..=1e12;

/// The object of a config that says how frequencies are scaled: `rope_parameters`, or `rope_scaling` of older configs.
pub fn scaling(config: &Config) -> Result<Option<Config>, ArchError> {
    Ok(match config.section_if_there("rope_parameters")? {
        Some(parameters) => Some(parameters),
        None => config.section_if_there("rope_scaling")?,
    })
}

/// Refuses frequencies on a part of each head, of a family that has them on all of it.
pub fn on_whole_heads(scaling: Option<&Config>) -> Result<(), ArchError> {
    if let Some(scaling) = scaling {
        scaling.number_if_there("partial_rotary_factor", 1.0..=1.0)?;
    }
    Ok(())
}

/// Radians per place of `dims` channels: 1/base^(2i/dims), scaled as the object says. In f32, as models are trained with it.
pub fn rotary(scaling: Option<&Config>, base: f64, dims: usize) -> Result<Rotary, ArchError> {
    let stated = scaling.map(|scaling| scaling.number_if_there("rope_theta", BASES)).transpose()?.flatten();
    let base = stated.unwrap_or(base);
    let plain = |pair: usize| 1.0 / libm::pow(base, f64::from((2 * pair) as f32 / dims as f32)) as f32;
    let frequencies: Vec<f32> = (0..dims / 2).map(plain).collect();
    let Some(scaling) = scaling else { return Ok(Rotary { frequencies }) };
    // The older name is a name of the same, so that a wrong one is not passed over.
    let kinds = (scaling.text_if_there("rope_type")?, scaling.text_if_there("type")?);
    let figure = |field: &str| scaling.number(field, FIGURES);
    let scaled = match kinds.0.or(kinds.1).unwrap_or("default") {
        "default" => frequencies,
        "linear" => {
            let factor = figure("factor")? as f32;
            frequencies.into_iter().map(|frequency| frequency / factor).collect()
        }
        "llama3" => {
            let [factor, low, high] = [figure("factor")?, figure("low_freq_factor")?, figure("high_freq_factor")?];
            let context = scaling.whole("original_max_position_embeddings", 1..=MAX_CONTEXT)? as f64;
            frequencies.into_iter().map(|frequency| llama3(frequency, factor, [low, high], context)).collect()
        }
        other => return Err(ArchError::Rope(other.to_string())),
    };
    Ok(Rotary { frequencies: scaled })
}

/// Waves that a context holds often stay, those that it holds seldom become `factor` times as long; between the two limits the
/// change is smooth (Llama 3.1).
fn llama3(frequency: f32, factor: f64, [low, high]: [f64; 2], context: f64) -> f32 {
    let own = f64::from(frequency);
    let waves = context * own / std::f64::consts::TAU;
    if waves > high {
        frequency
    } else if waves < low {
        (own / factor) as f32
    } else {
        let smooth = (waves - low) / (high - low);
        ((1.0 - smooth) * own / factor + smooth * own) as f32
    }
}
