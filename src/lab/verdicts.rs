//! Verdicts on claims, as every analysis shows them: one table.

use std::fmt::Display;

use crate::lab::verdict::Ruling;
use crate::report::chance::Chance;
use crate::report::rows::{Rows, Shown};
use crate::report::table::{Cell, Table};

/// A verdict; `By` is how it is told what came of it.
pub struct Ruled<By = Ruling> {
    /// Names its row: the claim, and what tells it from others on the same claim.
    pub key: String,
    /// What the theory says.
    pub claim: String,
    /// What came of it.
    pub ruling: By,
    /// The figures that decide, in a sentence.
    pub because: String,
    /// The rule by which they do.
    pub rule: &'static str,
}

impl Ruled {
    /// Told from others on the same claim by `key`.
    pub fn under(self, key: impl Display) -> Ruled {
        Ruled { key: format!("{}-{key}", self.key), ..self }
    }

    /// With its ruling in words, beside others that are no rulings.
    pub fn in_words(self) -> Ruled<&'static str> {
        let Ruled { key, claim, because, rule, .. } = self;
        Ruled { key, claim, ruling: ruling(self.ruling), because, rule }
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
                    claim: super::claim(own.claim).into(),
                    ruling: own.ruling,
                    because: $crate::report::labels::as_sentence(&own.because),
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

impl Shown for Ruling {
    fn cell(self) -> Cell {
        ruling(self).cell()
    }
}

/// One row per verdict, with the columns that tell verdicts on one claim apart.
pub fn table<By: Shown + Copy, Of>(
    verdicts: impl Iterator<Item = (Ruled<By>, Of)>,
    under: impl FnOnce(Rows<(Ruled<By>, Of)>) -> Rows<(Ruled<By>, Of)>,
) -> Table {
    let claims = Rows::of("verdict", verdicts, |(own, _)| own.key.clone()).column(
        "claim",
        "Claim",
        "What the theory says",
        |(own, _)| own.claim.clone(),
    );
    under(claims)
        .column("ruling", "Verdict", "What this run says of it", |(own, _)| own.ruling)
        .column("because", "Because", "The figures that decide", |(own, _)| own.because.clone())
        .column("decided_by", "Decided by", "The rule by which they do", |(own, _)| own.rule)
        .table()
}

/// The same where there is one verdict on each claim.
pub fn plain<By: Shown + Copy>(verdicts: impl Iterator<Item = Ruled<By>>) -> Table {
    table(verdicts.map(|own| (own, ())), |claims| claims)
}
