//! The tables of a report that can be data for the bench of statistics.

use crate::lab::Report;
use crate::report::table::{Cell, Table};

/// What each holds, and the table as data: figures without their intervals.
pub fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    let mut tables = report.tables();
    for column in tables.iter_mut().flat_map(|(_, table)| &mut table.columns) {
        column.with_interval = false;
        for cell in &mut column.cells {
            if let Cell::Figure(figure) = cell {
                *cell = Cell::Number(figure.value);
            }
        }
    }
    tables
}
