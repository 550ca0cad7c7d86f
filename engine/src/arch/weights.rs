//! Weights on a device: as they came, and changed by a recipe.

use std::{cell::RefCell, collections::BTreeMap};

pub use super::tensor_set::{Present, Weight, Weights};
use super::{
    ArchError,
    dial::Scalings,
    halves,
    recipe::{Quantization, Recipe},
    spec::Spec,
    state_cache::StateCache,
    tensor_reader::TensorReader,
    tensors::{Role, TensorSpec},
    weight_cache::{BUDGET, Treatment, WeightCache},
};
use crate::{
    backend::Backend,
    math::{grouping::Layout, packing::Packed},
    model::checkpoint::Header,
};

/// Bytes that matrices may take that a walk holds unpacked.
const UNPACKED: usize = 64 << 20;

/// A model on a device: its spec and its full-precision tensors.
pub struct Device<B: Backend> {
    /// The device.
    pub backend: B,
    /// The architecture.
    pub spec: Spec,
    wanted: BTreeMap<String, TensorSpec>,
    full: Weights<B>,
    changed: RefCell<WeightCache<B::Buffer>>,
    /// What full precision made of texts, for the passes that are compared with it.
    pub(super) last_states: RefCell<StateCache>,
}

impl<B: Backend> Device<B> {
    /// A device without tensors yet.
    pub fn new(backend: B, spec: Spec) -> Device<B> {
        let wanted = spec.tensors().into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect();
        let changed = RefCell::new(WeightCache::new(BUDGET));
        Device { backend, spec, wanted, full: Weights::empty(), changed, last_states: RefCell::default() }
    }

    /// Tensors that are not held are read where they are needed, and let go; what a recipe packs of them is held.
    pub fn reads(&mut self, reader: TensorReader) {
        if self.full.reader.replace(reader).is_some() {
            return;
        }
        let away = self.wanted.values().filter(|tensor| !self.full.tensors.contains_key(&tensor.name));
        self.full.bytes += away.map(TensorSpec::bytes).sum::<u64>();
        // One set of packed weights stays, however large: to pack it again is to read all of the model.
        let packed = self.full.bytes / 8 + self.full.bytes / 32;
        self.changed.borrow_mut().widen(packed);
    }

    /// Reads what is not held.
    pub fn reader(&self) -> Option<&TensorReader> {
        self.full.reader.as_ref()
    }

    /// Whether every tensor is on the device.
    pub fn holds_all(&self) -> bool {
        self.full.reader.is_none()
    }

    /// Bytes of tensors on the device: in full precision, and changed.
    pub fn held(&self) -> u64 {
        let of = |(name, weight): (&String, &Weight<B::Buffer>)| {
            self.wanted.get(name).map_or(0, |tensor| weight.full_bytes(tensor.values()))
        };
        self.full.tensors.iter().map(of).sum::<u64>() + self.changed.borrow().bytes()
    }

    /// What the spec says of a tensor of the file; none for one that the forward pass does not read.
    pub fn wants(&self, name: &str) -> Option<&TensorSpec> {
        self.wanted.get(self.spec.canonical(name))
    }

    /// Takes a tensor of the file in, checked against the spec. Tensors that the spec does not know are left out.
    pub fn insert(&mut self, name: &str, shape: &[usize], values: &[f32]) -> Result<(), ArchError> {
        let Some(spec) = self.wants(name) else { return Ok(()) };
        if spec.shape != shape {
            let (name, expected) = (name.to_string(), spec.shape.clone());
            return Err(ArchError::Shape { name, given: shape.to_vec(), expected });
        }
        let name = spec.name.clone();
        *self.last_states.borrow_mut() = StateCache::default();
        let matrix = matches!(spec.role, Role::Matrix { .. });
        let weight = Weight::upload(&self.backend, matrix, spec.role.layout(), values)?;
        self.changed.borrow_mut().forget(&name);
        if self.full.reader.is_some() || self.full.tensors.contains_key(&name) {
            self.full.bytes -= self.full_bytes(&name, values.len() as u64);
        }
        self.full.bytes += weight.full_bytes(values.len() as u64);
        self.full.tensors.insert(name, weight);
        Ok(())
    }

