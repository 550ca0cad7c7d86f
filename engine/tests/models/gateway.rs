//! The walk over protection sets: the bits of one pass per set, each set once, whatever the order and the memory.

use std::{collections::BTreeMap, path::PathBuf};

use engine::{
    arch::{
        load::{Opened, open},
        passes::run_texts,
        recipe::{Quantization, Recipe},
        walk::{BUDGET, ProtectedPart, Walk},
    },
    backend::cpu::Cpu,
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity, Uniform},
        sets::{Branch, Family, LayerSet},
    },
    model::source::Folder,
};
use proptest::prelude::*;

fn model() -> Opened<Cpu> {
    named("gpt2-tiny")
}

fn named(name: &str) -> Opened<Cpu> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(name);
    pollster::block_on(open(Cpu, &Folder::new(folder), name, &mut ())).unwrap()
}

/// One of each way in which a block can be built: biases by distance, side by side, normed after, windows, masks, an encoder,
/// a scan.
const OTHERS: [&str; 7] =
    ["bloom-tiny", "gpt_neox-tiny", "opt-post-tiny", "gemma3_text-tiny", "xlm-roberta-tiny", "mt5-tiny", "mamba-tiny"];

#[test]
fn every_set_of_every_architecture_gets_the_bits_of_a_pass_of_its_own() {
    for name in OTHERS {
        let model = named(name);
        let layers = model.device.spec.blocks.len();
        for kept in [ProtectedPart::Block, ProtectedPart::Attention] {
            // A small budget too, so that states wait for each other.
            let (found, _) = walk(&model, kept, &Family::new(layers, 0..=layers), Branch::ROOT, 1 << 16);
            assert_eq!(found.len(), 1 << layers);
            for (set, nats) in &found {
                assert_eq!(*nats, one_by_one(&model, kept, *set), "{name} {kept:?} {set:?}");
            }
        }
    }
}

/// Every block at 3 bits, but for the matrices that `keep` names by layer and whether they are of the attention.
fn recipe(model: &Opened<Cpu>, keep: impl Fn(usize, bool) -> bool) -> Recipe {
    let grid = Uniform { bits: Bits::new(3).unwrap(), granularity: Granularity::Tensor, rule: Rule::Absmax };
    let mut tensors = BTreeMap::new();
    for (layer, block) in model.device.spec.blocks.iter().enumerate() {
        for (part, linear) in block.parts() {
            if !keep(layer, part.is_attention()) {
                let values = pollster::block_on(model.device.values(&linear.weight)).unwrap();
                tensors.insert(linear.weight.clone(), Quantization::of(grid, &values, linear.layout));
            }
        }
    }
    Recipe { tensors, ..Recipe::default() }
}

fn texts(model: &Opened<Cpu>) -> Vec<Vec<u32>> {
    let vocabulary = model.device.spec.vocabulary as u32;
    // Two of them longer than the context, so that a text is several windows.
    [7, 90, 1, 40, 150].iter().map(|&n: &u32| (0..n).map(|i| (i * i * 31 + 7 * i + n) % vocabulary).collect()).collect()
}

fn walk(
    model: &Opened<Cpu>,
    kept: ProtectedPart,
    family: &Family,
    branch: Branch,
    budget: usize,
) -> (BTreeMap<LayerSet, Vec<u64>>, usize) {
    let quantized = pollster::block_on(model.device.apply_to_walk(&recipe(model, |_, _| false))).unwrap();
    let walk = Walk { device: &model.device, quantized: &quantized, kept, family, budget };
    let mut all = BTreeMap::new();
    let mut found = |set, nats: Vec<f64>| {
        let bits = nats.into_iter().map(f64::to_bits).collect();
        assert!(all.insert(set, bits).is_none(), "{set:?} was found twice");
    };
    let steps = pollster::block_on(walk.run(branch, &texts(model), &mut found, &async || ())).unwrap();
    (all, steps)
}

fn one_by_one(model: &Opened<Cpu>, kept: ProtectedPart, set: LayerSet) -> Vec<u64> {
    let keep = |layer: usize, attention: bool| {
        set.contains(layer)
            && match kept {
                ProtectedPart::Block => true,
                ProtectedPart::Attention => attention,
                ProtectedPart::Mlp => !attention,
            }
    };
    let weights = pollster::block_on(model.device.apply(&recipe(model, keep))).unwrap();
    let nats = pollster::block_on(run_texts(&model.device, &weights, &texts(model), &async || ())).unwrap();
    nats.into_iter().map(f64::to_bits).collect()
}

#[test]
fn every_set_gets_the_bits_of_a_pass_of_its_own() {
    let model = model();
    let layers = model.device.spec.blocks.len();
    let family = Family::new(layers, 0..=layers);
    for kept in [ProtectedPart::Block, ProtectedPart::Attention, ProtectedPart::Mlp] {
        let (found, steps) = walk(&model, kept, &family, Branch::ROOT, BUDGET);
        assert_eq!(found.len(), 1 << layers);
        assert_eq!(steps, family.steps(Branch::ROOT));
        for (set, nats) in &found {
            assert_eq!(*nats, one_by_one(&model, kept, *set), "{kept:?} {set:?}");
        }
        // Protection matters: no two sets agree.
        let distinct: std::collections::BTreeSet<_> = found.values().collect();
        assert_eq!(distinct.len(), found.len());
    }
}

#[test]
fn all_protected_is_full_precision() {
    let model = model();
    let layers = model.device.spec.blocks.len();
    let (found, _) = walk(&model, ProtectedPart::Block, &Family::new(layers, [layers]), Branch::ROOT, BUDGET);
    let full = pollster::block_on(run_texts(&model.device, model.device.full(), &texts(&model), &async || ())).unwrap();
    assert_eq!(found[&LayerSet::all(layers)], full.into_iter().map(f64::to_bits).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Less memory, other sizes, or the tree cut into branches: the same bits, and no layer computed twice within a
    /// branch.
    #[test]
    fn neither_memory_nor_cut_changes_a_bit(
        sizes in prop::collection::btree_set(0usize..5, 1..3),
        budget in prop::sample::select(vec![0, 60_000, 200_000, BUDGET]),
        most in 1u128..6,
    ) {
        let model = model();
        let layers = model.device.spec.blocks.len();
        let (all, _) = walk(&model, ProtectedPart::Block, &Family::new(layers, 0..=layers), Branch::ROOT, BUDGET);
        let filtered: BTreeMap<_, _> = all.into_iter().filter(|(set, _)| sizes.contains(&set.len())).collect();
        let family = Family::new(layers, sizes.iter().copied());
        let (whole, steps) = walk(&model, ProtectedPart::Block, &family, Branch::ROOT, budget);
        prop_assert_eq!(&whole, &filtered);
        prop_assert_eq!(steps, family.steps(Branch::ROOT));
        let mut joined = BTreeMap::new();
        for branch in family.cut(|_| most).into_iter().rev() {
            let (part, steps) = walk(&model, ProtectedPart::Block, &family, branch, budget);
            prop_assert_eq!(steps, branch.decided + family.steps(branch));
            joined.extend(part);
        }
        prop_assert_eq!(&joined, &filtered);
    }
}
