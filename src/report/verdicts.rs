//! Verdicts on claims, as every analysis shows them: one table.

use super::table::{Cell, Column, Table};
use crate::analysis::verdict::Ruling;

/// A verdict.
pub struct Ruled {
    /// Names its row.
    pub key: String,
    /// What the seeds say.
    pub claim: &'static str,
    /// What tells it from others on the same claim, a cell for each column that does.
    pub under: Vec<Cell>,
    /// What came of it.
    pub ruling: Ruling,
    /// The figures that decide, in words.
    pub because: String,
    /// The rule by which they do.
    pub rule: &'static str,
}

/// A ruling as a table cell.
pub fn ruling(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Supported => "supported",
        Ruling::NotSupported => "not supported",
        Ruling::Undecided => "undecided",
    }
}

/// One row per verdict; `under` are the columns that tell verdicts on one claim apart.
pub fn table(under: impl IntoIterator<Item = Column>, verdicts: impl Iterator<Item = Ruled>) -> Table {
    let (keys, rows) = verdicts
        .map(|own| {
            let claim = Cell::Text(own.claim.into());
            let found = [ruling(own.ruling).into(), own.because, own.rule.into()].map(Cell::Text);
            (own.key, [claim].into_iter().chain(own.under).chain(found).collect())
        })
        .unzip();
    let claim = Column::plain("claim", "Claim", "What the seeds say");
    let found = [
        Column::plain("ruling", "Verdict", "What this run says of it"),
        Column::plain("because", "Because", "The figures that decide"),
        Column::plain("decided_by", "Decided by", "The rule by which they do"),
    ];
    let columns = [claim].into_iter().chain(under).chain(found).collect();
    Table { columns, of: "verdict", keys, apart: Vec::new(), rows }
}
