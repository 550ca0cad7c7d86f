//! What a search has walked, as bytes that outlive it: one record per piece, in the order they were done, each with a checksum,
//! as whatever is read here becomes a figure.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Config;
use crate::lab::{
    origin::Origin,
    runner::Lab,
    search::{Piece, Search, Walked},
    settings::Resampling,
};
use crate::math::sets::Branch;

/// What an earlier run of the same search left.
pub(super) struct Notes {
    /// Pieces that need not be walked again.
    pub walked: Walked,
}

/// Branch, text, and how many nats follow.
const HEAD: usize = 8 + 4 + 4 + 4;
/// First bytes of the SHA-256 of a record, at its end. A shorter sum would believe a damaged disk now and then.
const CHECKSUM: usize = 8;

/// A piece of one text: the protected layers as bits, how many layers are decided, the text, the number of nats, the nats, and
/// the checksum of all these.
pub(super) fn record(piece: &Piece, nats: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + 8 * nats.len() + CHECKSUM);
    bytes.extend(piece.branch.protected.bits().to_le_bytes());
    for figure in [piece.branch.decided, piece.texts.start, nats.len()] {
        bytes.extend((figure as u32).to_le_bytes());
    }
    nats.iter().for_each(|nats| bytes.extend(nats.to_le_bytes()));
    bytes.extend(checksum(&bytes));
    bytes
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let digest = Sha256::digest(bytes);
    std::array::from_fn(|byte| digest[byte])
}

/// A record as it was written.
struct Record {
    protected: u64,
    decided: usize,
    text: usize,
    nats: Vec<f64>,
}

/// The first record and what follows it; none where it is not whole, or not as it was written.
fn first(bytes: &[u8]) -> Option<(Record, &[u8])> {
    let (protected, rest) = bytes.split_first_chunk()?;
    let (head, rest) = rest.split_first_chunk::<{ HEAD - 8 }>()?;
    let [decided, text, count] =
        std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|byte| head[4 * i + byte])) as usize);
    let (nats, rest) = rest.split_at_checked(count.checked_mul(8)?)?;
    let (written, rest) = rest.split_first_chunk()?;
    if checksum(&bytes[..HEAD + 8 * count]) != *written {
        return None;
    }
    let nats = nats.as_chunks().0.iter().map(|nats| f64::from_le_bytes(*nats)).collect();
    Some((Record { protected: u64::from_le_bytes(*protected), decided, text, nats }, rest))
}

impl Notes {
    /// Recalls what was noted. Records that are damaged, not whole, or not of this search are dropped with all that follow:
    /// their pieces are walked again.
    pub async fn recall(config: &Config, origin: &Origin, search: &Search, lab: &impl Lab) -> Notes {
        let bytes = lab.recall(&name(config, origin)).await;
        let (walked, used) = read(&bytes, search);
        if used < bytes.len() {
            lab.forget();
            lab.note(&bytes[..used]);
        }
        Notes { walked }
    }
}

/// What records say, and how many bytes of them.
fn read(bytes: &[u8], search: &Search) -> (Walked, usize) {
    let (mut walked, mut rest) = (Walked::new(search.texts.len()), bytes);
    let branches = search.branches();
    while let Some((Record { protected, decided, text, nats }, next)) = first(rest) {
        let known = |branch: &&Branch| branch.protected.bits() == protected && branch.decided == decided;
        let Some(&branch) = branches.iter().find(known) else { break };
        let fits = nats.len() as u128 == search.family.count(branch) && text < search.texts.len();
        if !fits || nats.iter().any(|nats| !nats.is_finite()) {
            break;
        }
        walked.take(&search.family, &Piece { branch, texts: text..text + 1 }, &nats);
        rest = next;
    }
    (walked, bytes.len() - rest.len())
}

/// A name for all that the walk depends on: what is known before a text is read, then the texts.
fn name(config: &Config, origin: &Origin) -> String {
    format!("{}{}", beginning(config, origin), digest(&(&origin.corpus_sha256, &origin.in_front)))
}

/// How the name of a search's notes begins: whoever has read no text yet can tell by it whether there are any. The bootstrap is
/// not among what a walk depends on.
pub fn beginning(config: &Config, origin: &Origin) -> String {
    let asked = Config { draws: Resampling { resamples: 0, seed: 0 }, others: false, ..config.clone() };
    let origin = Origin { corpus_sha256: None, in_front: None, ..origin.clone() };
    format!("gateway-{}-", digest(&(asked, origin)))
}

