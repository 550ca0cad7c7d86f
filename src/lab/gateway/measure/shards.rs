//! A search cut into shards that machines walk apart, and joined again: the same report, to the last bit.

use std::{collections::BTreeMap, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{Config, Report, conclude, search};
use crate::lab::{
    AnalysisError,
    origin::{self, Origin},
    runner::{Lab, Progress, Step},
    search::{Piece, Search, Walked},
};
use crate::math::sets::LayerSet;

/// More machines than any search has use for.
const MOST_SHARDS: usize = 10_000;

/// One of so many shards, counted from 0: `0/4` to `3/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Its number.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let shard = numbers.map(|(number, of)| Shard { number, of }).filter(|shard| shard.is_one());
        shard.ok_or_else(|| format!("a shard is written i/n, with i from 0 to n − 1 and n at most {MOST_SHARDS}"))
    }
}

impl Shard {
    fn is_one(self) -> bool {
        self.number < self.of && self.of <= MOST_SHARDS
    }

    /// Its share of the work: every n-th piece, so that large branches are spread over all.
    fn pieces(self, search: &Search) -> Vec<Piece> {
        let all = search.branches().into_iter().flat_map(|branch| search.pieces(branch));
        all.skip(self.number).step_by(self.of.max(1)).collect()
    }
}

/// What one machine walked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    pub origin: Origin,
    /// Which part of it.
    pub shard: Shard,
    /// In the order of the tree, text by text.
    pub pieces: Vec<Nats>,
}

/// Nats of one text under every set beyond a branch, in the order of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nats {
    /// Protected layers of the branch.
    pub protected: LayerSet,
    /// Layers that it decides.
    pub decided: usize,
    /// Number of the text.
    pub text: usize,
    /// One for each set.
    pub nats: Vec<f64>,
}

impl Nats {
    fn of(piece: &Piece, nats: &[f64]) -> Nats {
        let (protected, decided) = (piece.branch.protected, piece.branch.decided);
        Nats { protected, decided, text: piece.texts.start, nats: nats.to_vec() }
    }

    fn is_of(&self, piece: &Piece, search: &Search) -> bool {
        let own = (self.protected, self.decided, self.text);
        own == (piece.branch.protected, piece.branch.decided, piece.texts.start)
            && self.nats.len() as u128 == search.family.count(piece.branch)
            && self.nats.iter().all(|nats| nats.is_finite())
    }
}

/// Why parts cannot be joined. Files are named as the caller names them.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// Nothing to join.
    #[error("there is no part to join")]
    None,
    /// Not of the same run.
    #[error("{file}: {what} not as in {than}")]
    Other {
        /// The part.
        file: String,
        /// What differs, with its verb.
        what: &'static str,
        /// From which it differs.
        than: String,
    },
    /// One shard came twice.
    #[error("{file}: it is shard {number} of {of}, as is {than}")]
    Twice {
        /// The part.
        file: String,
        /// The shard.
        number: usize,
        /// Of so many.
        of: usize,
        /// The same shard.
        than: String,
    },
    /// Some shards did not come.
    #[error("of {of} shards these are missing: {missing}")]
    Missing {
        /// Numbers, with commas.
        missing: String,
        /// Of so many.
        of: usize,
    },
    /// Cut short or changed.
    #[error("{file}: it does not hold the pieces of shard {number} of {of}")]
    Pieces {
        /// The part.
        file: String,
        /// The shard.
        number: usize,
        /// Of so many.
        of: usize,
    },
    /// The search cannot be finished.
    #[error(transparent)]
    Analysis(Box<AnalysisError>),
}

impl From<AnalysisError> for PartError {
    fn from(fault: AnalysisError) -> PartError {
        PartError::Analysis(Box::new(fault))
    }
}

