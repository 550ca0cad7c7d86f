//! What a model is and what it needs, from its config and the headers of its checkpoint alone: a few kB, before any download.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    ArchError,
    tensors::{Role, TensorSpec},
    weight_cache::BUDGET,
    weights::Device,
};
use crate::{
    backend::{Backend, cpu::Cpu},
    model::{
        ModelError,
        checkpoint::{Header, read_headers},
        config::{self, Config},
        source::{DESCRIPTION_LIMIT, Ranged},
        tokenizer,
    },
};

/// A model that is not there yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// `gpt2`, …
    pub architecture: String,
    /// Blocks.
    pub layers: usize,
    /// Channels.
    pub width: usize,
    /// Values that the forward pass reads.
    pub parameters: u64,
    /// Bytes of the checkpoint.
    pub bytes: u64,
    /// Files of it.
    pub files: usize,
    /// Types of the values that are read: `F32`, `F16`, `BF16`.
    pub types: Vec<String>,
    /// Bytes of its largest tensor, as f32.
    pub largest_tensor: u64,
    /// Bytes of the matrices of its largest layer, as f32.
    pub largest_layer: u64,
    /// Whether its folder has a tokenizer.json: without one no text can be measured.
    pub tokenizer: bool,
}

/// Reads config.json and the headers; refuses what [`open`](super::load::open) would refuse after them.
pub async fn preview(source: &impl Ranged) -> Result<Preview, ArchError> {
    let config = Config::parse(&source.read(config::FILE, DESCRIPTION_LIMIT).await?)?;
    let device = Device::new(Cpu, super::spec(&config)?);
    let headers = read_headers(source).await?;
    device.expect(headers.iter())?;
    // What is wrong with one that is there is said when it is read.
    let tokenizer = !matches!(source.extent(tokenizer::FILE).await, Err(ModelError::NotFound { .. }));
    Ok(Preview::of(&device, &headers, tokenizer))
}

/// How a model is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Held in full precision, by as many workers as there are.
    #[default]
    Whole,
    /// Held, by no more workers than this.
    Fewer(usize),
    /// Held by no more workers than this, and only what a run packs: about an eighth at 4 bits. What a pass needs in full
    /// precision is read again, layer by layer.
    Packed(usize),
    /// Looked through and not held: for what asks of the weights alone.
    Weights,
}

/// Memory that a device has for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Bytes of the device, where it says.
    pub memory: Option<u64>,
    /// Workers that would each hold the model.
    pub workers: usize,
}

/// What one instance of the engine can address: 4 GiB of wasm32, less what gets lost between tensors of different size.
const ADDRESSABLE: u64 = (4 << 30) - (256 << 20);
/// The program, texts and activations of an instance.
const WORKING: u64 = 64 << 20;
/// Of a device's memory so many quarters are for us; the browser and the system want the rest.
const QUARTERS: u64 = 3;

impl Preview {
    /// Of a model whose headers have all that its spec asks for.
    pub(super) fn of<B: Backend>(device: &Device<B>, headers: &[Header], tokenizer: bool) -> Preview {
        let (spec, tensors) = (&device.spec, device.spec.tensors());
        let of_layer = |layer: usize| {
            let own = |tensor: &&TensorSpec| matches!(tensor.role, Role::Matrix { layer: own, .. } if own == layer);
            tensors.iter().filter(own).map(TensorSpec::bytes).sum::<u64>()
        };
        let read = headers.iter().flat_map(Header::entries).filter(|entry| device.wants(&entry.name).is_some());
        Preview {
            architecture: spec.architecture.to_string(),
            layers: spec.blocks.len(),
            width: spec.width,
            parameters: tensors.iter().map(TensorSpec::bytes).sum::<u64>() / 4,
            bytes: headers.iter().map(Header::file_bytes).fold(0, u64::saturating_add),
            files: headers.len(),
            types: read.map(|entry| entry.dtype.to_string()).collect::<BTreeSet<_>>().into_iter().collect(),
            largest_tensor: tensors.iter().map(TensorSpec::bytes).max().unwrap_or_default(),
            largest_layer: (0..spec.blocks.len()).map(of_layer).max().unwrap_or_default(),
            tokenizer,
        }
    }

    /// Bytes of its tensors as they are held: in f32.
    pub fn held(&self) -> u64 {
        4 * self.parameters
    }

    /// Bytes of its packed weights at 4 bits, with their scales.
    pub fn packed(&self) -> u64 {
        self.held() / 8 + self.held() / 32
    }

    /// Bytes that an instance has which looks at tensors of this size: a layer waits for its last matrix, and a tensor may
    /// double its room once while it grows.
    fn looking(&self, tensor: u64) -> u64 {
        self.largest_layer.saturating_add(tensor.saturating_mul(2)).saturating_add(WORKING)
    }

    /// Bytes that a worker has, with tensors that were quantized.
    fn worker(&self) -> u64 {
        self.held().saturating_add(self.held().min(BUDGET)).saturating_add(WORKING)
    }

