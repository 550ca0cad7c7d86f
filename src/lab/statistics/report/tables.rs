//! The bench's figures, row by row.

use super::{Pair, Report, pair_key, pair_name, row_name};
use crate::lab::verdicts::{self, Ruled};
use crate::report::table::{Cell, Column, Table};

fn number(of: Option<f64>) -> Cell {
    of.map_or(Cell::Missing, Cell::Number)
}

/// One row per pair.
pub fn pairs_table(report: &Report) -> Table {
    let shuffles = report.config.permutations;
    let row = |pair: &Pair| {
        vec![
            Cell::Text(pair_name(report, pair)),
            Cell::Count(pair.n as u64),
            Cell::known(pair.found.map(|found| found.pearson)),
            Cell::chance(pair.found.map(|found| found.pearson_p), shuffles),
            Cell::known(pair.found.map(|found| found.spearman)),
            Cell::chance(pair.found.map(|found| found.spearman_p), shuffles),
            Cell::known(pair.partial.map(|partial| partial.r)),
            Cell::chance(pair.partial.map(|partial| partial.p), shuffles),
            number(pair.without_one.map(|(low, _)| low)),
            number(pair.without_one.map(|(_, high)| high)),
        ]
    };
    Table {
        columns: vec![
            Column::plain("columns", "Columns", "Two columns of figures"),
            Column::plain("n", "n", "Rows that have both"),
            Column::measured("pearson", "r", "Pearson's, with its BCa interval over rows"),
            Column::plain("pearson_p", "p", "Permutation p of r, two-sided"),
            Column::measured("spearman", "ρ", "Spearman's, with its BCa interval over rows"),
            Column::plain("spearman_p", "p of ρ", "Permutation p of ρ, two-sided"),
            Column::measured("partial", "Partial r", "r with the columns held constant that were chosen"),
            Column::plain("partial_p", "p of partial r", "Permutation p of partial r, two-sided"),
            Column::plain("least", "Least r without a row", "Each row left out in turn"),
            Column::plain("largest", "Largest", "Each row left out in turn"),
        ],
        of: "pair",
        keys: report.pairs.iter().map(pair_key).collect(),
        apart: Vec::new(),
        rows: report.pairs.iter().map(row).collect(),
    }
}

/// What the scatter is drawn from.
pub fn scatter_table(report: &Report, pair: &Pair) -> Table {
    let [x, y] = [pair.columns.0, pair.columns.1].map(|at| &report.config.columns[at]);
    let both = || x.values.iter().zip(&y.values).enumerate().filter_map(|(row, (x, y))| Some((row, (*x)?, (*y)?)));
    Table {
        columns: vec![Column::plain("x", &x.name, "Across"), Column::plain("y", &y.name, "Upwards")],
        of: "row",
        keys: both().map(|(row, ..)| row_name(report, row)).collect(),
        apart: Vec::new(),
        rows: both().map(|(_, x, y)| vec![Cell::Number(x), Cell::Number(y)]).collect(),
    }
}

/// What the chart of influence is drawn from.
pub fn influence_table(report: &Report, pair: &Pair) -> Table {
    Table {
        columns: vec![Column::plain("r", "r without it", "r of all other rows")],
        of: "row",
        keys: pair.influence.iter().map(|at| row_name(report, at.row)).collect(),
        apart: Vec::new(),
        rows: pair.influence.iter().map(|at| vec![Cell::Number(at.r)]).collect(),
    }
}

/// One row per column of both groups.
pub fn contrasts_table(report: &Report) -> Table {
    let (first, second) =
        report.config.groups.as_ref().map_or(("", ""), |groups| (groups.names.0.as_str(), groups.names.1.as_str()));
    let row = |contrast: &crate::lab::statistics::Contrast| {
        let mut cells = vec![Cell::Text(report.config.columns[contrast.column].name.clone())];
        cells.extend(match contrast.effect {
            Some(effect) => [
                Cell::Count(effect.n.0 as u64),
                Cell::Number(effect.means.0),
                Cell::Count(effect.n.1 as u64),
                Cell::Number(effect.means.1),
                Cell::Figure(effect.d),
                Cell::Figure(effect.g),
                Cell::Figure(effect.d_bootstrap),
                Cell::chance(Some(effect.p), report.config.permutations),
            ],
            None => std::array::from_fn(|_| Cell::Missing),
        });
        cells
    };
    Table {
        columns: vec![
            Column::plain("name", "Column", "Figures of both groups"),
            Column::plain("n_first", &format!("n, {first}"), "Rows of the first group"),
            Column::plain("mean_first", "Mean", "Of the first group"),
            Column::plain("n_second", &format!("n, {second}"), "Rows of the second group"),
            Column::plain("mean_second", "Mean", "Of the second group"),
            Column::measured(
                "d",
                "Cohen's d",
                "First less second over the pooled deviation; interval by the noncentral t",
            ),
            Column::measured("g", "Hedges' g", "d less its bias in small groups"),
            Column::measured("d_bootstrap", "d, bootstrap", "d with its BCa interval over rows"),
            Column::plain("p", "p", "Permutation p of the difference of means, two-sided"),
        ],
        of: "column",
        keys: report.contrasts.iter().map(|contrast| contrast.column.to_string()).collect(),
        apart: Vec::new(),
        rows: report.contrasts.iter().map(row).collect(),
    }
}

