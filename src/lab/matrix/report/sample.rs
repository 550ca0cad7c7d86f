//! A report that no lab made.

use super::*;
use crate::lab::error_parts::Error;
use crate::lab::rounding::Rounding;
use crate::report::{Bits, Granularity, Part, Rule, Summary};

/// A matrix of 4 × 6 in cells of 2 × 3.
pub fn report() -> Report {
    let window = Window { inputs: (0, 4), outputs: (0, 6) };
    Report {
        config: Config {
            quantizer: Rounding { bits: Bits::ALL[0], rule: Rule::Absmax, granularity: Granularity::Tensor },
            layer: 1,
            part: Part::Down,
            shown: Shown::Furthest,
            window: None,
        },
        origin: crate::lab::provenance::tests::origin("m"),
        name: "h.1.mlp.c_proj.weight".into(),
        channels: (4, 6),
        window,
        cell: (2, 3),
        size: (2, 2),
        full: vec![0.5, -1.0, 0.25, 0.0],
        quantized: vec![1.0, -1.0, 0.0, 0.0],
        difference: vec![0.5, 0.25, -0.25, 0.0],
        summary: Summary { n: 24, mean: 0.0, sigma: 0.5, kurtosis: 1.25, absmax: 1.0, beyond_3: 0.0, beyond_6: 0.0 },
        alpha: (1.0, 1.0),
        error: Error { clipping: 0.0, rounding: 0.125 },
        clipped: 0,
        codes: vec![2, 18, 4],
    }
}
