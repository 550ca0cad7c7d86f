//! The text of the exercises.

use crate::lab::Kind;

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
    /// What the theory says.
    pub theory: &'static str,
    /// What to try next.
    pub next: &'static str,
}

/// All of them, in order. Symbols in brackets have their notes in the [`glossary`](crate::report::glossary).
pub const EXERCISES: &[Exercise] = &[
    Exercise {
        name: "who-pays",
        title: "Who pays?",
        background: &[
            "A language model stores what it has learned as millions of numbers, its weights. [Quantization] rounds each of them to one of a few values: with 3 [bits], to one of seven. The model takes several times less memory, and works a little less well.",
            "How well it works is measured by having it guess. It reads a text and says, token by token, what it expects next; a token is a word or a piece of one. [Perplexity] is between how many tokens it wavers: lower is better. The loss [D] is by how much rounding raises it: D = 0.10 means 10% higher.",
            "The model that comes with this page has read 18 languages, English most and the last ones about forty times less. The upper third is called [high-resource], the lower third [low-resource].",
            "Every figure has a [95% interval]: where it would lie, had other texts been read. Two figures whose intervals overlap widely are not told apart, however far apart they look.",
            "“The theory” are five papers about all this. They make claims, some of which contradict each other; each exercise ends with what they say about its question.",
        ],
        question: "Rounded to 3 bits, which languages lose more?",
        answers: &[
            "Those that the model has seen least",
            "Those that it has seen most",
            "The intervals do not tell them apart",
        ],
        kind: Kind::Languages,
        theory: "Low-resource languages lose more: 4.24 times as much as high-resource ones (documents 000 and 001).",
        next: "On the Languages page, open one article under “Look inside a text” and see which tokens lose. Then repeat the run at 4 bits: does the order of languages stay?",
    },
    Exercise {
        name: "where-to-clip",
        title: "Where should the grid end?",
        background: &[
            "The few values that a weight may take lie evenly between −[α] and α: they are a grid. Somebody must choose α.",
            "If α is the largest weight, nothing is cut off. But the grid has only a few steps, so one very large weight makes every step wide, and all others are rounded coarsely: that is the [rounding error]. With a smaller α the steps are finer, and whatever lies beyond is cut off at α: the [clipping error]. The two pull in opposite directions.",
            "There are recipes. ACIQ works out the α of least [squared error] for a bell curve, or for a Laplace curve, of the same width [σ] as the weights. The theory's formula [f(κ, B)] makes α grow with the tails. A search tries many α on the weights as they are and keeps the best, [α*].",
        ],
        question: "At 3 bits, under which rule do the languages lose least, on average?",
        answers: &[
            "Up to the largest weight",
            "ACIQ, for a bell curve or a Laplace curve",
            "The theory's formula in the kurtosis",
            "The least squared error, by search",
            "The best two are not told apart",
        ],
        kind: Kind::Clipping,
        theory: "The threshold of least squared error is best, and it lies at 2.5 σ (documents 002, 003) or 2.83 σ (000, 001) for a bell curve at 4 bits.",
        next: "On the Clipping page, look at the squared error against α: how flat is the valley? On the Matrix page, look at one matrix at 2, 3 and 4 bits: what becomes of its small weights?",
    },
    Exercise {
        name: "heavy-tails",
        title: "What heavy tails do",
        background: &[
            "In some models a few weights are far larger than all others. One says that the weights have heavy tails, and measures it by the kurtosis [κ]: 0 for a bell curve, above 100 in some layers of some models. If the grid must reach these few, it is coarse for everybody else.",
            "Two models differ in many ways at once, so comparing them cannot show what tails alone do. The dial can. It multiplies one input channel of a layer by 32, and divides what comes into that channel by 32. The model computes the same numbers, to the last bit; only its weights now have heavy tails.",
            "[Disparity] is the loss of the language that loses most less that of the one that loses least: 0 would mean that all pay alike.",
        ],
        question: "With every second layer turned, what happens to disparity at 3 bits?",
        answers: &["It rises", "It falls", "It does not change that can be told"],
        kind: Kind::Dial,
        theory: "Disparity needs outlier layers (document 004): without them it is about 0.",
        next: "On the Dial page, take the least squared error as the rule: does the dial still do harm?",
    },
    Exercise {
        name: "who-uses-which-layers",
        title: "Who uses which layers?",
        background: &[
            "A text passes through the layers of a model one after another. After each, every token has a hidden state: a list of numbers that says what the model makes of it so far. How long that list is as an arrow, [a_ℓ], differs from layer to layer and from language to language; as a share of all layers it is [ā_ℓ], how much a language leans on a layer.",
            "[κ_eff] of a language is the mean kurtosis of the layers, each weighted by that share. A language that leans on layers with heavy tails has a high κ_eff. The documents disagree on what follows: one finds that such languages lose less, another that they lose more.",
            "Whether two figures go together over languages is told by the correlation [r]: 1 where a rising line fits wholly, −1 for a falling one, 0 where there is nothing. With few languages its interval is wide.",
        ],
        question: "Over the languages of this model, how does κ_eff go with the loss D?",
        answers: &["Higher κ_eff, more loss", "Higher κ_eff, less loss", "It cannot be told"],
        kind: Kind::Activation,
        theory: "r = −0.838 in document 002, +0.838 in document 001.",
        next: "On the Activation page, look at the other pairs. How many of them would you expect to look striking by chance?",
    },
    Exercise {
        name: "what-helps",
        title: "What helps?",
        background: &[
            "So far one grid served a whole matrix. There are other ways to spend the same number of bits: a grid of its own for each output channel or for each group of 64 weights, a better threshold [α], more bits for outlier layers, or thresholds of its own for each language.",
            "Each is compared with the plain way, one grid per matrix up to its largest weight, on the same texts. What the texts have in common then drops out, and the change of [disparity] has an interval of its own. A change is sure where that interval does not hold 0.",
        ],
        question: "Which of these reduces disparity most?",
        answers: &[
            "A finer grid: per channel or per group",
            "A better threshold: ACIQ or least squared error",
            "Thresholds of its own for each language",
            "None of them surely reduces it",
        ],
        kind: Kind::Mitigation,
        theory: "Calibration per language and mixed precision by kurtosis reduce disparity (document 002).",
        next: "What does each remedy cost in bytes? The Mitigation page shows it beside the losses, and joins both in one score, [FES].",
    },
    Exercise {
        name: "which-layer-to-protect",
        title: "Which layer to protect?",
        background: &[
            "If memory allows, a few layers can be kept in full precision while all others are rounded: they are protected. Which ones? The theory calls the first and the last layer gateways, because there a language enters and leaves the model, and place a bottleneck at three quarters of the depth.",
            "One need not guess: here each layer is protected alone, one after another, and the [disparity] that remains is measured.",
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
        theory: "The first, the last, and one at three quarters of the depth: layers 0, 9 and 11 of 12 (documents 000, 001 and 003).",
        next: "On the Gateway page, search all sets of three layers: where do layers 0, 9 and 11 stand among the 220?",
    },
];
