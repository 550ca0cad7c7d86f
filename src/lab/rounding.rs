//! One way of rounding, for every weight matrix of the model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings::{Offer, Setting, one_of, settings, titled};
use crate::{
    arch::recipe::Quantization,
    math::{
        clipping::Rule,
        grouping::Layout,
        quantizer::{Bits, Granularity, Uniform},
    },
    report::labels,
};

/// The width of the first look: the fewest bits at which the models that come with the page still work.
pub const USUAL_BITS: Bits = Bits::ALL[1];

settings! {
    /// How all matrices are rounded.
    #[derive(Copy, Eq)]
    pub struct Rounding("quantizer") {
        /// Bit-width.
        bits: Bits = USUAL_BITS, bits();
        /// How the clipping threshold is chosen.
        rule: Rule = Rule::Absmax, one_of("Where the grid ends (clipping rule)", rules());
        /// How many weights share a threshold.
        granularity: Granularity = Granularity::Tensor, granularity();
    }
}

/// The bit-widths to choose from.
pub fn widths() -> Vec<Offer> {
    titled(Bits::ALL, |bits| bits.get().to_string())
}

/// The clipping rules to choose from.
pub fn rules() -> Vec<Offer> {
    labels::RULES.into_iter().map(|rule| Offer::of(rule, labels::rule(rule), labels::rule_explained(rule))).collect()
}

/// One bit-width.
pub fn bits() -> Setting {
    one_of("Bits per weight", widths())
}

/// How many weights share a grid.
pub fn granularity() -> Setting {
    one_of("One grid per", titled(labels::GRANULARITIES, labels::granularity))
}

/// What rounding did to one tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TensorRow {
    /// Name in the checkpoint.
    pub name: String,
    /// Layer it belongs to.
    pub layer: usize,
    /// Smallest and largest clipping threshold over its groups, in units of the tensor's σ.
    pub alpha_over_sigma: (f64, f64),
    /// Mean squared error over the variance.
    pub relative_mse: f64,
}

impl Rounding {
    /// Of one matrix.
    pub fn of(&self, values: &[f32], layout: Layout) -> Quantization {
        let Rounding { bits, rule, granularity } = *self;
        Quantization::of(Uniform { bits, granularity, rule }, values, layout)
    }
}