fn digest(of: &impl Serialize) -> String {
    let text = serde_json::to_string(of).expect("a config holds numbers and strings only");
    Sha256::digest(text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        arch::{recipe::Recipe, walk::ProtectedPart},
        lab::{
            origin::{Asked, Files, InFront},
            plan::Text,
            rounding::Rounding,
            settings::Texts,
        },
        math::{
            clipping::Rule,
            quantizer::{Bits, Granularity},
            sets::Family,
        },
    };
    use proptest::prelude::*;

    fn search() -> Search {
        let text = |unit| Text { language: 0, code: "eng".into(), unit, tokens: vec![0, 1], scored: 1, bytes: 1 };
        let family = Family::new(7, [2, 3]);
        Search { texts: (0..3).map(text).collect(), recipe: Recipe::default(), kept: ProtectedPart::Block, family }
    }

    fn pieces(search: &Search) -> Vec<(Piece, Vec<f64>)> {
        let all = search.branches().into_iter().flat_map(|branch| search.pieces(branch)).enumerate();
        all.map(|(at, piece)| {
            let sets = search.family.count(piece.branch) as usize;
            (piece, (0..sets).map(|set| (100 * at + set) as f64).collect())
        })
        .collect()
    }

    fn asked() -> Config {
        Config {
            texts: Texts { corpus: "udhr".into(), languages: vec!["eng".into()], units: 3 },
            quantizer: Rounding { bits: Bits::new(4).unwrap(), rule: Rule::Optimal, granularity: Granularity::Tensor },
            draws: Resampling { resamples: 100, seed: 1 },
            protects: ProtectedPart::Block,
            rounded_table: false,
            budgets: vec![2],
            every: false,
            sweeps: true,
            others: true,
        }
    }

    /// Law: whatever the walk depends on is in the name of its notes, and what it does not depend on is not.
    #[test]
    fn whatever_a_walk_depends_on_changes_the_name_of_its_notes() {
        let files = Files {
            model_sha256: "a".into(),
            config_sha256: Some("b".into()),
            tokenizer_sha256: None,
            tokenizer_config_sha256: None,
        };
        let origin = Origin {
            model: "m".into(),
            files,
            corpus_sha256: Some("c".into()),
            in_front: Some(InFront::Nothing),
            backend: "cpu".into(),
            version: "1".into(),
            asked: Asked::Next,
            encoder_layers: 0,
        };
        let of_origin = |change: fn(&mut Origin)| {
            let mut origin = origin.clone();
            change(&mut origin);
            name(&asked(), &origin)
        };
        let of_config = |change: fn(&mut Config)| {
            let mut config = asked();
            change(&mut config);
            name(&config, &origin)
        };
        let all = [
            name(&asked(), &origin),
            of_origin(|of| of.files.model_sha256.push('x')),
            of_origin(|of| of.files.config_sha256 = None),
            of_origin(|of| of.files.tokenizer_sha256 = Some("t".into())),
            of_origin(|of| of.files.tokenizer_config_sha256 = Some("t".into())),
            of_origin(|of| of.corpus_sha256 = None),
            of_origin(|of| of.in_front = Some(InFront::Token("<s>".into()))),
            of_origin(|of| of.backend = "fused".into()),
            of_origin(|of| of.version = "2".into()),
            of_config(|of| of.texts.corpus = "other".into()),
            of_config(|of| of.texts.languages.push("xyz".into())),
            of_config(|of| of.texts.units += 1),
            of_config(|of| of.quantizer.bits = Bits::new(3).unwrap()),
            of_config(|of| of.quantizer.rule = Rule::Absmax),
            of_config(|of| of.quantizer.granularity = Granularity::Channel),
            of_config(|of| of.protects = ProtectedPart::Attention),
            of_config(|of| of.rounded_table = true),
            of_config(|of| of.budgets.push(3)),
            of_config(|of| of.every = true),
            of_config(|of| of.sweeps = false),
        ];
        assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), all.len());
        assert_eq!(
            all[0],
            of_config(|of| of.draws = Resampling { resamples: of.draws.resamples + 1, seed: of.draws.seed + 1 })
        );
        // Before a text is read the notes are found by how their name begins; those of another model or other settings are not.
        let unread = Origin { corpus_sha256: None, in_front: None, ..origin.clone() };
        let found = all.iter().filter(|name| name.starts_with(&beginning(&asked(), &unread))).count();
        assert_eq!(found, 3, "the name itself, and those of other texts");
    }

    proptest! {
        /// Law: whatever was written before the end came is read again; a torn record is not, nor one with a single wrong bit,
        /// nor what follows them.
        #[test]
        fn records_are_read_up_to_the_first_that_is_not_whole(cut in 0usize..4000, spoilt in 0usize..4000, bit in 0u8..8) {
            let search = search();
            let pieces = pieces(&search);
            let mut bytes = Vec::new();
            let mut ends = vec![0];
            for (piece, nats) in &pieces {
                bytes.extend(record(piece, nats));
                ends.push(bytes.len());
            }
            let cut = cut % (bytes.len() + 1);
            let whole = ends.iter().filter(|end| **end <= cut).count() - 1;
            let (walked, used) = read(&bytes[..cut], &search);
            prop_assert_eq!(used, ends[whole]);
            for (at, (piece, _)) in pieces.iter().enumerate() {
                prop_assert_eq!(walked.has(&search.family, piece), at < whole);
            }
            // Any bit may be wrong: what lies before its record stands, and nothing else is believed.
            let spoilt = spoilt % bytes.len();
            bytes[spoilt] ^= 1 << bit;
            let before = ends.iter().filter(|end| **end <= spoilt).count() - 1;
            let (walked, used) = read(&bytes, &search);
            prop_assert_eq!(used, ends[before]);
            for (at, (piece, _)) in pieces.iter().enumerate() {
                prop_assert_eq!(walked.has(&search.family, piece), at < before);
            }
        }
    }
}