    /// Fails with the first tensor that a checkpoint lacks or holds in another shape, before any of it is fetched.
    pub fn expect<'a>(&self, headers: impl Iterator<Item = &'a Header> + Clone) -> Result<(), ArchError> {
        for tensor in self.spec.tensors() {
            let mut entries = headers.clone().flat_map(|of| of.entries().iter().map(move |entry| (of, entry)));
            let found = entries.find(|(_, entry)| self.spec.canonical(&entry.name) == tensor.name);
            let (header, entry) = found.ok_or(ArchError::Missing(tensor.name))?;
            header.weight(&entry.name, &tensor.shape)?;
        }
        Ok(())
    }

    /// Full precision.
    pub fn full(&self) -> &Weights<B> {
        &self.full
    }

    /// Names, layers and layouts of the weight matrices, in the order of the forward pass.
    pub fn matrices(&self) -> Vec<(String, usize, Layout)> {
        let matrix = |tensor: TensorSpec| match tensor.role {
            Role::Matrix { layer, layout } => Some((tensor.name, layer, layout)),
            Role::Vector { .. } | Role::Table { .. } | Role::Outside => None,
        };
        self.spec.tensors().into_iter().filter_map(matrix).collect()
    }

    /// A tensor's values in full precision.
    pub async fn values(&self, name: &str) -> Result<Vec<f32>, ArchError> {
        if let Some(reader) = self.full.reader.as_ref().filter(|_| !self.full.tensors.contains_key(name)) {
            return Ok(reader.read(name).await?);
        }
        match self.full.get(name)? {
            Weight::Halves(words) => Ok(halves::unpack(&self.backend.read(words).await?, self.layout(name)?.len())),
            _ => Ok(self.backend.read_f32(self.full.full(name)?).await?),
        }
    }

    /// A tensor's values after a dial, in full precision.
    pub async fn values_after(&self, scalings: &Scalings, name: &str) -> Result<Vec<f32>, ArchError> {
        let mut values = self.values(name).await?;
        if let Some(scaling) = scalings.get(name) {
            scaling.apply(name, self.stored(name, values.len()), &mut values)?;
        }
        Ok(values)
    }

    /// The weights of a recipe: its tensors turned and packed, all others shared with full precision. A tensor to which
    /// the same was done before is shared too.
    pub async fn apply(&self, recipe: &Recipe) -> Result<Weights<B>, ArchError> {
        let layers = self.spec.blocks.len();
        if let Some(&layer) = recipe.skipped.iter().find(|layer| **layer >= layers) {
            return Err(ArchError::NoSuchLayer { layer, layers });
        }
        let (bytes, skipped) = (self.bytes(recipe)?, recipe.skipped.clone());
        let (tensors, reader) = (self.full.tensors.clone(), self.full.reader.clone());
        let unchanged = *recipe == Recipe::default();
        let mut weights = Weights { tensors, bytes, skipped, unchanged, turned: BTreeMap::new(), reader };
        let mut treatments: BTreeMap<String, Treatment> = BTreeMap::new();
        for (name, scaling) in recipe.dial.scalings(&self.spec)? {
            treatments.entry(name).or_default().scaling = scaling;
        }
        for (name, how) in &recipe.tensors {
            treatments.entry(name.clone()).or_default().quantization = Some(how.clone());
        }
        for (name, treatment) in treatments {
            if treatment.quantization.is_none() && !self.full.tensors.contains_key(&name) {
                let layout = self.layout(&name)?;
                weights.turned.insert(name, (treatment.scaling, layout));
                continue;
            }
            let there = self.changed.borrow_mut().find(&name, &treatment);
            let changed = match there {
                Some(changed) => changed,
                None => {
                    let (changed, bytes) = self.treat(&name, &treatment).await?;
                    self.changed.borrow_mut().keep(&name, &treatment, &changed, bytes);
                    changed
                }
            };
            weights.tensors.insert(name, changed);
        }
        Ok(weights)
    }

    /// The weights of a recipe for a walk, which goes through each of them time and again: where the backend would unpack them
    /// every time and there is room, they are unpacked once. A product has the same bits either way.
    pub async fn apply_to_walk(&self, recipe: &Recipe) -> Result<Weights<B>, ArchError> {
        let mut weights = self.apply(recipe).await?;
        let mut unpacked = 0;
        let unpacks = self.backend.unpacks() && self.holds_all();
        for weight in weights.tensors.values_mut().filter(|_| unpacks) {
            let Weight::Packed { width, codes, scales, grouping } = weight else { continue };
            unpacked += 4 * grouping.layout.len();
            if unpacked > UNPACKED {
                break;
            }
            let (codes, scales) = (self.backend.read(codes).await?, self.backend.read_f32(scales).await?);
            let packed = Packed { codes, scales, width: *width, grouping: *grouping };
            *weight = Weight::full(&self.backend, Some(grouping.layout), &packed.dequantize())?;
        }
        Ok(weights)
    }

    /// Packs a tensor that is not held, ahead of the recipe that asks for it.
    pub fn pack_ahead(&self, name: &str, values: &[f32], how: &Quantization) -> Result<(), ArchError> {
        let (packed, bytes) = self.pack(name, values, how)?;
        let treatment = Treatment { quantization: Some(how.clone()), ..Treatment::default() };
        self.changed.borrow_mut().keep(name, &treatment, &packed, bytes);
        Ok(())
    }

    /// Bytes of the weights of a recipe as they are stored; counted from shapes.
    pub fn bytes(&self, recipe: &Recipe) -> Result<u64, ArchError> {
        let mut bytes = self.full.bytes;
        for (name, how) in &recipe.tensors {
            let layout = self.layout(name)?;
            bytes -= self.full_bytes(name, layout.len() as u64);
            bytes += how.format.bytes(layout);
        }
        // What is turned and not packed lies there as f32.
        for name in recipe.dial.scalings(&self.spec)?.keys().filter(|name| !recipe.tensors.contains_key(*name)) {
            if let Ok(layout) = self.layout(name) {
                bytes += 4 * layout.len() as u64 - self.full_bytes(name, layout.len() as u64);
            }
        }
        Ok(bytes)
    }

    /// Memory that the tensors take which a recipe packs.
    pub fn packed_bytes(&self, recipe: &Recipe) -> Result<u64, ArchError> {
        recipe.tensors.iter().map(|(name, how)| Ok(how.format.held(self.layout(name)?))).sum()
    }

    /// Bytes of a tensor in full precision, where it is held.
    fn full_bytes(&self, name: &str, len: u64) -> u64 {
        self.full.tensors.get(name).map_or(4 * len, |weight| weight.full_bytes(len))
    }

    /// How a tensor that can be rounded lies in memory; an error for any other.
    pub fn layout(&self, name: &str) -> Result<Layout, ArchError> {
        let layout = self.wanted.get(name).and_then(|tensor| tensor.role.layout());
        layout.ok_or_else(|| ArchError::NotQuantizable(name.to_string()))
    }

    /// How a tensor lies in memory; a vector has one input.
    fn stored(&self, name: &str, len: usize) -> Layout {
        self.layout(name).unwrap_or(Layout { k: 1, n: len, transposed: false })
    }

    /// The changed tensor and the bytes that it takes.
    async fn treat(&self, name: &str, how: &Treatment) -> Result<(Weight<B::Buffer>, u64), ArchError> {
        let mut values = self.values(name).await?;
        how.scaling.apply(name, self.stored(name, values.len()), &mut values)?;
        match &how.quantization {
            Some(how) => self.pack(name, &values, how),
            None => Ok((Weight::full(&self.backend, self.layout(name).ok(), &values)?, 4 * values.len() as u64)),
        }
    }

    fn pack(&self, name: &str, values: &[f32], how: &Quantization) -> Result<(Weight<B::Buffer>, u64), ArchError> {
        let layout = self.layout(name)?;
        let (needed, given) = (how.format.blocks(layout).count() * how.format.numbers(), how.numbers.len());
        if given != needed {
            return Err(ArchError::Numbers { name: name.to_string(), format: how.format.name(), needed, given });
        }
        // The kernels of a table read f32, and so does whatever multiplies what the packed kernels cannot.
        let table = self.spec.tables().any(|table| table == name);
        let packed = if table { None } else { how.format.pack(values, layout, &how.numbers) };
        let Some(packed) = packed else {
            let rounded = Weight::full(&self.backend, Some(layout), &how.rounded(values, layout))?;
            return Ok((rounded, 4 * values.len() as u64));
        };
        let weight = Weight::Packed {
            width: packed.width,
            codes: self.backend.upload(&packed.codes)?,
            scales: self.backend.upload_f32(&packed.scales)?,
            grouping: packed.grouping,
        };
        Ok((weight, how.format.held(layout)))
    }
}
