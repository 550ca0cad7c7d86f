//! The glossary itself.

use super::Entry;

const fn entry(
    names: &'static [&'static str],
    title: &'static str,
    words: &'static str,
    equation: &'static str,
) -> Entry {
    Entry { names, title, words, equation }
}

/// Every symbol of the lab, from the weights to the tests.
pub const ENTRIES: &[Entry] = &[
    // What is lost
    entry(
        &["KL", "KL/text", "KL/token", "KL/byte", "KL per text", "KL per token", "KL per byte"],
        "divergence from full precision",
        "How many bits a reader loses, token by token, who trusts the rounded model's predictions in place of full precision's. \
         It is 0 only where nothing changed, and a lucky change does not lower it.",
        "KL = Σ p · log_2 \\frac{p}{q}",
    ),
    entry(
        &["flips", "Flips"],
        "flips",
        "The share of tokens after which another token than in full precision is the most likely one.",
        "flips = \\frac{\\text{changed}}{\\text{tokens}}",
    ),
    entry(
        &["Δp", "Mean Δp", "RMS Δp"],
        "change of the right token's probability",
        "How much more or less probable the rounded model takes the token that really comes.",
        "Δp = q(token) − p(token)",
    ),
    entry(
        &["τ"],
        "spread between languages",
        "How far the languages' true losses lie apart: the standard deviation of the figures without what the choice of texts adds \
         to it by chance. Largest − smallest grows with the number of languages and with chance; τ does not.",
        "τ^2 = Var(loss) − noise",
    ),
    // Quantization
    entry(
        &["B", "bits", "Bits"],
        "bits per weight",
        "How many bits a rounded weight takes. With B bits a weight is one of 2L + 1 values: 3 at 2 bits, 7 at 3, 15 at 4.",
        "L = 2^{B−1} − 1",
    ),
    entry(
        &["L"],
        "levels of the grid",
        "Steps of the grid on each side of zero. Codes run from −L to L; a rounded weight is its code times α/L.",
        "L = 2^{B−1} − 1",
    ),
    entry(
        &["Q_α", "quantization", "Quantization"],
        "quantization",
        "Replaces a weight by the nearest value of an even grid from −α to α; what lies beyond α becomes α. Halves go to the even \
         code.",
        "Q_α(x) = \\frac{α}{L} · round(clip(x, −α, α) · \\frac{L}{α})",
    ),
    entry(
        &["α", "threshold"],
        "clipping threshold",
        "Where the grid ends. A large α reaches every weight with coarse steps; a small one has fine steps and cuts the largest \
         weights off.",
        "−α ≤ Q_α(x) ≤ α",
    ),
    entry(
        &["α*", "α*/σ"],
        "best threshold",
        "The α with the least mean squared error on the weights as they are, found by search on the real grid.",
        "α^* = \\text{argmin}_α Σ(x − Q_α(x))^2",
    ),
    entry(
        &["α/σ"],
        "threshold over spread",
        "The threshold counted in standard deviations of the weights, so that matrices can be compared.",
        "\\frac{α}{σ}",
    ),
    entry(
        &["f(κ, B)"],
        "threshold by kurtosis",
        "The theory's formula for α/σ: it grows with the kurtosis. At 4 bits c is 2.5 and d is 0.3; other widths are scaled as \
         ACIQ's optimum for a bell curve is.",
        "f(κ, B) = c_B + d_B ln(1 + κ)",
    ),
    entry(
        &["MSE", "Squared error", "squared error", "MSE ÷ σ²"],
        "mean squared error",
        "How far rounded weights lie from the true ones: the mean of the squared differences, given as a share of the weights' \
         variance. It has two parts, clipping and rounding.",
        "MSE = \\frac{1}{n} Σ(x − Q_α(x))^2",
    ),
    entry(
        &["clipping error", "Clipping", "Clipped"],
        "clipping error",
        "What is lost on weights beyond α, which are cut off there. It falls as α grows.",
        "\\frac{1}{n} Σ_{|x| > α} (|x| − α)^2",
    ),
    entry(
        &["rounding error", "Rounding"],
        "rounding error",
        "What is lost on weights inside the grid, at most half a step each. It grows with α.",
        "\\frac{1}{n} Σ_{|x| ≤ α} (x − Q_α(x))^2 ≤ (\\frac{α}{2L})^2",
    ),
    entry(
        &["E", "E(S)"],
        "efficiency",
        "How many times smaller the model is: its bytes in 32-bit floats over its bytes with the layers of S kept in full.",
        "E(S) = \\frac{\\text{bytes in f32}}{\\text{bytes with S protected}}",
    ),
    entry(
        &["S", "Protected"],
        "protected layers",
        "The set of layers that stay in full precision while all others are rounded.",
        "S ⊆ \\{0, 1, …\\}",
    ),
    entry(
        &["FES"],
        "fair-efficiency score",
        "One figure for small and fair at once, between 0 and 1: the root of memory saved times fairness.",
        "FES = \\sqrt{(1 − \\frac{1}{E}) · \\frac{1}{1 + \\text{disparity}}}",
    ),
    // Weights
    entry(
        &["σ", "Standard deviation"],
        "standard deviation",
        "How widely the weights are spread: the root of their mean squared distance from the mean. Two thirds of a bell curve lie \
         within one σ.",
        "σ = \\sqrt{\\frac{1}{n} Σ(x − \\bar{x})^2}",
    ),
    entry(
        &["κ", "kurtosis", "excess kurtosis", "Max κ"],
        "excess kurtosis",
        "How heavy the tails are: 0 for a bell curve, 3 for a Laplace curve, above 100 where a few weights are far larger than all \
         others.",
        "κ = \\frac{\\frac{1}{n} Σ(x − \\bar{x})^4}{σ^4} − 3",
    ),
    entry(
        &["Beyond 3σ", "Beyond 6σ", "Outlier", "outlier layer"],
        "outliers",
        "Weights unusually far from the mean; of a bell curve 0.27% lie beyond 3σ and next to none beyond 6σ. A layer whose κ lies \
         above the threshold is an outlier layer.",
        "|x − \\bar{x}| > 3σ",
    ),
    // Loss
    entry(
        &["perplexity", "Perplexity", "PPL"],
        "perplexity",
        "Between how many next tokens the model wavers, on average. It is not compared across languages, as tokens differ in length.",
        "PPL = exp(−\\frac{1}{T} Σ_t ln p(x_t | x_{<t}))",
    ),
    entry(
        &["D", "D(λ)", "loss D", "Median D", "Mean D"],
        "loss of a language",
        "By how much quantization raises the perplexity of language λ, as a share of what it was: 0.10 is 10% more.",
        "D(λ) = \\frac{PPL_q(λ) − PPL_f(λ)}{PPL_f(λ)}",
    ),
    entry(
        &["bits per byte", "Bits per byte"],
        "bits per byte",
        "The loss of a text in bits over its UTF-8 bytes. It does not depend on how finely a tokenizer cuts.",
        "bpb = \\frac{−Σ_t log_2 p(x_t | x_{<t})}{\\text{bytes}}",
    ),
    entry(
        &["Δ bits per byte"],
        "bits per byte lost",
        "Bits per byte after quantization less those before: what rounding adds to the length of the text, were it compressed with \
         the model.",
        "Δ = bpb_q − bpb_f",
    ),
    entry(
        &["disparity", "Disparity"],
        "disparity",
        "How unevenly the loss falls: the largest loss of any language less the smallest, over languages the model was trained on.",
        "max_λ D(λ) − min_λ D(λ)",
    ),
    entry(
        &["ratio", "Low ÷ high"],
        "low-resource over high-resource",
        "How many times as much the low-resource languages lose, on average. It means little where the loss of the high-resource \
         ones is near 0.",
        "\\frac{mean D(LR)}{mean D(HR)}",
    ),
    entry(
        &["LR", "low-resource", "Low-resource", "HR", "high-resource", "High-resource"],
        "resource level",
        "How much of a language the model saw in training: high-resource is the upper third by bytes, low-resource the lower third.",
        "\\text{HR}: \\text{upper third}, \\text{LR}: \\text{lower third}",
    ),
    // Inside
    entry(
        &["a_ℓ", "a"],
        "activation of a layer",
        "How large a language's hidden states are after layer ℓ: the mean length of the state vector over its tokens.",
        "a_ℓ(λ) = mean ‖h_ℓ‖",
    ),
    entry(
        &["ā_ℓ", "ā"],
        "share of a layer",
        "A layer's activation as a share of all layers': how much a language leans on it.",
        "\\bar{a}_ℓ = \\frac{a_ℓ}{Σ_k a_k}",
    ),
    entry(
        &["κ_eff"],
        "effective kurtosis",
        "The mean kurtosis of the layers, each weighted by how much the language leans on it.",
        "κ_{eff}(λ) = Σ_ℓ \\bar{a}_ℓ(λ) κ_ℓ",
    ),
    entry(
        &["R̂", "ā_outlier"],
        "share of the outlier layers",
        "How much a language leans on outlier layers: the sum of their shares. The theory takes it for redundancy.",
        "\\hat{R}(λ) = Σ_{ℓ \\text{ outlier}} \\bar{a}_ℓ(λ)",
    ),
    entry(
        &["R", "redundancy"],
        "redundancy",
        "How much more a model carries of a language than it needs. The theory defines it in four ways, and the lab measures all of \
         them; the first is shown here.",
        "R = I(X; Y) − H(Y | X)",
    ),
    entry(
        &["C/(R + δ)", "δ"],
        "the theory's bound",
        "The theory says that the loss of a language is at most this: the more redundancy, the less loss.",
        "ε(λ) ≤ \\frac{C}{R(λ) + δ}",
    ),
    entry(
        &["effective rank"],
        "effective rank",
        "How many directions the hidden states really use: the exponential of the entropy of their spectrum.",
        "exp(−Σ_i p_i ln p_i), p_i = \\frac{λ_i}{Σ_k λ_k}",
    ),
    entry(
        &["CKA"],
        "centred kernel alignment",
        "How alike two sets of hidden states are, whatever turns and scales lie between them: 1 where they say the same.",
        "CKA = \\frac{HSIC(K, L)}{\\sqrt{HSIC(K, K) HSIC(L, L)}}",
    ),
    entry(
        &["Wasserstein", "W₁", "W₁ of channels", "Sliced W₂"],
        "Wasserstein distance",
        "How far one cloud of points must be moved to become another, at the least.",
        "W_1 = min \\text{ mean distance that a point is moved}",
    ),
    // Causes
    entry(
        &["T", "tokenization T", "Words per token"],
        "tokenization",
        "How well the tokenizer fits a language: words per token by default, the inverse of fertility.",
        "T = \\frac{\\text{words}}{\\text{tokens}}",
    ),
    entry(
        &["fertility", "Tokens per word"],
        "fertility",
        "Into how many tokens a word is cut on average: 1 where every word is one token.",
        "\\frac{\\text{tokens}}{\\text{words}}",
    ),
    entry(
        &["A", "alignment"],
        "alignment",
        "How near the states of a text lie to those of its translation, compared with those of other texts.",
        "A = cos(h, h′) \\text{ of translations, less that of others}",
    ),
    entry(
        &["β", "β₁", "β₂", "γ"],
        "coefficients of the chain",
        "How strongly each step of the theory's chain T → A → R → D pulls the next.",
        "A = β_1 T + ε, R = β_2 A + ε, D = \\frac{γ}{R} + ε",
    ),
    entry(
        &["B*", "Theory's B*"],
        "critical width",
        "The number of bits below which disparity appears. The lab reads it off the measured widths in two ways.",
        "B^* = max \\{B : \\text{disparity}(B) > 0\\}",
    ),
    // Statistics
    entry(
        &["n"],
        "number of cases",
        "How many weights, texts or languages a figure is made of; the caption says which.",
        "n = |\\text{cases}|",
    ),
    entry(
        &["95% interval", "interval", "BCa"],
        "95% interval",
        "The range that a figure would stay in, were the texts drawn anew: a seeded bootstrap over texts, corrected for bias and \
         skew (BCa).",
        "[θ_{low}, θ_{high}]",
    ),
    entry(
        &["r", "Partial r"],
        "correlation",
        "How well a straight line fits: 1 or −1 where it fits wholly, 0 where the two have nothing to do with each other.",
        "r = \\frac{Σ(x − \\bar{x})(y − \\bar{y})}{\\sqrt{Σ(x − \\bar{x})^2 Σ(y − \\bar{y})^2}}",
    ),
    entry(
        &["ρ"],
        "rank correlation",
        "The same of ranks: whether the larger goes with the larger, straight line or not.",
        "ρ = r(rank(x), rank(y))",
    ),
    entry(
        &["p"],
        "p value",
        "How often shuffled figures would show as much by chance alone. Small means: hardly by chance.",
        "p = \\frac{1 + \\text{shuffles at least as extreme}}{1 + \\text{shuffles}}",
    ),
    entry(
        &["power", "Power"],
        "power",
        "How likely a test is to find an effect of a given size, where there is one.",
        "\\text{power} = P(p < α | ρ)",
    ),
    entry(
        &["Holm"],
        "Holm's correction",
        "Makes p larger for the number of tests made, so that even one false alarm among all of them is rare.",
        "p_{(i)} ≤ \\frac{α}{m − i + 1}",
    ),
    entry(
        &["Benjamini–Hochberg"],
        "Benjamini and Hochberg's correction",
        "Makes p larger so that, of the tests called found, only a small share is false on average.",
        "p_{(i)} ≤ \\frac{i}{m} α",
    ),
];