    /// Bytes that all instances have together when it is loaded like this, and the largest of them.
    pub fn needs(&self, how: How, workers: usize) -> (u64, u64) {
        let coordinator = self.looking(self.largest_tensor);
        let together = |worker: u64, workers: usize| {
            (worker.saturating_mul(workers as u64).saturating_add(coordinator), coordinator.max(worker))
        };
        match how {
            How::Whole => together(self.worker(), workers),
            How::Fewer(most) => together(self.worker(), workers.min(most)),
            How::Packed(most) => together(coordinator.saturating_add(self.packed()), workers.min(most)),
            How::Weights => {
                let looking = self.looking(self.largest_tensor.min(self.largest_layer));
                (looking, looking)
            }
        }
    }

    /// Bytes that each of so many workers can have of packed weights, beside what it looks at.
    pub fn room_for_packed(&self, room: &Room) -> u64 {
        let coordinator = self.looking(self.largest_tensor);
        let each = |memory: u64| (memory / 4 * QUARTERS).saturating_sub(coordinator) / room.workers.max(1) as u64;
        room.memory.map_or(ADDRESSABLE, |memory| each(memory).min(ADDRESSABLE)).saturating_sub(coordinator)
    }

    /// Whether it can be loaded like this.
    pub fn fits(&self, how: How, room: &Room) -> bool {
        let (all, largest) = self.needs(how, room.workers);
        largest <= ADDRESSABLE && room.memory.is_none_or(|memory| all <= memory / 4 * QUARTERS)
    }

    /// The best way of loading it that fits; none where there is none.
    pub fn best(&self, room: &Room) -> Option<How> {
        let fewer = (1..room.workers).rev().map(How::Fewer);
        let packed = self.packed_by(room).map(How::Packed);
        [How::Whole].into_iter().chain(fewer).chain(packed).chain([How::Weights]).find(|how| self.fits(*how, room))
    }

    /// The most workers that can hold it packed.
    pub fn packed_by(&self, room: &Room) -> Option<usize> {
        (1..=room.workers).rev().find(|workers| self.fits(How::Packed(*workers), room))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn model(parameters: u64) -> Preview {
        Preview {
            architecture: "gpt2".into(),
            layers: 12,
            width: 768,
            parameters,
            bytes: 4 * parameters,
            files: 1,
            types: vec!["F32".into()],
            largest_tensor: parameters,
            largest_layer: parameters / 3,
            tokenizer: true,
        }
    }

    const MILLION: u64 = 1_000_000;
    const GIGABYTE: u64 = 1 << 30;

    #[test]
    fn what_fits_depends_on_the_device_and_on_the_addresses_of_wasm() {
        let best = |parameters, memory: Option<u64>, workers| model(parameters).best(&Room { memory, workers });
        assert_eq!(best(5 * MILLION, Some(GIGABYTE), 4), Some(How::Whole));
        // 0.4 GB in the coordinator and 0.8 GB in each worker; three quarters of 4 GB are for us.
        assert_eq!(best(124 * MILLION, Some(8 * GIGABYTE), 4), Some(How::Whole));
        assert_eq!(best(124 * MILLION, Some(4 * GIGABYTE), 4), Some(How::Fewer(3)));
        // 78 MB of it are packed weights.
        assert_eq!(best(124 * MILLION, Some(GIGABYTE), 4), Some(How::Packed(1)));
        assert_eq!(best(124 * MILLION, Some(GIGABYTE / 2), 4), Some(How::Weights));
        // One instance cannot address 4.4 GB, whatever the device has.
        assert_eq!(best(1100 * MILLION, None, 8), Some(How::Packed(8)));
        assert_eq!(best(1100 * MILLION, Some(64 * GIGABYTE), 1), Some(How::Packed(1)));
        assert_eq!(best(70_000 * MILLION, None, 1), None);
        assert_eq!(model(124 * MILLION).needs(How::Fewer(9), 2), model(124 * MILLION).needs(How::Whole, 2));
    }

    #[test]
    fn packed_weights_are_about_an_eighth() {
        let model = model(124 * MILLION);
        let eighths = 8.0 * model.packed() as f64 / model.held() as f64;
        assert!((1.0..1.3).contains(&eighths), "{eighths}");
    }

    proptest! {
        /// More memory never takes a way away, more workers never need less, and what is best fits.
        #[test]
        fn more_room_is_never_worse(parameters in 1u64..4_000_000_000, memory in 1u64..64, workers in 1usize..9) {
            let (model, room) = (model(parameters), Room { memory: Some(memory * GIGABYTE), workers });
            let larger = Room { memory: Some((memory + 1) * GIGABYTE), ..room };
            for how in [How::Whole, How::Fewer(1), How::Packed(2), How::Weights] {
                prop_assert!(!model.fits(how, &room) || model.fits(how, &larger));
                prop_assert!(model.needs(how, workers).0 <= model.needs(how, workers + 1).0);
            }
            prop_assert!(model.best(&room).is_none_or(|how| model.fits(how, &room)));
            prop_assert!(!model.fits(How::Whole, &room) || model.best(&room) == Some(How::Whole));
            // What is said to fit packed has room for its weights at 4 bits.
            let packed = model.packed_by(&room).map(|workers| model.room_for_packed(&Room { workers, ..room }));
            prop_assert!(packed.is_none_or(|bytes| bytes >= model.packed()));
        }
    }
}