/// Walks one shard.
pub async fn shard(config: &Config, shard: Shard, lab: &impl Lab) -> Result<Part, AnalysisError> {
    let (reading, search) = search(config, lab).await?;
    let pieces = shard.pieces(&search);
    let (mut walked, total) = (Vec::with_capacity(pieces.len()), pieces.len());
    lab.tell(Progress { step: Step::Sets, done: 0, total });
    let mut heard = |piece: &Piece, nats: &[f64]| {
        walked.push(Nats::of(piece, nats));
        lab.tell(Progress { step: Step::Sets, done: walked.len(), total });
    };
    if total > 0 {
        lab.walk(&search, pieces, &mut heard).await?;
    }
    // A pool hands pieces back as they are done.
    let place: BTreeMap<_, usize> =
        shard.pieces(&search).iter().enumerate().map(|(at, piece)| (key(&Nats::of(piece, &[])), at)).collect();
    walked.sort_by_key(|nats| place[&key(nats)]);
    Ok(Part { config: config.clone(), origin: origin::of(lab, Some(&reading)), shard, pieces: walked })
}

fn key(nats: &Nats) -> (LayerSet, usize, usize) {
    (nats.protected, nats.decided, nats.text)
}

/// Joins all shards of a search, each with the name of its file, and finishes it: bootstrap, what others would have picked,
/// verdicts. The report is that of [`super::run`].
pub async fn merge(parts: &[(String, Part)], lab: &impl Lab) -> Result<Report, PartError> {
    let (first_file, first) = parts.first().ok_or(PartError::None)?;
    complete(parts)?;
    let (reading, search) = search(&first.config, lab).await?;
    let here = origin::of(lab, Some(&reading));
    if let Some(what) = differs(&first.origin, &here) {
        return Err(PartError::Other { file: first_file.clone(), what, than: "this model and site".into() });
    }
    let mut walked = Walked::new(search.texts.len());
    for (file, part) in parts {
        let (pieces, Shard { number, of }) = (part.shard.pieces(&search), part.shard);
        let fits = pieces.len() == part.pieces.len()
            && pieces.iter().zip(&part.pieces).all(|(piece, nats)| nats.is_of(piece, &search));
        if !fits {
            return Err(PartError::Pieces { file: file.clone(), number, of });
        }
        pieces.iter().zip(&part.pieces).for_each(|(piece, nats)| walked.take(&search.family, piece, &nats.nats));
    }
    Ok(conclude(&first.config, &reading, &search, walked, lab).await?)
}

/// Every shard of one run, each once.
fn complete(parts: &[(String, Part)]) -> Result<(), PartError> {
    let (first_file, first) = &parts[0];
    let mut files: BTreeMap<usize, &String> = BTreeMap::new();
    for (file, part) in parts {
        let Shard { number, of } = part.shard;
        let what = if part.config != first.config {
            Some("its settings are")
        } else if of != first.shard.of || !part.shard.is_one() {
            Some("its number of shards is")
        } else {
            differs(&part.origin, &first.origin)
        };
        if let Some(what) = what {
            return Err(PartError::Other { file: file.clone(), what, than: first_file.clone() });
        }
        if let Some(than) = files.insert(number, file) {
            return Err(PartError::Twice { file: file.clone(), number, of, than: than.clone() });
        }
    }
    let of = first.shard.of;
    let missing: Vec<String> = (0..of).filter(|number| !files.contains_key(number)).map(|n| n.to_string()).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(PartError::Missing { missing: missing.join(", "), of }),
    }
}

/// What of two origins decides figures and is not the same; a folder's name does not.
fn differs(a: &Origin, b: &Origin) -> Option<&'static str> {
    let of = |origin: &Origin| {
        let Origin { files, corpus_sha256, in_front, backend, version, .. } = origin.clone();
        (files, (corpus_sha256, in_front), backend, version)
    };
    let (a, b) = (of(a), of(b));
    [
        (a.0 != b.0, "its model is"),
        (a.1 != b.1, "its text is"),
        (a.2 != b.2, "its backend is"),
        (a.3 != b.3, "its version is"),
    ]
    .into_iter()
    .find_map(|(differs, what)| differs.then_some(what))
}
