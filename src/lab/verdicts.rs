//! Verdicts on claims, as every analysis shows them: one table.

use std::fmt::Display;

use crate::lab::verdict::Ruling;
use crate::report::chance::Chance;
use crate::report::table::{Cell, Column, Table};

/// A verdict.
pub struct Ruled {
    /// Names its row: the claim, and what tells it from others on the same claim.
    pub key: String,
    /// What the theory says.
    pub claim: &'static str,
    /// What tells it from others on the same claim, a cell for each column that does.
    pub under: Vec<Cell>,
    /// What came of it.
    pub ruling: Ruling,
    /// The figures that decide, in a sentence.
    pub because: String,
    /// The rule by which they do.
    pub rule: &'static str,
}

impl Ruled {
    /// Told from others on the same claim by `key`, and in these cells.
    pub fn under(self, key: impl Display, cells: impl Into<Vec<Cell>>) -> Ruled {
        Ruled { key: format!("{}-{key}", self.key), under: cells.into(), ..self }
    }

    /// With the p that its figures name as it is shown elsewhere.
    pub fn with_chance(self, chance: Option<Chance>) -> Ruled {
        match chance {
            Some(chance) => Ruled { because: chance.restated(&self.because), ..self },
            None => self,
        }
    }
}

/// For the folder of an analysis whose report holds verdicts: a claim's name is its variant's, and the folder has its words.
macro_rules! ruled {
    () => {
        impl From<&super::Verdict> for $crate::lab::verdicts::Ruled {
            fn from(own: &super::Verdict) -> Self {
                Self {
                    key: format!("{:?}", own.claim),
                    claim: super::claim(own.claim),
                    under: Vec::new(),
                    ruling: own.ruling,
                    because: $crate::report::words::as_sentence(&own.because),
                    rule: own.claim.rule(),
                }
            }
        }
    };
}
pub(crate) use ruled;

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
    let claim = Column::plain("claim", "Claim", "What the theory says");
    let found = [
        Column::plain("ruling", "Verdict", "What this run says of it"),
        Column::plain("because", "Because", "The figures that decide"),
        Column::plain("decided_by", "Decided by", "The rule by which they do"),
    ];
    let columns = [claim].into_iter().chain(under).chain(found).collect();
    Table { columns, of: "verdict", keys, apart: Vec::new(), rows }
}
