//! Tensors by name, as a pass reads them: those that are held, and those that are there only while a part of the pass needs
//! them.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Deref,
};

use super::{ArchError, dial::Scaling, halves, tensor_reader::TensorReader};
use crate::{
    backend::{Backend, BackendError, Stored},
    math::grouping::{Grouping, Layout},
};

/// A tensor on the device.
#[derive(Clone)]
pub enum Weight<T> {
    /// f32 words.
    Full(T),
    /// Halves, two to a word: the same values in half the memory, where all of them are halves and the backend wants them so.
    Halves(T),
    /// Integer codes with their scales.
    Packed {
        /// Bits that a code takes in memory: 4 or 8.
        width: u32,
        /// Packed codes.
        codes: T,
        /// One scale per group.
        scales: T,
        /// Which scale belongs to which weight.
        grouping: Grouping,
    },
}

impl<T> Weight<T> {
    /// Bytes that `len` values take in full precision.
    pub(super) fn full_bytes(&self, len: u64) -> u64 {
        match self {
            Weight::Halves(_) => 4 * len.div_ceil(2),
            Weight::Full(_) | Weight::Packed { .. } => 4 * len,
        }
    }

    /// Values in full precision, uploaded; of a matrix as halves, where the backend wants them and they are.
    pub(super) fn upload<B: Backend<Buffer = T>>(
        backend: &B,
        matrix: bool,
        layout: Option<Layout>,
        values: &[f32],
    ) -> Result<Weight<T>, BackendError> {
        let halves = if matrix && backend.halves() { halves::pack(values) } else { None };
        match halves {
            Some(words) => Ok(Weight::Halves(backend.upload(&words)?)),
            None => Weight::full(backend, layout, values),
        }
    }

    /// Values as f32; where a layout is given, as products read them best.
    pub(super) fn full<B: Backend<Buffer = T>>(
        backend: &B,
        layout: Option<Layout>,
        values: &[f32],
    ) -> Result<Weight<T>, BackendError> {
        Ok(Weight::Full(match layout {
            Some(Layout { k, n, transposed }) => backend.upload_matrix(values, Stored { k, n, transposed })?,
            None => backend.upload_f32(values)?,
        }))
    }
}

/// Tensors by the spec's names. Two sets share the buffers of what they do not change.
pub struct Weights<B: Backend> {
    pub(super) tensors: BTreeMap<String, Weight<B::Buffer>>,
    pub(super) bytes: u64,
    pub(super) skipped: BTreeSet<usize>,
    /// Whether these are those of the file: full precision.
    pub(super) unchanged: bool,
    /// What is done to tensors that are not held, each time they are read.
    pub(super) turned: BTreeMap<String, (Scaling, Layout)>,
    /// Reads what is not held.
    pub(super) reader: Option<TensorReader>,
}

/// A set that has all that a part of a pass reads.
pub enum Present<'a, B: Backend> {
    /// It is held.
    Held(&'a Weights<B>),
    /// Some of it was read, and leaves with this.
    Read(Weights<B>),
}

impl<B: Backend> Deref for Present<'_, B> {
    type Target = Weights<B>;

    fn deref(&self) -> &Weights<B> {
        match self {
            Present::Held(weights) => weights,
            Present::Read(weights) => weights,
        }
    }
}

impl<B: Backend> Weights<B> {
    /// Without tensors yet.
    pub(super) fn empty() -> Weights<B> {
        Weights {
            tensors: BTreeMap::new(),
            bytes: 0,
            skipped: BTreeSet::new(),
            unchanged: true,
            turned: BTreeMap::new(),
            reader: None,
        }
    }

    /// A tensor of the spec; there by construction where [`Device::expect`](super::weights::Device::expect) has passed, and
    /// among those of `Weights::with` where it is not held.
    pub fn get(&self, name: &str) -> Result<&Weight<B::Buffer>, ArchError> {
        self.tensors.get(name).ok_or_else(|| ArchError::Missing(name.to_string()))
    }

    /// A tensor that no recipe packs.
    pub fn full(&self, name: &str) -> Result<&B::Buffer, ArchError> {
        match self.get(name)? {
            Weight::Full(buffer) => Ok(buffer),
            Weight::Halves(_) | Weight::Packed { .. } => Err(ArchError::NotQuantizable(name.to_string())),
        }
    }

    /// Whether a block is left out.
    pub fn skips(&self, layer: usize) -> bool {
        self.skipped.contains(&layer)
    }

    /// Memory that the tensors take where all are held, scales included.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The set with these matrices: those that are not held are read.
    pub async fn with_matrices<'n>(
        &self,
        backend: &B,
        names: impl Iterator<Item = &'n String>,
    ) -> Result<Present<'_, B>, ArchError> {
        self.with(backend, names, true).await
    }

    /// The set with this table.
    pub async fn with_table(&self, backend: &B, name: &String) -> Result<Present<'_, B>, ArchError> {
        self.with(backend, [name].into_iter(), false).await
    }

    async fn with<'n>(
        &self,
        backend: &B,
        names: impl Iterator<Item = &'n String>,
        matrices: bool,
    ) -> Result<Present<'_, B>, ArchError> {
        let Some(reader) = &self.reader else { return Ok(Present::Held(self)) };
        let mut read = BTreeMap::new();
        for name in names.filter(|name| !self.tensors.contains_key(*name)) {
            if read.is_empty() {
                backend.flush();
            }
            let mut values = reader.read(name).await?;
            if let Some((scaling, layout)) = self.turned.get(name) {
                scaling.apply(name, *layout, &mut values)?;
            }
            // Read once, they need not be laid out first.
            read.insert(name.clone(), Weight::upload(backend, matrices, None, &values)?);
        }
        if read.is_empty() {
            return Ok(Present::Held(self));
        }
        let tensors = self.tensors.iter().map(|(name, weight)| (name.clone(), weight.clone())).chain(read).collect();
        let (bytes, skipped, unchanged) = (self.bytes, self.skipped.clone(), self.unchanged);
        Ok(Present::Read(Weights { tensors, bytes, skipped, unchanged, turned: BTreeMap::new(), reader: None }))
    }
}
