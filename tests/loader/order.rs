//! Tensors come in the order in which they are needed, where the file can be kept; with the values and the digest that they have
//! in any order.

use std::sync::LazyLock;

use fairbits::model::{
    ModelError,
    checkpoint::{Checkpoint, Finished},
    source::{Http, sha256},
    store::{Cached, PIECE},
};
use proptest::prelude::*;

use crate::safetensors_file::file;
use crate::store::{Dice, Line, MemoryCache};

/// Values of each tensor: some within a piece, some over several, one of none.
const VALUES: [usize; 8] = [3, 700_000, 1, 0, 300_000, 262_144, 5, 900_000];

fn name(tensor: usize) -> String {
    format!("t{tensor}")
}

/// Made once: millions of values, in a test that is not optimised.
static TENSORS: LazyLock<Vec<Vec<f32>>> = LazyLock::new(|| {
    let values = |(tensor, &count): (usize, &usize)| (0..count).map(|at| (tensor * 1_000_000 + at) as f32).collect();
    VALUES.iter().enumerate().map(values).collect()
});

static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for (tensor, values) in TENSORS.iter().enumerate() {
        let (name, count, begin) = (name(tensor), values.len(), data.len());
        data.extend_from_slice(bytemuck::cast_slice(values));
        let end = data.len();
        entries.push(format!(r#""{name}":{{"dtype":"F32","shape":[{count}],"data_offsets":[{begin},{end}]}}"#));
    }
    file(&format!("{{{}}}", entries.join(",")), &data)
});

fn content() -> Vec<u8> {
    FILE.clone()
}

/// Reads the file by ranks, checks every value, and gives the tensors in the order in which they came.
fn read(line: &Line, cache: &MemoryCache, ranks: &[Option<usize>]) -> Result<(Vec<usize>, Finished), ModelError> {
    pollster::block_on(async {
        let source = Cached::new(Http::new("http://somewhere/model", line.clone()), cache.clone());
        let checkpoint = Checkpoint::open(&source, "model.safetensors").await?;
        let (mut came, mut told) = (Vec::new(), 0);
        let rank = |of: &str| ranks[of[1..].parse::<usize>().unwrap()];
        let on_tensor = |tensor: fairbits::model::checkpoint::Tensor| {
            let number: usize = tensor.name[1..].parse().unwrap();
            assert!(tensor.data == TENSORS[number], "{}", tensor.name);
            came.push(number);
            Ok::<(), ModelError>(())
        };
        let on_bytes = |progress: fairbits::model::checkpoint::Progress| {
            assert!(progress.bytes >= told && progress.bytes <= progress.total);
            told = progress.bytes;
        };
        let finished = checkpoint.stream_some(&rank, || false, on_bytes, on_tensor).await?;
        assert_eq!(told, finished.bytes);
        Ok((came, finished))
    })
}

fn by_rank(ranks: &[Option<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.len()).filter(|tensor| ranks[*tensor].is_some()).collect();
    order.sort_by_key(|tensor| ranks[*tensor]);
    order
}

const LAST_FIRST: [Option<usize>; 8] = [Some(7), Some(6), None, Some(5), Some(4), Some(2), Some(1), Some(0)];

#[test]
fn nothing_is_fetched_twice_for_the_order() {
    let (line, cache) = (Line::new(content()), MemoryCache::with_room(u64::MAX));
    let (came, finished) = read(&line, &cache, &LAST_FIRST).unwrap();
    assert_eq!(came, [7, 6, 5, 4, 3, 1, 0]);
    assert_eq!((finished.bytes, finished.sha256), (FILE.len() as u64, sha256(&FILE)));
    assert!(line.sent() <= FILE.len() as u64 + 16);
    assert_eq!(read(&line, &cache, &LAST_FIRST).unwrap().0, came);
    assert!(line.sent() <= 16, "all of it was kept");
}

/// The fourth tensor has no values, and begins where the fifth does.
#[test]
fn a_tensor_without_values_comes_in_its_turn() {
    let (line, cache) = (Line::new(content()), MemoryCache::with_room(u64::MAX));
    let ranks = [Some(0), Some(0), Some(0), Some(1), Some(0), Some(1), Some(1), None];
    assert_eq!(read(&line, &cache, &ranks).unwrap().0, [0, 1, 2, 4, 3, 5, 6]);
}

#[test]
fn what_cannot_be_kept_comes_in_the_order_of_the_file() {
    let (mut line, cache) = (Line::new(content()), MemoryCache::with_room(u64::MAX));
    line.version = None;
    let (came, finished) = read(&line, &cache, &LAST_FIRST).unwrap();
    assert_eq!((came, finished.sha256), (vec![0, 1, 3, 4, 5, 6, 7], sha256(&FILE)));
}

#[test]
fn where_the_disk_is_full_on_the_way_it_goes_on() {
    for room in [0, PIECE / 2, 3 * PIECE, 6 * PIECE] {
        let (line, cache) = (Line::new(content()), MemoryCache::with_room(room));
        let (mut came, finished) = read(&line, &cache, &LAST_FIRST).unwrap();
        // What was full from the beginning is read as what cannot be kept.
        let expected = if came[0] == 0 && room < 6 * PIECE { vec![0, 1, 3, 4, 5, 6, 7] } else { by_rank(&LAST_FIRST) };
        assert_eq!((&came, finished.sha256), (&expected, sha256(&FILE)), "{room}");
        came.sort_unstable();
        assert_eq!((came, cache.full.get()), (vec![0, 1, 3, 4, 5, 6, 7], 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any order, after any cuts of the line.
    #[test]
    fn any_order_gives_the_same_file(
        ranks in prop::array::uniform8(prop::option::weighted(0.9, 0usize..8)), seed in any::<u64>(), cuts in 0usize..4,
    ) {
        let (line, cache, mut dice) = (Line::new(content()), MemoryCache::with_room(u64::MAX), Dice(seed));
        for _ in 0..cuts {
            line.cut_after(dice.below(FILE.len() as u64 / 2));
            if let Err(fault) = read(&line, &cache, &ranks) {
                prop_assert!(fault.to_string().contains("cut"), "{}", fault);
            }
        }
        line.cut_after(u64::MAX);
        let (came, finished) = read(&line, &cache, &ranks).unwrap();
        prop_assert_eq!(came, by_rank(&ranks));
        prop_assert_eq!(finished.sha256, sha256(&FILE));
        prop_assert!(line.sent() < FILE.len() as u64 + cuts as u64 * 4_000_000 + 64);
    }
}
