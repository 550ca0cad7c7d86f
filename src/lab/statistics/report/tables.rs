//! The bench's figures, row by row.

use super::{Pair, Report, pair_key, pair_name, row_name};
use crate::lab::statistics::Test;
use crate::lab::verdicts::{self, Ruled};
use crate::report::rows::{Rows, Shown};
use crate::report::{chance::Chance, table::Table};

/// A p of this report's own shuffles.
fn chance(report: &Report) -> impl Fn(f64) -> Chance {
    move |p| Chance::new(p, report.config.permutations)
}

/// One row per pair.
pub fn pairs_table(report: &Report) -> Table {
    let chance = chance(report);
    Rows::of("pair", &report.pairs, |pair| pair_key(pair))
        .column("columns", "Columns", "Two columns of figures", |pair| pair_name(report, pair))
        .column("n", "n", "Rows that have both", |pair| pair.n)
        .column("pearson", "r", "Pearson's, with its BCa interval over rows", |pair| pair.found.map(|of| of.pearson))
        .column("pearson_p", "p", "Permutation p of r, two-sided", |pair| pair.found.map(|of| chance(of.pearson_p)))
        .column("spearman", "ρ", "Spearman's, with its BCa interval over rows", |pair| {
            pair.found.map(|of| of.spearman)
        })
        .column("spearman_p", "p of ρ", "Permutation p of ρ, two-sided", |pair| {
            pair.found.map(|of| chance(of.spearman_p))
        })
        .column("partial", "Partial r", "r with the columns held constant that were chosen", |pair| {
            pair.partial.map(|partial| partial.r)
        })
        .column("partial_p", "p of partial r", "Permutation p of partial r, two-sided", |pair| {
            pair.partial.map(|partial| chance(partial.p))
        })
        .column("least", "Least r without a row", "Each row left out in turn", |pair| pair.without_one.map(|of| of.0))
        .column("largest", "Largest", "Each row left out in turn", |pair| pair.without_one.map(|of| of.1))
        .table()
}

/// What the scatter is drawn from.
pub fn scatter_table(report: &Report, pair: &Pair) -> Table {
    let [x, y] = [pair.columns.0, pair.columns.1].map(|at| &report.config.columns[at]);
    let both = x.values.iter().zip(&y.values).enumerate().filter_map(|(row, (x, y))| Some((row, (*x)?, (*y)?)));
    Rows::of("row", both, |(row, ..)| row_name(report, *row))
        .column("x", &x.name, "Across", |(_, x, _)| *x)
        .column("y", &y.name, "Upwards", |(.., y)| *y)
        .table()
}

/// What the chart of influence is drawn from.
pub fn influence_table(report: &Report, pair: &Pair) -> Table {
    Rows::of("row", &pair.influence, |at| row_name(report, at.row))
        .column("r", "r without it", "r of all other rows", |at| at.r)
        .table()
}

/// One row per column of both groups.
pub fn contrasts_table(report: &Report) -> Table {
    let (first, second) =
        report.config.groups.as_ref().map_or(("", ""), |groups| (groups.names.0.as_str(), groups.names.1.as_str()));
    let chance = chance(report);
    let rows = report.contrasts.iter().map(|contrast| (contrast.column, contrast.effect));
    Rows::of("column", rows, |(column, _)| *column)
        .column("name", "Column", "Figures of both groups", |(column, _)| report.config.columns[*column].name.clone())
        .column("n_first", format!("n, {first}"), "Rows of the first group", |(_, effect)| effect.map(|of| of.n.0))
        .column("mean_first", "Mean", "Of the first group", |(_, effect)| effect.map(|of| of.means.0))
        .column("n_second", format!("n, {second}"), "Rows of the second group", |(_, effect)| effect.map(|of| of.n.1))
        .column("mean_second", "Mean", "Of the second group", |(_, effect)| effect.map(|of| of.means.1))
        .column(
            "d",
            "Cohen's d",
            "First less second over the pooled deviation; interval by the noncentral t",
            |(_, effect)| effect.map(|of| of.d),
        )
        .column("g", "Hedges' g", "d less its bias in small groups", |(_, effect)| effect.map(|of| of.g))
        .column("d_bootstrap", "d, bootstrap", "d with its BCa interval over rows", |(_, effect)| {
            effect.map(|of| of.d_bootstrap)
        })
        .column("p", "p", "Permutation p of the difference of means, two-sided", |(_, effect)| {
            effect.map(|of| chance(of.p))
        })
        .table()
}

/// The family: every test with its p under each correction.
pub fn tests_table(report: &Report) -> Table {
    let chance = chance(report);
    Rows::of("number", (1..).zip(&report.tests), |(number, _): &(usize, _)| *number)
        .column("test", "Test", "What was tested", |(_, test)| test.name.clone())
        .column("made", "Made", "In this run, or earlier since the page was opened", |(_, test)| match test.here {
            true => "here",
            false => "earlier",
        })
        // How often an earlier test was shuffled is not known here.
        .column("p", "p", "Taken alone", |(_, test)| match test.here {
            true => chance(test.p).cell(),
            false => test.p.cell(),
        })
        .column("bonferroni", "Bonferroni", "p times the number of tests", |(_, test)| test.adjusted.bonferroni)
        .column("holm", "Holm", "Step-down: never stricter than Bonferroni", |(_, test)| test.adjusted.holm)
        .column(
            "benjamini_hochberg",
            "Benjamini–Hochberg",
            "Step-up: holds the share of false findings",
            |(_, test)| test.adjusted.benjamini_hochberg,
        )
        .column("rejects", "Rejected by", "Corrections under which p stays at most α", |(_, test)| {
            rejecting(test, report.config.alpha)
        })
        .table()
}

/// The corrections under which a test's p stays at most α.
fn rejecting(test: &Test, alpha: f64) -> String {
    let all = [
        ("alone", test.p),
        ("Bonferroni", test.adjusted.bonferroni),
        ("Holm", test.adjusted.holm),
        ("Benjamini–Hochberg", test.adjusted.benjamini_hochberg),
    ];
    let names: Vec<&str> = all.into_iter().filter(|(_, p)| *p <= alpha).map(|(name, _)| name).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// One row per column.
pub fn columns_table(report: &Report) -> Table {
    Rows::of("column", report.columns.iter().enumerate(), |(column, _)| *column)
        .column("name", "Column", "Its heading", |(_, column)| column.name.clone())
        .column("n", "n", "Figures that are there", |(_, column)| column.n)
        .column("mean", "Mean", "Of them", |(_, column)| column.mean)
        .column("deviation", "σ", "Standard deviation, of a sample", |(_, column)| column.deviation)
        .column("least", "Least", "Of them", |(_, column)| column.span.map(|span| span.0))
        .column("largest", "Largest", "Of them", |(_, column)| column.span.map(|span| span.1))
        .table()
}

/// What the curve of power is drawn from.
pub fn power_table(report: &Report) -> Table {
    Rows::of("pairs", &report.power.curve, |(pairs, _)| *pairs)
        .column("power", "Power", "Exact", |(_, power)| *power)
        .table()
}

/// X1 and X2.
pub fn verdict_table(report: &Report) -> Table {
    verdicts::plain(report.verdicts.iter().map(Ruled::from))
}
