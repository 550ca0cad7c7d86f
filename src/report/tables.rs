//! The tables of a report that can be data for the bench of statistics.

use super::table::{Cell, Table};
use super::{
    activation, causes, clipping, dial, family, gateway, languages, matrix, mitigation, redundancy, representation,
    screening, statistics, sweep, tokens, weights,
};
use crate::analysis::Report;

/// What each holds, and the table as data: figures without their intervals, and no two columns of one name.
pub fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    all(report).into_iter().map(|(name, table)| (name, as_data(table))).collect()
}

fn as_data(mut table: Table) -> Table {
    table.columns.iter_mut().for_each(|column| column.with_interval = false);
    for cell in table.rows.iter_mut().flatten() {
        if let Cell::Figure(figure) = cell {
            *cell = Cell::Number(figure.value);
        }
    }
    if table.columns.iter().any(|column| column.key == table.of) {
        table.of = "row";
    }
    table
}

fn all(report: &Report) -> Vec<(&'static str, Table)> {
    match report {
        Report::Languages(report) => vec![("languages", languages::table(report))],
        Report::Weights(report) => vec![("layers and matrices", weights::table(report, report.config.threshold))],
        Report::Clipping(report) => vec![("languages", clipping::languages_table(report))],
        Report::Activation(report) => {
            vec![("languages", activation::languages_table(report)), ("layers", activation::layers_table(report))]
        }
        Report::Mitigation(report) => vec![("methods", mitigation::table(report))],
        Report::Dial(report) => {
            let picks = dial::Pick::all(report);
            let first = picks.first().map(|pick| ("languages at each point", dial::degradation_table(report, *pick)));
            first.into_iter().chain([("points", dial::points_table(report))]).collect()
        }
        Report::Gateway(report) => vec![("layers", gateway::layers_table(report))],
        Report::Statistics(report) => vec![("tests", statistics::tests_table(report))],
        Report::Causes(report) => vec![("languages", causes::table(report))],
        Report::Family(report) => vec![("languages", family::table(report))],
        Report::Redundancy(report) => {
            vec![("languages", redundancy::languages_table(report)), ("layers", redundancy::layers_table(report))]
        }
        Report::Representation(report) => vec![("languages", representation::languages_table(report))],
        Report::Matrix(report) => vec![("codes", matrix::codes_table(report))],
        Report::Tokens(report) => vec![("languages", tokens::table(report))],
        Report::Sweep(report) => vec![("widths", sweep::widths_table(report))],
        Report::Screening(report) => {
            vec![("languages", screening::languages_table(report)), ("layers", screening::layers_table(report))]
        }
    }
}
