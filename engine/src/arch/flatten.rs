//! The dial turned the other way: tails flattened as far as powers of two go.
//!
//! Behind a norm, every input row of the layer is brought to the geometric mean of the rows' root mean squares, to within a
//! factor of √2; gains and biases, which are not quantized, take up the rest. A value channel has a quantized matrix on
//! both sides: there the exponent is the mean of what either side would want.

use super::{
    ArchError,
    dial::{Dial, Joint, MOST_TURN, Scalings, Turn, fits},
    equalization_sites::{Sides, sides},
    weights::Device,
};
use crate::backend::Backend;

/// The dial that has turned the model and then flattens it: rows that spread least, with no bit of the function changed.
/// Joints that a layer does not have stay as they are.
pub async fn flatten<B: Backend>(device: &Device<B>, turned: &Dial) -> Result<Dial, ArchError> {
    let (spec, before) = (&device.spec, turned.scalings(&device.spec)?);
    let layers = 0..spec.blocks.len();
    let mut turns = Vec::new();
    for layer in layers.clone() {
        let Ok(sides) = sides(spec, layer, Joint::Values) else { continue };
        let exponents = balance(device, &before, &sides).await?;
        turns.extend(turned_by(layer, Joint::Values, &exponents));
    }
    // The value columns are part of the rows that the norms feed, so these are looked at once the values are settled.
    let settled = turned.then(&Dial::new(turns));
    let before = settled.scalings(spec)?;
    let mut turns = Vec::new();
    for (layer, joint) in layers.flat_map(|layer| [Joint::AttentionNorm, Joint::MlpNorm].map(|joint| (layer, joint))) {
        let Ok(sides) = sides(spec, layer, joint) else { continue };
        turns.extend(turned_by(layer, joint, &level(device, &before, &sides).await?));
    }
    Ok(settled.then(&Dial::new(turns)))
}

/// A turn for each channel of a joint.
fn turned_by(layer: usize, joint: Joint, exponents: &[i32]) -> impl Iterator<Item = Turn> {
    let turn = move |(channel, &exponent)| Turn { layer, joint, channel, exponent };
    exponents.iter().enumerate().map(turn)
}

/// What makes and what reads each channel of a joint, after a dial.
struct Values {
    /// Of the matrix that makes it.
    columns: Vec<Vec<f32>>,
    /// Of the vectors that do.
    vectors: Vec<Vec<f32>>,
    /// Of the matrices that read it.
    rows: Vec<Vec<f32>>,
}

impl Values {
    async fn read<B: Backend>(device: &Device<B>, before: &Scalings, sides: &Sides<'_>) -> Result<Values, ArchError> {
        let channels = 0..sides.channels;
        let mut values = Values {
            columns: vec![Vec::new(); sides.channels],
            vectors: vec![Vec::new(); sides.channels],
            rows: vec![Vec::new(); sides.channels],
        };
        if let Some(maker) = sides.maker {
            let all = device.values_after(before, &maker.weight).await?;
            for (channel, column) in channels.clone().zip(&mut values.columns) {
                column.extend((0..maker.layout.k).map(|k| all[maker.layout.place(k, sides.output(channel))]));
            }
        }
        for name in &sides.vectors {
            let all = device.values_after(before, name).await?;
            for (channel, vector) in channels.clone().zip(&mut values.vectors) {
                vector.push(all[sides.output(channel)]);
            }
        }
        for reader in &sides.readers {
            let all = device.values_after(before, &reader.weight).await?;
            for (channel, row) in channels.clone().zip(&mut values.rows) {
                for input in sides.inputs(channel) {
                    row.extend((0..reader.layout.n).map(|n| all[reader.layout.place(input, n)]));
                }
            }
        }
        Ok(values)
    }
}

/// Exponents that bring columns and rows of values nearest to one size each: the mean of what either side would want.
async fn balance<B: Backend>(device: &Device<B>, before: &Scalings, sides: &Sides<'_>) -> Result<Vec<i32>, ArchError> {
    let values = Values::read(device, before, sides).await?;
    let size = |of: &[Vec<f32>]| of.iter().map(|of| log_size(of.iter().copied())).collect::<Vec<f64>>();
    let (made, read) = (size(&values.columns), size(&values.rows));
    let typical = (mean(made.iter().copied()), mean(read.iter().copied()));
    let exponent = |channel: usize| {
        let wanted = 0.5 * ((typical.1 - read[channel]) - (typical.0 - made[channel]));
        let making = values.columns[channel].iter().chain(&values.vectors[channel]);
        within_room(wanted, values.rows[channel].iter().copied(), making.copied())
    };
    Ok((0..sides.channels).map(exponent).collect())
}

/// Exponents that bring the rows behind a norm to one size.
async fn level<B: Backend>(device: &Device<B>, before: &Scalings, sides: &Sides<'_>) -> Result<Vec<i32>, ArchError> {
    let values = Values::read(device, before, sides).await?;
    let sizes: Vec<f64> = values.rows.iter().map(|row| log_size(row.iter().copied())).collect();
    let typical = mean(sizes.iter().copied());
    let exponent = |(channel, size): (usize, &f64)| {
        let (row, making) = (values.rows[channel].iter().copied(), values.vectors[channel].iter().copied());
        within_room(typical - size, row, making)
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
