//! What the theory claims, row by row: in short, with their figure and what measures it.

use crate::lab::Kind;

/// A claim of the theory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// `T2a`.
    pub id: &'static str,
    /// First digits of the documents that state it.
    pub documents: &'static str,
    /// In short.
    pub words: &'static str,
    /// The theory's figure; a dash where they give none.
    pub figure: &'static str,
    /// Analyses whose reports speak of it.
    pub by: &'static [Kind],
    /// Where its documents contradict each other on it.
    pub contradiction: Option<&'static str>,
}

const fn claim(
    id: &'static str,
    documents: &'static str,
    words: &'static str,
    figure: &'static str,
    by: &'static [Kind],
) -> Claim {
    Claim { id, documents, words, figure, by, contradiction: None }
}

impl Claim {
    const fn but(self, contradiction: &'static str) -> Claim {
        Claim { contradiction: Some(contradiction), ..self }
    }
}

/// Every claim, in the order of the argument.
pub const CLAIMS: &[Claim] = &[
    claim(
        "T1",
        "000, 001",
        "The error of quantization per language is at most C_b/(R + δ), and a straight line in 1/R.",
        "C_b = 3σ²·2^(−2b)",
        &[Kind::Redundancy],
    )
    .but("δ is b in document 000's proof and 0.1 in its check; redundancy R is defined in four ways (000, 001, and twice in 002)."),
    claim(
        "T1c",
        "000, 001",
        "The errors of low- and high-resource languages stand at least as (R_HR + δ)/(R_LR + δ).",
        "2.4 predicted, 4.24 observed",
        &[Kind::Redundancy],
    ),
    claim(
        "T2",
        "000, 001, 002",
        "The best clipping threshold depends on the language: α*_ℓ of the weights W ⊙ a_ℓ that it uses.",
        "α*/σ of a Gaussian at 4 bits: 2.83 or 2.5",
        &[Kind::Clipping],
    )
    .but("Documents 000 and 001 give 2.83 for a Gaussian at 4 bits; documents 002 and 003 give 2.5, and 002 gives 2.83 for a Laplace distribution."),
    claim(
        "T2a",
        "000, 001",
        "Disparity grows with |κ_ℓ/κ_HR − 1|, a language's distance in kurtosis from high-resource languages.",
        "r = +0.838",
        &[Kind::Activation],
    ),
    claim(
        "T2b",
        "000",
        "The excess error of a wrong threshold is proportional to (α_HR − α_ℓ)².",
        "–",
        &[Kind::Clipping],
    ),
    claim(
        "T2c",
        "002",
        "α*/σ ≈ c_B + d_B·ln(1 + κ).",
        "c₄ = 2.5, d₄ = 0.3",
        &[Kind::Clipping],
    ),
    claim(
        "T2d",
        "002",
        "Calibration per language (A), mixed precision by κ (B) and clipping by the detected language (C) cut disparity.",
        "–",
        &[Kind::Mitigation],
    ),
    claim(
        "K1",
        "002, 004",
        "Languages that use outlier layers less degrade more.",
        "r = −0.834 [−0.93, −0.65]",
        &[Kind::Activation, Kind::Dial],
    ),
    claim(
        "K2",
        "001, 002",
        "Effective kurtosis and degradation go together.",
        "r = −0.838 or +0.838",
        &[Kind::Activation],
    )
    .but("Document 002 measures r(κ_eff, D) = −0.838 and turns its theory round to fit; document 001 gives +0.838 for a figure of the same name."),
    claim(
        "K3",
        "002",
        "Disparity ≤ C·√Var of κ_eff over languages.",
        "C ≈ 0.009",
        &[Kind::Activation],
    ),
    claim(
        "K4",
        "004",
        "Disparity ≈ 0.01·|r|·range of R̂·range of κ.",
        "0.04 predicted, 0.020 observed",
        &[Kind::Activation],
    ),
    claim(
        "C1",
        "004",
        "Disparity needs outlier layers: without them it is about 0.",
        "max κ above 50, or below 5",
        &[Kind::Dial, Kind::Screening],
    ),
    claim(
        "C2",
        "004",
        "Disparity needs activation that varies between languages: Var of ā_outlier.",
        "Var > 0.001",
        &[Kind::Screening],
    ),
    claim(
        "C3",
        "004",
        "Disparity needs few bits: with enough of them it is about 0.",
        "B < B_safe",
        &[Kind::Sweep, Kind::Screening],
    ),
    claim(
        "P1",
        "004",
        "Disparity appears below a critical width B*, which is larger where max κ is.",
        "5–6 bits at κ = 164, 2–3 at κ = 2",
        &[Kind::Sweep],
    ),
    claim(
        "P2",
        "004",
        "8 bits for outlier layers and 4 elsewhere about halve disparity.",
        "−50%",
        &[Kind::Mitigation, Kind::Dial],
    ),
    claim(
        "P3",
        "004",
        "More training tokens, more activation of outlier layers.",
        "r > 0.5",
        &[Kind::Activation],
    ),
    claim(
        "P4",
        "004",
        "Where max κ is above 50, r(R̂, D) < −0.5; where it is below 5, |r| < 0.3.",
        "thresholds",
        &[Kind::Dial, Kind::Screening],
    ),
    claim(
        "M1",
        "004",
        "BLOOM has high disparity, mT5 moderate, XLM-R low to moderate and XGLM low, as their max κ has it.",
        "κ = 164, 45, 10, 1.9",
        &[Kind::Screening],
    ),
    claim(
        "G1",
        "000, 001",
        "The best protection set of three layers or more holds the first and the last layer.",
        "{0, L−1} ⊆ S*",
        &[Kind::Gateway],
    ),
    claim(
        "G2",
        "000, 001, 003",
        "Of 12 layers, {0, 9, 11} is near-optimal among all sets of three, and the best four hold {0, 11}.",
        "−41% disparity",
        &[Kind::Gateway],
    ),
    claim(
        "G3",
        "000",
        "The free slot goes to about 3L/4, the layer of greatest cross-lingual variance.",
        "9 of 12",
        &[Kind::Gateway],
    ),
    claim(
        "F1",
        "003",
        "The Fair-Efficiency Score √(efficiency × fairness) ranks strategies.",
        "–",
        &[Kind::Mitigation],
    ),
    claim(
        "S1",
        "000, 001",
        "Tokenization acts on the loss only through alignment and redundancy: T → A → R → D.",
        "direct effect 0%",
        &[Kind::Causes],
    )
    .but("Document 000 puts the whole effect on the path through A and R; document 001 finds 42% of it mediated, and r(T, D) = −0.998 within a language."),
    claim(
        "S2",
        "000",
        "A better tokenizer, set by intervention, lowers the loss: dE[D | do(T = t)]/dt < 0.",
        "−γβ₁β₂/(β₁β₂t)², β₁ = 0.92, β₂ = 0.85, γ = 1.5",
        &[Kind::Family],
    ),
    claim(
        "S3",
        "001",
        "The better a language is aligned with others, the less it loses, without exception.",
        "–",
        &[Kind::Causes],
    ),
    claim(
        "I1",
        "003",
        "Each bit cuts distortion as the Gaussian law has it.",
        "D = σ²·2^(−2R)",
        &[Kind::Sweep],
    ),
    claim(
        "I2",
        "003",
        "Quantization moves the representations of low-resource languages further.",
        "–",
        &[Kind::Representation],
    ),
    claim(
        "I3",
        "003",
        "Quantization hurts linear probes more for low-resource languages.",
        "–",
        &[Kind::Representation],
    ),
    claim(
        "I4",
        "003",
        "Middle layers compress: there is a bottleneck near 3L/4.",
        "layer 9 of 12",
        &[Kind::Representation],
    ),
    claim(
        "X1",
        "001",
        "Twelve languages give power of about .85 for |r| > 0.7, thirty more than .95.",
        ".85, .95",
        &[Kind::Statistics],
    ),
    claim(
        "X2",
        "001",
        "217 tests need p below .05/217 by Bonferroni; Benjamini–Hochberg is less strict.",
        ".00023",
        &[Kind::Statistics],
    ),
];