/// The family: every test with its p under each correction.
pub fn tests_table(report: &Report) -> Table {
    let alpha = report.config.alpha;
    let row = |test: &crate::lab::statistics::Test| {
        let of = [test.p, test.adjusted.bonferroni, test.adjusted.holm, test.adjusted.benjamini_hochberg];
        let rejects: Vec<&str> = ["alone", "Bonferroni", "Holm", "Benjamini–Hochberg"]
            .into_iter()
            .zip(of)
            .filter(|(_, p)| *p <= alpha)
            .map(|(name, _)| name)
            .collect();
        let rejects = if rejects.is_empty() { "none".into() } else { rejects.join(", ") };
        let mut cells =
            vec![Cell::Text(test.name.clone()), Cell::Text(if test.here { "here" } else { "earlier" }.into())];
        // How often an earlier test was shuffled is not known here.
        cells.push(match test.here {
            true => Cell::chance(Some(test.p), report.config.permutations),
            false => Cell::Number(test.p),
        });
        cells.extend(of[1..].iter().copied().map(Cell::Number));
        cells.push(Cell::Text(rejects));
        cells
    };
    Table {
        columns: vec![
            Column::plain("test", "Test", "What was tested"),
            Column::plain("made", "Made", "In this run, or earlier since the page was opened"),
            Column::plain("p", "p", "Taken alone"),
            Column::plain("bonferroni", "Bonferroni", "p times the number of tests"),
            Column::plain("holm", "Holm", "Step-down: never stricter than Bonferroni"),
            Column::plain("benjamini_hochberg", "Benjamini–Hochberg", "Step-up: holds the share of false findings"),
            Column::plain("rejects", "Rejected by", "Corrections under which p stays at most α"),
        ],
        of: "number",
        keys: (1..=report.tests.len()).map(|number| number.to_string()).collect(),
        apart: Vec::new(),
        rows: report.tests.iter().map(row).collect(),
    }
}

/// One row per column.
pub fn columns_table(report: &Report) -> Table {
    let row = |column: &crate::lab::statistics::Summary| {
        vec![
            Cell::Text(column.name.clone()),
            Cell::Count(column.n as u64),
            number(column.mean),
            number(column.deviation),
            number(column.span.map(|(low, _)| low)),
            number(column.span.map(|(_, high)| high)),
        ]
    };
    Table {
        columns: vec![
            Column::plain("name", "Column", "Its heading"),
            Column::plain("n", "n", "Figures that are there"),
            Column::plain("mean", "Mean", "Of them"),
            Column::plain("deviation", "σ", "Standard deviation, of a sample"),
            Column::plain("least", "Least", "Of them"),
            Column::plain("largest", "Largest", "Of them"),
        ],
        of: "column",
        keys: (0..report.columns.len()).map(|column| column.to_string()).collect(),
        apart: Vec::new(),
        rows: report.columns.iter().map(row).collect(),
    }
}

/// What the curve of power is drawn from.
pub fn power_table(report: &Report) -> Table {
    Table {
        columns: vec![Column::plain("power", "Power", "Exact")],
        of: "pairs",
        keys: report.power.curve.iter().map(|(pairs, _)| pairs.to_string()).collect(),
        apart: Vec::new(),
        rows: report.power.curve.iter().map(|(_, power)| vec![Cell::Number(*power)]).collect(),
    }
}

/// X1 and X2.
pub fn verdict_table(report: &Report) -> Table {
    verdicts::table([], report.verdicts.iter().map(Ruled::from))
}
