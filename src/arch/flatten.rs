//! The dial turned the other way: tails flattened as far as powers of two go.
//!
//! Behind a norm, every input row of the layer is brought to the geometric mean of the rows' root mean squares, to within a
//! factor of √2; gains and biases, which are not quantized, take up the rest. A value channel has a quantized matrix on
//! both sides: there the exponent is the mean of what either side would want.

use super::{
    ArchError,
    dial::{Dial, Joint, MOST_TURN, Scalings, Turn, fits},
    spec::{Linear, Norm},
    weights::Device,
};
use crate::{backend::Backend, math::grouping::Layout};

/// The dial that has turned the model and then flattens it: rows that spread least, with no bit of the function changed.
pub async fn flatten<B: Backend>(device: &Device<B>, turned: &Dial) -> Result<Dial, ArchError> {
    let (spec, before) = (&device.spec, turned.scalings(&device.spec)?);
    let mut turns = Vec::new();
    for (layer, block) in spec.blocks.iter().enumerate() {
        let [qkv, out] = [&block.attention.qkv, &block.attention.out];
        let made = device.values_after(&before, &qkv.weight).await?;
        let biases = device.values_after(&before, &qkv.bias).await?;
        let read = device.values_after(&before, &out.weight).await?;
        let value = |channel: usize| 2 * spec.width + channel;
        let columns = |channel| (0..qkv.layout.k).map(move |k| qkv.layout.place(k, value(channel)));
        let rows = |channel| (0..out.layout.n).map(move |n| out.layout.place(channel, n));
        let sizes: Vec<(f64, f64)> = (0..spec.width)
            .map(|channel| (log_size(columns(channel).map(|at| made[at])), log_size(rows(channel).map(|at| read[at]))))
            .collect();
        let typical = (mean(sizes.iter().map(|size| size.0)), mean(sizes.iter().map(|size| size.1)));
        for (channel, size) in sizes.iter().enumerate() {
            let wanted = 0.5 * ((typical.1 - size.1) - (typical.0 - size.0));
            let making = columns(channel).map(|at| made[at]).chain([biases[value(channel)]]);
            let exponent = within_room(wanted, rows(channel).map(|at| read[at]), making);
            turns.push(Turn { layer, joint: Joint::Values, channel, exponent });
        }
    }
    // The value columns are part of the rows that the norms feed, so these are looked at once the values are settled.
    let settled = turned.then(&Dial::new(turns));
    let before = settled.scalings(spec)?;
    let mut turns = Vec::new();
    for (layer, block) in spec.blocks.iter().enumerate() {
        let joints = [
            (Joint::AttentionNorm, &block.attention_norm, &block.attention.qkv),
            (Joint::MlpNorm, &block.mlp_norm, &block.mlp.up),
        ];
        for (joint, norm, linear) in joints {
            let exponents = level(device, &before, norm, linear).await?;
            turns.extend(exponents.iter().enumerate().map(|(channel, &exponent)| Turn {
                layer,
                joint,
                channel,
                exponent,
            }));
        }
    }
    Ok(settled.then(&Dial::new(turns)))
}

/// Exponents that bring the rows behind a norm to one size.
async fn level<B: Backend>(
    device: &Device<B>,
    before: &Scalings,
    norm: &Norm,
    linear: &Linear,
) -> Result<Vec<i32>, ArchError> {
    let values = device.values_after(before, &linear.weight).await?;
    let gains = device.values_after(before, &norm.gain).await?;
    let biases = device.values_after(before, &norm.bias).await?;
    let Layout { k, n, .. } = linear.layout;
    let row = |channel| (0..n).map(move |n| linear.layout.place(channel, n)).map(|at| values[at]);
    let sizes: Vec<f64> = (0..k).map(|channel| log_size(row(channel))).collect();
    let typical = mean(sizes.iter().copied());
    let exponent = |(channel, size): (usize, &f64)| {
        within_room(typical - size, row(channel), [gains[channel], biases[channel]].into_iter())
    };
    Ok(sizes.iter().enumerate().map(exponent).collect())
}

/// log₂ of the root mean square; NaN for zeros.
fn log_size(values: impl Iterator<Item = f32>) -> f64 {
    let (mut squares, mut count) = (0.0, 0.0);
    for value in values {
        squares += f64::from(value) * f64::from(value);
        count += 1.0;
    }
    if squares > 0.0 { 0.5 * libm::log2(squares / count) } else { f64::NAN }
}

/// Mean of what is a number.
fn mean(sizes: impl Iterator<Item = f64>) -> f64 {
    let known: Vec<f64> = sizes.filter(|size| !size.is_nan()).collect();
    known.iter().sum::<f64>() / known.len() as f64
}

/// The nearest exponent that both sides have room for; 0 where a side is all zeros and wants nothing.
fn within_room(wanted: f64, read: impl Iterator<Item = f32>, made: impl Iterator<Item = f32>) -> i32 {
    let (read, made): (Vec<f32>, Vec<f32>) = (read.collect(), made.collect());
    // A NaN becomes 0.
    let mut exponent = (libm::rint(wanted) as i32).clamp(-MOST_TURN, MOST_TURN);
    let room = |exponent: i32| {
        read.iter().all(|&value| fits(value, exponent)) && made.iter().all(|&value| fits(value, -exponent))
    };
    while exponent != 0 && !room(exponent) {
        exponent -= exponent.signum();
    }
    exponent
}
