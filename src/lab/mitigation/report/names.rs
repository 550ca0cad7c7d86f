//! What the methods are called, and what each does.

use super::Method;

/// On the page and in files.
pub fn method_key(method: Method) -> &'static str {
    match method {
        Method::Absmax => "absmax",
        Method::Aciq => "aciq",
        Method::Optimal => "optimal",
        Method::Channel => "channel",
        Method::Group => "group",
        Method::Language => "language",
        Method::EightBits => "eight_bits",
        Method::FullPrecision => "full_precision",
        Method::Detected => "detected",
        Method::Flattened => "flattened",
        Method::Own => "own",
    }
}

/// A method's name.
pub fn method(method: Method) -> &'static str {
    match method {
        Method::Absmax => "absmax",
        Method::Aciq => "ACIQ, Gaussian",
        Method::Optimal => "least squared error",
        Method::Channel => "absmax per channel",
        Method::Group => "absmax per 64",
        Method::Language => "A: own threshold per language",
        Method::EightBits => "B: outlier layers at 8 bits",
        Method::FullPrecision => "B: outlier layers in f32",
        Method::Detected => "C: threshold of the guessed language",
        Method::Flattened => "tails flattened, then absmax",
        Method::Own => "your own widths",
    }
}

/// The same where there is little room.
pub fn short(method: Method) -> &'static str {
    match method {
        Method::Absmax => "absmax",
        Method::Aciq => "ACIQ",
        Method::Optimal => "least error",
        Method::Channel => "per channel",
        Method::Group => "per 64",
        Method::Language => "A: language",
        Method::EightBits => "B: 8 bits",
        Method::FullPrecision => "B: f32",
        Method::Detected => "C: guessed",
        Method::Flattened => "flattened",
        Method::Own => "your own",
    }
}

/// What a method does.
pub fn explained(method: Method) -> &'static str {
    match method {
        Method::Absmax => "One grid per matrix, up to its largest weight. All others are compared with it.",
        Method::Aciq => "One grid per matrix, clipped where ACIQ finds the least error for a Gaussian.",
        Method::Optimal => "One grid per matrix, clipped where the squared error of the real weights is least.",
        Method::Channel => "One grid per output channel.",
        Method::Group => "One grid per 64 inputs of an output channel.",
        Method::Language => {
            "Document 002, A: every language runs on weights clipped at its own α*/σ (Theorem 2), times σ."
        }
        Method::EightBits => "Document 002, B: layers above the κ threshold get 8 bits.",
        Method::FullPrecision => "Document 002, B: layers above the κ threshold stay in f32.",
        Method::Detected => {
            "Document 002, C: as A, but each text runs on the weights of the language it seems to be in."
        }
        Method::Flattened => "Rows are rescaled by powers of two until tails are short; the function keeps its bits.",
        Method::Own => "The widths that you set for each layer.",
    }
}
