//! What each clipping rule costs in D(λ).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::{clipping::Rule, statistics::Interval};

/// D(λ) under a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleLoss {
    /// The rule.
    pub rule: Rule,
    /// D of each language, in the order of the config.
    pub degradation: Vec<Interval>,
    /// max D − min D over seen languages; none for fewer than two.
    pub disparity: Option<Interval>,
}
