//! What sets, those who pick them, claims and choices are called.

use super::{Claim, LayerSet, Picker, ProtectedPart};

/// `{0, 9, 11}`; the empty one in words.
pub fn named(set: LayerSet) -> String {
    let layers: Vec<String> = set.layers().map(|layer| layer.to_string()).collect();
    if layers.is_empty() { "no layer".into() } else { format!("{{{}}}", layers.join(", ")) }
}

/// The same on the page and in files: `0-9-11`, `none`.
pub fn set_key(set: LayerSet) -> String {
    let layers: Vec<String> = set.layers().map(|layer| layer.to_string()).collect();
    if layers.is_empty() { "none".into() } else { layers.join("-") }
}

/// In the order of the page.
pub const PICKERS: [Picker; 8] = [
    Picker::Predicted,
    Picker::Ends,
    Picker::Forward,
    Picker::Backward,
    Picker::Kurtosis,
    Picker::OutputError,
    Picker::Variance,
    Picker::Additive,
];

/// On the page and in files.
pub fn picker_key(picker: Picker) -> &'static str {
    match picker {
        Picker::Predicted => "predicted",
        Picker::Ends => "ends",
        Picker::Forward => "forward",
        Picker::Backward => "backward",
        Picker::Kurtosis => "kurtosis",
        Picker::OutputError => "output_error",
        Picker::Variance => "variance",
        Picker::Additive => "additive",
    }
}

/// A picker's name.
pub fn picker(picker: Picker) -> &'static str {
    match picker {
        Picker::Predicted => "the theory",
        Picker::Ends => "best with first and last",
        Picker::Forward => "greedy, forward",
        Picker::Backward => "greedy, backward",
        Picker::Kurtosis => "largest κ",
        Picker::OutputError => "largest output error",
        Picker::Variance => "largest variance",
        Picker::Additive => "additive model",
    }
}

/// How a picker picks.
pub fn picker_explained(picker: Picker) -> &'static str {
    match picker {
        Picker::Predicted => "Theorem 3: the first layer, layer 3L/4 and the last one.",
        Picker::Ends => "The least disparity of all sets that hold the first and the last layer; it has seen them all.",
        Picker::Forward => "Starts with no layer and adds the one that lowers disparity most, again and again.",
        Picker::Backward => "Starts with every layer and gives up the one that is missed least, again and again.",
        Picker::Kurtosis => "The layers whose weights have the largest excess kurtosis κ; it needs no text.",
        Picker::OutputError => "The layers with the largest squared error of the weights × energy of what they meet.",
        Picker::Variance => "The layers after which the norm of activation differs most between languages.",
        Picker::Additive => {
            "The layers that lower disparity most when each is protected alone, as if effects added up."
        }
    }
}

/// A claim in a few words.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::G1 => "G1: the best set holds the first and the last layer",
        Claim::G2 => "G2: first, 3L/4 and last are near the best of all",
        Claim::G3 => "G3: the free slot goes to 3L/4, where languages differ most",
    }
}

/// What of a protected layer stays in full precision: every choice, its key and its name.
pub const PROTECTED_PARTS: [(ProtectedPart, &str, &str); 3] = [
    (ProtectedPart::Block, "block", "the whole block"),
    (ProtectedPart::Attention, "attention", "its attention only"),
    (ProtectedPart::Mlp, "mlp", "its MLP only"),
];

/// The name of one.
pub fn kept(kept: ProtectedPart) -> &'static str {
    PROTECTED_PARTS.iter().find(|(own, ..)| *own == kept).map_or("", |(_, _, name)| name)
}
