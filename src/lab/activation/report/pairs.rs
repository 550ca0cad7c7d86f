//! Pairs of figures that the theory relates: scatter, r with its interval, and the theory's own figure beside it.

use super::{Pair, Report, Row};
use crate::math::correlation::Correlation;
use crate::report::chance::Chance;
use crate::report::chart::scatter::{Point, ScatterChart};
use crate::report::table::Table;
use crate::report::{Interval, format, rows::Rows};

/// On the page and in files.
pub fn pair_key(pair: Pair) -> &'static str {
    match pair {
        Pair::RelianceLoss => "reliance",
        Pair::KurtosisLoss => "kurtosis",
        Pair::DistanceLoss => "distance",
        Pair::TokensReliance => "tokens",
    }
}

/// What goes together, in words.
pub fn pair_title(pair: Pair) -> &'static str {
    match pair {
        Pair::RelianceLoss => "share in outlier layers R̂ and loss D",
        Pair::KurtosisLoss => "effective kurtosis κ_eff and loss D",
        Pair::DistanceLoss => "distance of κ_eff from the high-resource mean and loss D",
        Pair::TokensReliance => "training tokens and share in outlier layers R̂",
    }
}

/// The claim and what the theory reports.
pub fn claim(pair: Pair) -> (&'static str, &'static str) {
    match pair {
        Pair::RelianceLoss => ("K1", "−0.834 [−0.93, −0.65] (document 002)"),
        Pair::KurtosisLoss => ("K2", "−0.838 (document 002), +0.838 (document 001)"),
        Pair::DistanceLoss => ("T2a", "+0.838 (document 000)"),
        Pair::TokensReliance => ("P3", "above 0.5 (document 004)"),
    }
}

fn axes(pair: Pair) -> (&'static str, &'static str) {
    let loss = "D = (PPL quantized − PPL full) ÷ PPL full";
    match pair {
        Pair::RelianceLoss => ("R̂, share of the activation in outlier layers", loss),
        Pair::KurtosisLoss => ("κ_eff, mean of the layers' κ by activation", loss),
        Pair::DistanceLoss => ("|κ_eff ÷ mean of high-resource languages − 1|", loss),
        Pair::TokensReliance => ("log₁₀ of training tokens", "R̂, share of the activation in outlier layers"),
    }
}

fn of(report: &Report, pair: Pair) -> Option<Correlation> {
    Pair::ALL.iter().position(|own| *own == pair).and_then(|at| report.correlations.get(at).copied().flatten())
}

/// r with its interval, p and ρ, and whether it can be told from 0.
pub fn correlation_sentence(report: &Report, pair: Pair) -> String {
    let Some(found) = of(report, pair) else {
        return format!(
            "There is no r of {}: it needs at least three seen languages, and both figures must vary.",
            pair_title(pair)
        );
    };
    let told = match (found.pearson.low > 0.0, found.pearson.high < 0.0) {
        (true, _) => "above 0",
        (_, true) => "below 0",
        _ => "not to be told from 0",
    };
    let chance = |p: f64| Chance::new(p, report.config.permutations).told();
    format!(
        "r of {} is {} over {} (permutation p {}), {told}; ρ is {} (p {}). The theory's figure: {}.",
        pair_title(pair),
        format::interval(&found.pearson),
        format::counted(found.n as u64, "language"),
        chance(found.pearson_p),
        format::interval(&found.spearman),
        chance(found.spearman_p),
        claim(pair).1
    )
}

/// A dot per language that has both figures.
pub fn scatter(report: &Report, pair: Pair) -> Option<ScatterChart> {
    let point = |(row, both): (&Row, Option<(f64, f64)>)| {
        let (x, _) = both?;
        let (x, y) = match pair {
            Pair::RelianceLoss => (row.reliance, row.degradation),
            Pair::KurtosisLoss => (row.kurtosis, row.degradation),
            Pair::DistanceLoss => (Interval::point(x), row.degradation),
            Pair::TokensReliance => (Interval::point(x), row.reliance),
        };
        Some(Point {
            key: row.language.code.clone(),
            told: format!(
                "{}: κ_eff {}, R̂ {}, D {}",
                row.language.name,
                format::interval(&row.kurtosis),
                format::interval(&row.reliance),
                format::interval(&row.degradation)
            ),
            resource: row.language.resource,
            x,
            y,
        })
    };
    let points: Vec<Point> = report.rows.iter().zip(pair.of(&report.rows)).filter_map(point).collect();
    let title = format!("{} over languages: {}", report.origin.model, pair_title(pair));
    let (across, upwards) = axes(pair);
    (!points.is_empty()).then(|| ScatterChart {
        description: format!("{title}. {}", correlation_sentence(report, pair)),
        title,
        across: across.into(),
        upwards: upwards.into(),
        points,
    })
}

/// What the scatter is drawn from.
pub fn scatter_table(report: &Report, pair: Pair) -> Table {
    let both = pair.of(&report.rows);
    let rows = report.rows.iter().zip(both).filter_map(|(row, both)| Some((row, both?)));
    let (across, upwards) = axes(pair);
    Rows::named(rows, |(row, _)| &row.language)
        .column("x", across, "Across", |(_, (x, _))| *x)
        .column("y", upwards, "Upwards", |(_, (_, y))| *y)
        .table()
}

/// One row per pair.
pub fn correlations_table(report: &Report) -> Table {
    let chance = |p: f64| Chance::new(p, report.config.permutations);
    Rows::of("row", Pair::ALL.map(|pair| (pair, of(report, pair))), |(pair, _)| pair_key(*pair))
        .column("pair", "What goes together", "Two figures of a language", |(pair, _)| pair_title(*pair))
        .column("claim", "Claim", "Where the theory says so", |(pair, _)| claim(*pair).0)
        .column("n", "n", "Languages that have both", |(_, found)| found.map(|of| of.n))
        .column("pearson", "r", "Pearson's, with its BCa interval over languages", |(_, found)| {
            found.map(|of| of.pearson)
        })
        .column("pearson_p", "p", "Permutation p of r, two-sided", |(_, found)| found.map(|of| chance(of.pearson_p)))
        .column("spearman", "ρ", "Spearman's, with its BCa interval over languages", |(_, found)| {
            found.map(|of| of.spearman)
        })
        .column("spearman_p", "p of ρ", "Permutation p of ρ, two-sided", |(_, found)| {
            found.map(|of| chance(of.spearman_p))
        })
        .column("seed", "Theory's figure", "What the theory reports", |(pair, _)| claim(*pair).1)
        .table()
}
