//! The text of the exercises.

use crate::analysis::Kind;

/// One exercise of about five minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exercise {
    /// In links: `view=tour-<name>`.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// What a newcomer must know, paragraph by paragraph.
    pub background: &'static [&'static str],
    /// What is asked.
    pub question: &'static str,
    /// What may be predicted.
    pub answers: &'static [&'static str],
    /// What is run.
    pub kind: Kind,
    /// What the seeds say.
    pub seeds: &'static str,
    /// What to try next.
    pub next: &'static str,
}

/// All of them, in order.
pub const EXERCISES: &[Exercise] = &[
    Exercise {
        name: "who-pays",
        title: "Who pays?",
        background: &[
            "A language model stores what it has learned as numbers, its weights. Quantization rounds each of them to one of a few values: with 3 bits, seven. The model becomes several times smaller, and a little worse.",
            "How much worse is measured per language. Perplexity says between how many next tokens the model wavers; D is by how much it rises, as a share. D = 0.10 is 10% more.",
            "The model of this exercise has read 18 languages, English most and the last ones about forty times less.",
        ],
        question: "Rounded to 3 bits, which languages lose more?",
        answers: &[
            "Those that the model has seen least",
            "Those that it has seen most",
            "The intervals do not tell them apart",
        ],
        kind: Kind::Languages,
        seeds: "Low-resource languages lose more: 4.24 times as much as high-resource ones (seeds 000 and 001).",
        next: "Repeat it at 4 bits, and with the threshold by least squared error: does the order of languages stay?",
    },
    Exercise {
        name: "where-to-clip",
        title: "Where should the grid end?",
        background: &[
            "The few values of the grid are spread evenly from −α to α. If α is the largest weight, nothing is cut off, but one large weight makes every step coarse. With a smaller α the steps are finer, and the weights beyond it are clipped.",
            "ACIQ computes the α of least squared error for a bell curve; the search finds it for the weights as they are.",
        ],
        question: "At 3 bits, under which rule do the languages lose least, on average?",
        answers: &[
            "Up to the largest weight",
            "ACIQ, for a bell curve or a Laplace curve",
            "The seeds' formula in the kurtosis",
            "The least squared error, by search",
            "The best two are not told apart",
        ],
        kind: Kind::Clipping,
        seeds: "The threshold of least squared error is best, and it lies at 2.5 σ (seeds 002, 003) or 2.83 σ (000, 001) for a bell curve at 4 bits.",
        next: "Look at the chart of squared error against α: how flat is the valley? Then repeat it at 4 bits.",
    },
    Exercise {
        name: "heavy-tails",
        title: "What heavy tails do",
        background: &[
            "Some trained models have a few very large weights. Their kurtosis κ is high: 0 for a bell curve, above 100 in some layers of some models. With the grid up to the largest weight, such outliers cost everybody else their precision.",
            "The dial makes outliers on purpose. It multiplies one channel of a layer by 32 and divides the gain before it by 32: the model computes the same numbers to the last bit, but its weights have heavy tails.",
        ],
        question: "With every second layer turned, what happens to disparity, the difference between the language that loses most and the one that loses least?",
        answers: &["It rises", "It falls", "It does not change that can be told"],
        kind: Kind::Dial,
        seeds: "Disparity needs outlier layers (seed 004): without them it is about 0.",
        next: "On the Dial page, take the least squared error as the rule: does the dial still do harm?",
    },
    Exercise {
        name: "who-uses-which-layers",
        title: "Who uses which layers?",
        background: &[
            "A text passes through the model's layers one after another, and each adds something to its hidden state. How large the state is after each layer can differ from language to language.",
            "κ_eff is the mean kurtosis of the layers, weighted by how much a language uses each. The seeds disagree on what it does: one finds that languages with a high κ_eff lose less, another that they lose more.",
        ],
        question: "Over the languages of this model, how does κ_eff go with the loss D?",
        answers: &["Higher κ_eff, more loss", "Higher κ_eff, less loss", "It cannot be told"],
        kind: Kind::Activation,
        seeds: "r = −0.838 in seed 002, +0.838 in seed 001.",
        next: "On the Activation page, look at the other pairs. How many of them would you expect to look striking by chance?",
    },
    Exercise {
        name: "what-helps",
        title: "What helps?",
        background: &[
            "Several remedies are on offer: a threshold for each output channel or for each group of 64 weights instead of one for a whole matrix, a better threshold, more bits for outlier layers, or weights of their own for each language.",
            "Each is compared with the plain way, one grid per matrix up to its largest weight, on the same texts: the change of disparity has an interval of its own.",
        ],
        question: "Which of these reduces disparity most?",
        answers: &[
            "A finer grid: per channel or per group",
            "A better threshold: ACIQ or least squared error",
            "Thresholds of its own for each language",
            "None of them surely reduces it",
        ],
        kind: Kind::Mitigation,
        seeds: "Calibration per language and mixed precision by kurtosis reduce disparity (seed 002).",
        next: "What does each remedy cost in bytes? The Mitigation page shows it beside the losses.",
    },
    Exercise {
        name: "which-layer-to-protect",
        title: "Which layer to protect?",
        background: &[
            "A few layers can be kept in full precision while all others are rounded. The seeds call the first and the last layer gateways, and place a bottleneck at three quarters of the depth.",
            "Here each layer is protected alone, and the disparity that remains is measured.",
        ],
        question: "Protecting which single layer leaves the least disparity?",
        answers: &[
            "The first",
            "The last",
            "The one at three quarters of the depth",
            "Another one",
            "The best two are not told apart",
        ],
        kind: Kind::Gateway,
        seeds: "The first, the last, and one at 3L/4: {0, 9, 11} of 12 layers (seeds 000, 001 and 003).",
        next: "On the Gateway page, search all sets of three layers: where does {0, 9, 11} stand among the 220?",
    },
];
