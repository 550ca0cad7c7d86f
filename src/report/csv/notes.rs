//! What a person should know of data that can be read, before anything is computed from it.

use super::{Cells, Data};
use crate::report::format;

/// Rows that a note names.
const NAMED: usize = 3;

impl Data {
    /// Missing figures and columns that do not vary, each with its rows.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for column in &self.columns {
            let Cells::Numbers(numbers) = &column.cells else { continue };
            let missing: Vec<usize> =
                numbers.iter().zip(&self.rows).filter(|(n, _)| n.is_none()).map(|(_, r)| *r).collect();
            if !missing.is_empty() {
                let (rows, are) = listed(&missing);
                notes.push(format!(
                    "{rows} {are} no figure in “{}” and {} left out where it is used.",
                    column.name,
                    if missing.len() == 1 { "is" } else { "are" }
                ));
            }
            let mut known = numbers.iter().flatten();
            if let Some(first) = known.next()
                && known.all(|other| other == first)
            {
                let (from, to) = (self.rows.first().unwrap_or(&0), self.rows.last().unwrap_or(&0));
                notes.push(format!(
                    "“{}” is {} in every row from {from} to {to}: what does not vary has no correlation.",
                    column.name,
                    format::figure(*first)
                ));
            }
        }
        notes
    }
}

/// `Row 3 has`, `Rows 3, 5, 8 and 4 more have`.
fn listed(rows: &[usize]) -> (String, &'static str) {
    let named: Vec<String> = rows.iter().take(NAMED).map(usize::to_string).collect();
    let more = match rows.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", format::count(more as u64)),
    };
    match rows.len() {
        1 => (format!("Row {}", named[0]), "has"),
        _ => (format!("Rows {}{more}", named.join(", ")), "have"),
    }
}
