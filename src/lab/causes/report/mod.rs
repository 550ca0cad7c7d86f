//! The Causes report: T, A, R and D of each language, the paths between them, and the simulated model beside them.

mod charts;
mod tables;

use crate::report::{chance::Chance, format, labels};

use super::{Claim, LEAST_LANGUAGES, Paths, Quality, Report, Row};
pub use crate::math::scm::Scm;
pub use charts::{Pair, intervene_chart, paths_chart, scatter};
pub use tables::{intervene_table, paths_table, scatter_table, table, verdict_table};

/// Fewer languages than this make every path a guess.
const FEW: usize = 30;

/// p of ρ of alignment and loss, which the verdict on S3 names.
pub(crate) fn chance(report: &Report) -> Option<Chance> {
    report.alignment.as_ref().map(|of| Chance::new(of.spearman_p, report.config.permutations))
}

/// What T is called.
pub fn quality(quality: Quality) -> &'static str {
    match quality {
        Quality::WordsPerToken => "words per token",
        Quality::BytesPerToken => "bytes per token",
        Quality::SingleTokenWords => "share of words that are one token",
    }
}

/// On the page and in files.
pub fn quality_key(quality: Quality) -> &'static str {
    match quality {
        Quality::WordsPerToken => "words_per_token",
        Quality::BytesPerToken => "bytes_per_token",
        Quality::SingleTokenWords => "single_token_words",
    }
}

/// The claim in short.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::S1 => "S1: tokenization acts on the loss only through alignment and redundancy, T → A → R → D",
        Claim::S3 => "S3: higher alignment, lower loss",
    }
}

/// Each path with its key, what it is, and its figure.
pub fn paths(of: &Paths) -> [(&'static str, &'static str, crate::report::Interval); 9] {
    [
        ("t_a", "T → A (β₁)", of.t_a),
        ("a_r", "A → R, given T (β₂)", of.a_r),
        ("r_d", "R → D, given A and T", of.r_d),
        ("t_r", "T → R, beside A", of.t_r),
        ("a_d", "A → D, beside R", of.a_d),
        ("direct", "T → D direct, beside both", of.direct),
        ("indirect", "T → D indirect, through A or R", of.indirect),
        ("serial", "T → A → R → D alone", of.serial),
        ("total", "T → D in all", of.total),
    ]
}

/// What was found, with the usual warning.
pub fn sentence(report: &Report) -> String {
    let Some(paths) = &report.paths else {
        return format!(
            "There is no path model: it needs at least {LEAST_LANGUAGES} seen languages beside the reference, in which tokenization, \
             alignment, redundancy and loss vary on their own."
        );
    };
    let told = |of: &crate::report::Interval| match (of.low > 0.0, of.high < 0.0) {
        (true, _) => "above 0",
        (_, true) => "below 0",
        _ => "not to be told from 0",
    };
    format!(
        "Of the effect of tokenization on loss, {} in standard deviations, {} goes through alignment or redundancy ({}) and {} goes \
         past them ({}). {}",
        format::interval(&paths.total),
        format::interval(&paths.indirect),
        told(&paths.indirect),
        format::interval(&paths.direct),
        told(&paths.direct),
        warning(paths.n)
    )
}

/// What so many languages can say.
pub fn warning(n: usize) -> String {
    let few = match n < FEW {
        true => format!(
            "With {n} languages, three predictors leave {} degrees of freedom: read the intervals, not the figures.",
            n.saturating_sub(4)
        ),
        false => format!("Over {n} languages."),
    };
    format!(
        "{few} Nothing was changed on purpose here: whatever moves two of these figures at once, such as how much of a language the \
         model saw, looks like a path. The Family page changes the tokenizer itself."
    )
}

/// What the simulation says beside the closed form.
pub fn intervene_sentence(report: &Report, scm: &Scm) -> String {
    let under = charts::curve(report, scm);
    let falls = under.windows(2).all(|pair| pair[1].median <= pair[0].median);
    let worst = under.iter().map(|of| (of.median / scm.closed(of.t) - 1.0).abs()).fold(0.0, f64::max);
    let beyond = under.iter().map(|of| of.beyond).fold(0.0, f64::max);
    format!(
        "Under do(T = t) the median of D {}; it is off the closed form γ/(β₁β₂t) by {} at most. {}",
        if falls {
            "falls with t, as S2's derivative −γβ₁β₂/(β₁β₂t)² says"
        } else {
            "does not fall everywhere"
        },
        format::percent(worst),
        match beyond > 0.0 {
            true => format!(
                "R is not above 0 in up to {} of the draws, where the theory's model has no meaning.",
                format::percent(beyond)
            ),
            false =>
                "The median is drawn because 1/R of a normal R has no mean: the theory's E[D] does not exist, strictly."
                    .into(),
        }
    )
}

/// What the figures rest on.
pub fn footnotes(report: &Report) -> Vec<String> {
    let config = &report.config;
    let layers: Vec<String> = report.outliers.iter().map(|layer| report.origin.layer(*layer)).collect();
    let by = match report.by_median {
        true => format!(
            "no layer, or every layer, has κ above {}, so those above the median κ were taken",
            format::figure(config.threshold)
        ),
        false => format!("κ above {}", format::figure(config.threshold)),
    };
    vec![
        format!(
            "T: {}, measured with the model's tokenizer on the texts read. Words stand between white space, so that scripts without \
             it have long ones.",
            quality(config.quality)
        ),
        format!(
            "A: cosine of the mean-pooled states of an article with those of the same article in {}, less the mean cosine with its \
             other articles, the mean over all layers. {0} itself is left out.",
            report
                .rows
                .iter()
                .find(|row| row.alignment.is_none())
                .map_or(config.reference.as_str(), |row| &row.language.name)
        ),
        format!("R: R̂, the share of activation in layers {} ({by}).", layers.join(", ")),
        format!(
            "D at {} bits, {}, one grid per {}; {} of each language from {}.",
            config.quantizer.bits.get(),
            labels::rule(config.quantizer.rule),
            labels::granularity(config.quantizer.granularity),
            format::counted(config.texts.units as u64, "text"),
            config.texts.corpus
        ),
        format!(
            "Paths: least squares on standardised figures; their intervals are 95%, BCa bootstrap over languages. Intervals of A, R \
             and D: over texts. {} resamples, {} shuffles, seed {}.",
            format::count(config.draws.resamples as u64),
            format::count(config.permutations as u64),
            config.draws.seed
        ),
        crate::lab::provenance(&report.origin),
    ]
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-causes-{}bit", report.origin.model, report.config.quantizer.bits.get()))
}
