//! The Representation report: how far quantization moves hidden states, whether translations still find each other, what
//! probes still read off, and the verdicts.

mod charts;
mod tables;

use crate::report::{Interval, format, labels};

use super::{Cell as LayerCell, Claim, Probed, Question, RIDGE, Report, Row, claimed_layer};
pub use charts::{entropy_chart, heat, lines, probes_chart};
pub use tables::{entropy_table, heat_table, languages_table, probes_table, verdict_table};

/// What a cell of the map shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    /// Mean cosine of a token's two states.
    Cosine,
    /// Linear CKA.
    Cka,
    /// Sliced Wasserstein distance.
    Sliced,
    /// Wasserstein distance of each channel.
    Channels,
    /// Entropy of the spectrum in full precision.
    Entropy,
    /// The same, quantized.
    EntropyQuantized,
    /// Translations found in full precision.
    Found,
    /// The same, quantized.
    FoundQuantized,
    /// Margin of the own translation in full precision.
    Margin,
    /// The same, quantized.
    MarginQuantized,
}

impl Shade {
    /// All of them.
    pub const ALL: [Shade; 10] = [
        Shade::Sliced,
        Shade::Channels,
        Shade::Cosine,
        Shade::Cka,
        Shade::Entropy,
        Shade::EntropyQuantized,
        Shade::Found,
        Shade::FoundQuantized,
        Shade::Margin,
        Shade::MarginQuantized,
    ];

    /// On the page and in files.
    pub fn key(self) -> &'static str {
        match self {
            Shade::Cosine => "cosine",
            Shade::Cka => "cka",
            Shade::Sliced => "sliced",
            Shade::Channels => "channels",
            Shade::Entropy => "entropy",
            Shade::EntropyQuantized => "entropy-quantized",
            Shade::Found => "found",
            Shade::FoundQuantized => "found-quantized",
            Shade::Margin => "margin",
            Shade::MarginQuantized => "margin-quantized",
        }
    }

    /// In a list of choices.
    pub fn title(self) -> &'static str {
        match self {
            Shade::Cosine => "cosine of full and quantized states",
            Shade::Cka => "CKA of full and quantized states",
            Shade::Sliced => "sliced Wasserstein distance of full and quantized states",
            Shade::Channels => "Wasserstein distance channel by channel",
            Shade::Entropy => "entropy of the spectrum, full precision",
            Shade::EntropyQuantized => "entropy of the spectrum, quantized",
            Shade::Found => "translations that find each other, full precision",
            Shade::FoundQuantized => "translations that find each other, quantized",
            Shade::Margin => "cosine margin of translations, full precision",
            Shade::MarginQuantized => "cosine margin of translations, quantized",
        }
    }

    /// What its figures are, with their unit.
    pub fn unit(self) -> &'static str {
        match self {
            Shade::Cosine => "mean cosine of a token's two states",
            Shade::Cka => "linear CKA",
            Shade::Sliced => "sliced W₂ over the spread of the states",
            Shade::Channels => "mean W₁ of a channel over the spread",
            Shade::Entropy | Shade::EntropyQuantized => "entropy H in bits",
            Shade::Found | Shade::FoundQuantized => "share found, both ways",
            Shade::Margin | Shade::MarginQuantized => "own translation's cosine less the others'",
        }
    }

    /// Its figure with the interval; the mean of both ways where translations are looked for.
    pub fn of(self, cell: &LayerCell) -> Option<Interval> {
        let found = |which: usize| cell.aligned.map(|of| between(of[which].found, of[which].found_back));
        match self {
            Shade::Cosine => cell.cosine,
            Shade::Cka => cell.cka,
            Shade::Sliced => cell.sliced,
            Shade::Channels => cell.channels,
            Shade::Entropy => Some(cell.entropy[0]),
            Shade::EntropyQuantized => Some(cell.entropy[1]),
            Shade::Found => found(0),
            Shade::FoundQuantized => found(1),
            Shade::Margin => cell.aligned.map(|of| of[0].margin),
            Shade::MarginQuantized => cell.aligned.map(|of| of[1].margin),
        }
    }
}

/// The mean of two shares; its interval is at most as wide as the mean of theirs.
fn between(a: Interval, b: Interval) -> Interval {
    let mean = |a: f64, b: f64| 0.5 * (a + b);
    Interval { value: mean(a.value, b.value), low: mean(a.low, b.low), high: mean(a.high, b.high) }
}

