//! One weight matrix, seen: before rounding, after it, and the difference, cell by cell. Only the cells leave the engine.

use super::{Config, MOST_CELLS, Report, Window};
use crate::lab::{
    AnalysisError, Measuring,
    error_parts::Error,
    origin,
    rounding::Rounding,
    runner::{Lab, Progress, Step},
};
use crate::math::{
    grouping::{Grouping, Layout},
    moments::Summary,
    mosaic::Mosaic,
    packing::Packed,
    quantizer::{Bits, Quantizer, Uniform},
};

impl Measuring for Config {}

/// The matrix is read once and rounded as every other analysis rounds it.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    lab.tell(Progress { step: Step::Tensors, done: 0, total: 1 });
    let Config { layer, part, quantizer: Rounding { bits, rule, granularity }, shown, window } = config.clone();
    let device = &lab.model().device;
    let linear = device.spec.matrices().find(|(own, of, _)| (*own, *of) == (layer, part)).map(|(.., linear)| linear);
    let linear = linear.ok_or(AnalysisError::NoMatrix { layer, layers: device.spec.blocks.len() })?;
    let layout = linear.layout;
    let window = window.unwrap_or(Window::whole(layout));
    if !window.is_of(layout) {
        return Err(AnalysisError::Window { inputs: layout.k, outputs: layout.n });
    }
    let values = device.values(&linear.weight).await?;
    lab.pause().await;
    let grid = Uniform { bits, granularity, rule };
    let alphas = grid.find(&values, layout);
    lab.pause().await;
    let packed = grid.packed(&values, layout, &alphas);
    let rounded = packed.dequantize();
    let moved: Vec<f32> = values.iter().zip(&rounded).map(|(before, after)| after - before).collect();
    let mosaic = Mosaic::new(window, MOST_CELLS);
    let [full, quantized, difference] =
        [&values, &rounded, &moved].map(|values| mosaic.see(layout, values, shown).into_iter().map(decimal).collect());
    let summary = Summary::of(&values);
    let whole = Whole::of(&values, &packed, &alphas, bits, summary.sigma);
    lab.tell(Progress { step: Step::Tensors, done: 1, total: 1 });
    Ok(Report {
        config: config.clone(),
        origin: origin::of(lab, None),
        name: linear.weight.clone(),
        channels: (layout.k, layout.n),
        window,
        cell: mosaic.cell,
        size: mosaic.size,
        full,
        quantized,
        difference,
        summary,
        alpha: (
            f64::from(alphas.iter().copied().fold(f32::INFINITY, f32::min)),
            f64::from(alphas.iter().copied().fold(0.0, f32::max)),
        ),
        error: whole.error,
        clipped: whole.clipped,
        codes: whole.codes,
    })
}

/// The number of fewest digits that is nearest to this f32 alone: a file of such numbers is half as long, and loses nothing.
fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// Figures of all weights of a matrix.
struct Whole {
    error: Error,
    clipped: u64,
    codes: Vec<u64>,
}

impl Whole {
    fn of(values: &[f32], packed: &Packed, alphas: &[f32], bits: Bits, sigma: f64) -> Whole {
        let grouping: &Grouping = &packed.grouping;
        let Layout { k, n, .. } = grouping.layout;
        let (mut error, mut clipped) = (Error::default(), 0);
        grouping.each(values, |index, group| {
            let own = Error::of(group, alphas[index], bits, sigma);
            let share = group.len() as f64 / (k * n) as f64;
            error.clipping += own.clipping * share;
            error.rounding += own.rounding * share;
            clipped += group.iter().filter(|value| value.abs() > alphas[index]).count() as u64;
        });
        let levels = bits.levels() as i32;
        let mut codes = vec![0; 2 * bits.levels() as usize + 1];
        for place in 0..values.len() {
            codes[(packed.code(place) + levels) as usize] += 1;
        }
        Whole { error, clipped, codes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// No weight is lost by writing it short.
        #[test]
        fn a_short_number_gives_its_weight_back(bits: u32) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!((decimal(value) as f32).to_bits(), value.to_bits());
        }
    }
}
