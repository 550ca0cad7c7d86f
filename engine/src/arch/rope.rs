//! Rotary frequencies from a config, in the ways of scaling them that the interpreter computes.

use serde_json::Value;

use super::{ArchError, spec::Rotary};

/// Radians per place of `dims` channels: 1/base^(2i/dims), scaled as the object says (`rope_parameters`, or `rope_scaling` of
/// older configs). In f32, as models are trained with it.
pub fn rotary(scaling: Option<&Value>, base: f64, dims: usize) -> Result<Rotary, ArchError> {
    let object = scaling.filter(|value| value.is_object());
    let base = object.and_then(|object| object["rope_theta"].as_f64()).unwrap_or(base);
    let plain = |pair: usize| 1.0 / libm::pow(base, f64::from((2 * pair) as f32 / dims as f32)) as f32;
    let frequencies: Vec<f32> = (0..dims / 2).map(plain).collect();
    let Some(object) = object else { return Ok(Rotary { frequencies }) };
    let kind = ["rope_type", "type"].into_iter().find_map(|field| object[field].as_str()).unwrap_or("default");
    let figure = |field: &'static str| object[field].as_f64().filter(|x| *x > 0.0).ok_or(ArchError::RopeField(field));
    let scaled = match kind {
        "default" => frequencies,
        "linear" => {
            let factor = figure("factor")? as f32;
            frequencies.into_iter().map(|frequency| frequency / factor).collect()
        }
        "llama3" => {
            let [factor, low, high] = [figure("factor")?, figure("low_freq_factor")?, figure("high_freq_factor")?];
            let context = figure("original_max_position_embeddings")?;
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
