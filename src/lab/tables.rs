//! The tables of a report that can be data for the bench of statistics.

use crate::lab::Report;
use crate::report::table::{Cell, Table};

/// What each holds, and the table as data: figures without their intervals.
pub fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    report.tables().into_iter().map(|(name, table)| (name, as_data(table))).collect()
}

fn as_data(mut table: Table) -> Table {
    table.columns.iter_mut().for_each(|column| column.with_interval = false);
    for cell in table.rows.iter_mut().flatten() {
        if let Cell::Figure(figure) = cell {
            *cell = Cell::Number(figure.value);
        }
    }
    table
}