/// A question in a few words.
pub fn question(question: Question) -> &'static str {
    match question {
        Question::Language => "which language",
        Question::Script => "which script",
        Question::Article => "which article",
    }
}

/// On the page and in files.
pub fn question_key(question: Question) -> &'static str {
    match question {
        Question::Language => "language",
        Question::Script => "script",
        Question::Article => "article",
    }
}

/// A claim in a few words.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::I2 => "I2: quantization moves low-resource languages further",
        Claim::I3 => "I3: quantization hurts linear probes more for low-resource languages",
        Claim::I4 => "I4: a bottleneck near layer 3L/4",
    }
}

/// What was found, in a sentence or two.
pub fn sentence(report: &Report) -> String {
    let seen = || report.rows.iter().filter(|row| row.language.counts() && row.moved.is_some());
    let of = |row: &&Row| row.moved.map_or(0.0, |of| of.value);
    let by = |a: &&Row, b: &&Row| of(a).total_cmp(&of(b));
    let (Some(least), Some(most)) = (seen().min_by(by), seen().max_by(by)) else {
        return "None of these languages was seen in training, or their states are not numbers.".into();
    };
    let told = |row: &Row| row.moved.map_or_else(String::new, |of| format::interval(&of));
    let apart = matches!((least.moved, most.moved), (Some(least), Some(most)) if most.low > least.high);
    let lost = report.spread.moved.map_or_else(String::new, |of| {
        let told = match (of.low > 0.0, of.high < 0.0) {
            (true, _) => "further",
            (_, true) => "less far",
            _ => return " Whether low-resource languages move further is lost in the interval.".into(),
        };
        format!(" Low-resource languages move {told} than high-resource ones, by {}.", format::interval(&of))
    });
    format!(
        "At {} bits states move by {} of their spread in {} and by {} in {}{}.{lost}",
        report.config.quantizer.bits.get(),
        told(least),
        least.language.name,
        told(most),
        most.language.name,
        if apart { "" } else { ", which the intervals do not tell apart" }
    )
}

/// What the figures rest on.
pub fn footnotes(report: &Report) -> Vec<String> {
    let config = &report.config;
    let (width, seen) = report.widths;
    let subspace = match width > seen {
        true => format!(" States have {width} channels; their spectrum is that of a random subspace of {seen}."),
        false => String::new(),
    };
    let asked: Vec<String> = report
        .probes
        .iter()
        .map(|of| {
            format!("{} ({} answers, trained on up to {} texts)", question(of.question), of.classes, of.trained_on)
        })
        .collect();
    vec![
        format!(
            "Full precision against {} bits, {}, one grid per {}; {} of each language from {}.",
            config.quantizer.bits.get(),
            labels::rule(config.quantizer.rule),
            labels::granularity(config.quantizer.granularity),
            format::counted(config.texts.units as u64, "text"),
            config.texts.corpus
        ),
        format!(
            "Distances are between the two clouds of a text's states: sliced W₂ along {} random directions, and exact W₁ of each \
             channel; both over the root mean square deviation of the full-precision states, texts by their tokens. CKA is \
             linear, from the unbiased HSIC of each text.",
            config.directions
        ),
        format!(
            "Translations: each text is the mean of its states, its nearest text of {} by cosine should be its own. The margin is \
             the cosine with the own translation less the mean with all others.",
            config.reference
        ),
        format!(
            "Probes: ridge regression on mean states, λ = {RIDGE} of their mean squared length: {}. For language and script every \
             other unit is trained on and the rest asked, for the article every other language, and both the other way round, so \
             no unit, or no language, is on both sides.",
            if asked.is_empty() { "none could be asked".into() } else { asked.join(", ") }
        ),
        format!(
            "Intervals: 95%, paired BCa bootstrap over texts, {} resamples, seed {}; of entropies: jackknife over {} of the texts. \
             The interval of shares found both ways is the mean of the two.{subspace}",
            format::count(config.draws.resamples as u64),
            config.draws.seed,
            format::counted(report.parts as u64, "part")
        ),
        crate::lab::provenance(&report.origin),
    ]
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!(
        "{}-representation-{}bit",
        report.origin.model,
        report.config.quantizer.bits.get()
    ))
}
