//! The Family report: four models, two factors, and what each does to whom.

use crate::report::chart::intervals::{IntervalChart, Point};
use crate::report::chart::scatter::{Point as Dot, ScatterChart};
use crate::report::{Interval, Resource, chance::Chance, format, labels};

mod tables;

use super::{CELLS, Claim, Effects, Measured, Report, Row};
pub use tables::{over_all_table, table, verdict_table};

/// A factor, or both together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// The mix of languages in the training text.
    Data,
    /// The mix that the tokenizer was made from.
    Tokenizer,
    /// What they do together beside what each does.
    Interaction,
}

impl Factor {
    /// All of them.
    pub const ALL: [Factor; 3] = [Factor::Data, Factor::Tokenizer, Factor::Interaction];

    /// On the page and in files.
    pub fn key(self) -> &'static str {
        match self {
            Factor::Data => "data",
            Factor::Tokenizer => "tokenizer",
            Factor::Interaction => "interaction",
        }
    }

    /// In a list of choices.
    pub fn title(self) -> &'static str {
        match self {
            Factor::Data => "balanced instead of skewed data",
            Factor::Tokenizer => "a balanced instead of a skewed tokenizer",
            Factor::Interaction => "both together, beside what each does",
        }
    }

    /// Its effect.
    pub fn of(self, effects: &Effects) -> Interval {
        match self {
            Factor::Data => effects.data,
            Factor::Tokenizer => effects.tokenizer,
            Factor::Interaction => effects.interaction,
        }
    }
}

/// What the four models are, in the order of the report.
pub const NAMES: [&str; CELLS] = [
    "skewed data and tokenizer",
    "skewed data, balanced tokenizer",
    "balanced data, skewed tokenizer",
    "balanced data and tokenizer",
];

/// The claim in short.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::S2 => "S2: better tokenization causes lower disparity, dE[D | do(T = t)]/dt < 0",
    }
}

/// Effect on each language, the largest first; unseen ones apart.
pub fn effects_chart(report: &Report, factor: Factor) -> IntervalChart {
    let mut rows: Vec<&Row> = report.rows.iter().collect();
    let value = |row: &Row| factor.of(&row.degradation.effects).value;
    rows.sort_by(|a, b| b.counts.cmp(&a.counts).then(value(b).total_cmp(&value(a))));
    let point = |row: &&Row| {
        let effect = factor.of(&row.degradation.effects);
        Point {
            key: row.language.code.clone(),
            label: row.language.name.clone(),
            told: format!(
                "{}: D changes by {} with {}; by Δ bits per byte {}",
                row.language.name,
                format::interval(&effect),
                factor.title(),
                format::interval(&factor.of(&row.bits_per_byte.effects))
            ),
            resource: Some(if row.counts { row.language.resource } else { Resource::Unseen }),
            interval: effect,
        }
    };
    let points: Vec<Point> = rows.iter().map(point).collect();
    let title = format!("What {} adds to the loss D", factor.title());
    IntervalChart {
        description: format!("{title}. {}", sentence(report)),
        title,
        axis: "change of D = (PPL quantized − PPL full) ÷ PPL full".into(),
        decimals: format::common_decimals(points.iter().map(|point| &point.interval)),
        points,
        references: Vec::new(),
        spread: None,
    }
}

/// What the balanced tokenizer adds to the bytes per token, and to D, of every language that counts.
pub fn fit_chart(report: &Report) -> Option<ScatterChart> {
    let point = |row: &Row| {
        let gain = gain(row);
        Dot {
            key: row.language.code.clone(),
            told: format!(
                "{}: {} bytes per token more, D changes by {}",
                row.language.name,
                format::figure(gain),
                format::interval(&row.degradation.effects.tokenizer)
            ),
            resource: row.language.resource,
            x: Interval::point(gain),
            y: row.degradation.effects.tokenizer,
        }
    };
    let points: Vec<Dot> = report.rows.iter().filter(|row| row.counts).map(point).collect();
    let title = "Who is cut into fewer tokens, and who loses less".to_string();
    (!points.is_empty()).then(|| ScatterChart {
        description: format!("{title}. {}", fit_sentence(report)),
        title,
        across: "bytes per token that the balanced tokenizer adds".into(),
        upwards: "what it adds to D".into(),
        points,
    })
}

fn gain(row: &Row) -> f64 {
    let [a, b, c, d] = row.bytes_per_token;
    0.5 * (b - a + d - c)
}

/// p of r of both.
pub(crate) fn chance(report: &Report) -> Option<Chance> {
    report.fit.as_ref().map(|fit| Chance::new(fit.pearson_p, report.config.permutations))
}

/// r of both, in a sentence.
pub fn fit_sentence(report: &Report) -> String {
    match &report.fit {
        Some(fit) => format!(
            "r of the bytes per token that the balanced tokenizer adds and of what it adds to D is {} over {} (permutation p {}).",
            format::interval(&fit.pearson),
            format::counted(fit.n as u64, "language"),
            Chance::new(fit.pearson_p, report.config.permutations).told()
        ),
        None => {
            "There is no r of tokens and loss: it takes at least three languages that all four models have seen.".into()
        }
    }
}

/// What was found.
pub fn sentence(report: &Report) -> String {
    let Some(mean) = &report.mean else {
        return "No language of this run was seen by all four models, so nothing can be said over all.".into();
    };
    let part = |factor: Factor| {
        let effect = factor.of(&mean.effects);
        let told = match (effect.low > 0.0, effect.high < 0.0) {
            (true, _) => "raises the mean loss",
            (_, true) => "lowers the mean loss",
            _ => "does not change the mean loss to be told from 0",
        };
        format!("{} {told}, {}", factor.title(), format::interval(&effect))
    };
    let disparity = report.disparity.map_or(String::new(), |of| {
        format!(
            " Disparity is {} with skewed data and tokenizer and {} with both balanced.",
            format::interval(&of.of[0]),
            format::interval(&of.of[3])
        )
    });
    labels::as_sentence(&format!("{}; {}; {}", part(Factor::Data), part(Factor::Tokenizer), part(Factor::Interaction)))
        + &disparity
}

/// What the figures rest on.
pub fn footnotes(report: &Report) -> Vec<String> {
    let config = &report.config;
    let models: Vec<String> = report
        .models
        .iter()
        .zip(NAMES)
        .map(|(model, name)| format!("{} ({name}), SHA-256 {}…", model.name, model.files.short()))
        .collect();
    vec![
        format!(
            "D at {} bits, {}, one grid per {}; {} of each language from {}.",
            config.quantizer.bits.get(),
            labels::rule(config.quantizer.rule),
            labels::granularity(config.quantizer.granularity),
            format::counted(config.texts.units as u64, "text"),
            config.texts.corpus
        ),
        format!(
            "Intervals: 95%, BCa bootstrap over texts, the same draws for all languages and models. Those of r: over languages. {} \
             resamples, {} shuffles, seed {}.",
            format::count(config.draws.resamples as u64),
            format::count(config.permutations as u64),
            config.draws.seed
        ),
        "An effect is balanced − skewed: the mean over both levels of the other factor. The interaction is what the balanced \
         tokenizer does with balanced data less what it does with skewed data. One model was trained for each cell, so intervals \
         do not say what another training run would give."
            .into(),
        "D compares a model with itself, so D of a language can be compared across models; Δ bits per byte does not depend on how \
         finely a tokenizer cuts."
            .into(),
        format!("Models: {}.", models.join("; ")),
        crate::lab::made(&report.origin),
    ]
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("family-{}bit", report.config.quantizer.bits.get()))
}
