//! The tables of a report that can be data for the bench of statistics.

use super::table::Table;
use super::{
    activation, causes, clipping, dial, family, gateway, languages, mitigation, redundancy, representation, screening,
    statistics, sweep, weights,
};
use crate::analysis::Report;

/// What each holds, and the table.
pub fn tables(report: &Report) -> Vec<(&'static str, Table)> {
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
        Report::Sweep(report) => vec![("widths", sweep::widths_table(report))],
        Report::Screening(report) => {
            vec![("languages", screening::languages_table(report)), ("layers", screening::layers_table(report))]
        }
    }
}
