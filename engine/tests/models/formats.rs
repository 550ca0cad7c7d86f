//! A quantizer that the packed kernels cannot compute: a model under it is the model whose weights were rounded beforehand, and
//! the bytes that count are the quantizer's own.

use engine::{
    arch::{
        ArchError,
        passes::run_texts,
        recipe::{Quantization, Recipe},
        weights::{Device, Weight},
    },
    backend::cpu::Cpu,
    math::quantizer::{Grouping, Layout, Quantizer},
};

use crate::goldens::{Fixture, nothing};

/// Two bits for one of four values that are not evenly spaced, times the block's largest magnitude as a half.
#[derive(Debug)]
struct FourValues;

const VALUES: [f32; 4] = [-1.0, -0.25, 0.125, 0.75];

impl Quantizer for FourValues {
    fn name(&self) -> String {
        "four values".into()
    }

    fn blocks(&self, layout: Layout) -> Grouping {
        Grouping { layout, group: 16.min(layout.k).max(1), channels: layout.n }
    }

    fn numbers(&self) -> usize {
        1
    }

    fn search(&self, block: &[f32], numbers: &mut [f32]) {
        let largest = block.iter().fold(0f32, |most, x| most.max(x.abs()));
        numbers[0] = half::f16::from_f32(largest).to_f32();
    }

    fn encode(&self, numbers: &[f32], block: &[f32], codes: &mut [i32]) {
        for (code, x) in codes.iter_mut().zip(block) {
            let off = |code: &i32| (x - VALUES[*code as usize] * numbers[0]).abs();
            *code = (0..4).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap();
        }
    }

    fn decode(&self, numbers: &[f32], codes: &[i32], block: &mut [f32]) {
        block.iter_mut().zip(codes).for_each(|(value, code)| *value = VALUES[*code as usize] * numbers[0]);
    }

    fn bytes(&self, layout: Layout) -> u64 {
        layout.len().div_ceil(4) as u64 + 2 * self.blocks(layout).count() as u64
    }
}

/// Of (k, n) and of (n, k), with the table of tokens and without a table of its own for the head.
const FAMILIES: [&str; 3] = ["gpt2-tiny", "llama-tiny", "mamba-tiny"];

/// What [`FourValues`] makes of a value, worked out on its own: the block that it shares is found by its place.
fn by_hand(values: &[f32], layout: Layout) -> Vec<f32> {
    let mut out = vec![0.0; values.len()];
    for (k, n) in (0..layout.k).flat_map(|k| (0..layout.n).map(move |n| (k, n))) {
        let block = (k / 16 * 16..layout.k.min(k / 16 * 16 + 16)).map(|k| values[layout.place(k, n)].abs());
        let scale = half::f16::from_f32(block.fold(0.0, f32::max)).to_f32();
        let place = layout.place(k, n);
        let nearest = VALUES.map(|value| value * scale).into_iter();
        out[place] = nearest.min_by(|a, b| (values[place] - a).abs().total_cmp(&(values[place] - b).abs())).unwrap();
    }
    out
}

fn losses(device: &Device<Cpu>, recipe: &Recipe, walked: bool) -> Vec<f64> {
    let weights = match walked {
        true => pollster::block_on(device.apply_to_walk(recipe)),
        false => pollster::block_on(device.apply(recipe)),
    };
    let texts = [vec![3, 40, 7, 90, 21, 5, 60], vec![1, 2, 3]];
    pollster::block_on(run_texts(device, &weights.unwrap(), &texts, &nothing)).unwrap()
}

#[test]
fn what_the_packed_kernels_cannot_compute_goes_to_the_device_in_full_precision() {
    for name in FAMILIES {
        let open = || pollster::block_on(Fixture::of(name).open(Cpu)).device;
        let (device, mut rounded, ahead) = (open(), open(), open());
        let (mut recipe, mut saved, mut held) = (Recipe::default(), 0, 0);
        let tables = device.spec.tables().map(|table| (table.clone(), device.layout(table).unwrap()));
        let matrices = device.matrices().into_iter().map(|(name, _, layout)| (name, layout));
        for (name, layout) in matrices.chain(tables) {
            let values = pollster::block_on(device.values(&name)).unwrap();
            let how = Quantization::of(FourValues, &values, layout);
            let by_hand = by_hand(&values, layout);
            assert_eq!(how.rounded(&values, layout), by_hand, "{name}");
            let shape = rounded.wants(&name).unwrap().shape.clone();
            rounded.insert(&name, &shape, &by_hand).unwrap();
            ahead.pack_ahead(&name, &values, &how).unwrap();
            saved += 4 * layout.len() as u64 - FourValues.bytes(layout);
            held += 4 * layout.len() as u64;
            recipe.tensors.insert(name, how);
        }
        let expected = losses(&rounded, &Recipe::default(), false);
        assert_ne!(expected, losses(&device, &Recipe::default(), false), "{name} is rounded");
        for walked in [false, true] {
            assert_eq!(losses(&device, &recipe, walked), expected, "{name}");
            assert_eq!(losses(&ahead, &recipe, walked), expected, "{name}, rounded ahead");
        }
        let weights = pollster::block_on(device.apply(&recipe)).unwrap();
        assert!(recipe.tensors.keys().all(|name| matches!(weights.get(name), Ok(Weight::Full(_)))));
        assert_eq!(weights.bytes(), device.full().bytes() - saved, "{name}: as it is stored");
        assert_eq!(device.bytes(&recipe).unwrap(), weights.bytes());
        assert_eq!(device.packed_bytes(&recipe).unwrap(), held, "{name}: on the device");
    }
}

#[test]
fn a_recipe_whose_numbers_do_not_fit_is_refused_by_name() {
    let device = pollster::block_on(Fixture::of("gpt2-tiny").open(Cpu)).device;
    let (name, ..) = device.matrices().remove(0);
    let how = Quantization { format: FourValues.into(), numbers: vec![1.0; 3] };
    let recipe = Recipe { tensors: [(name.clone(), how)].into(), ..Recipe::default() };
    let fault = pollster::block_on(device.apply(&recipe)).err().unwrap();
    assert!(matches!(&fault, ArchError::Numbers { name: of, given: 3, .. } if *of == name), "{fault}");
    assert!(fault.to_string().contains("as `four values` needs"), "{fault}");
}
