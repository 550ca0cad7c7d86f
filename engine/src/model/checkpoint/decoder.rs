//! Bytes of data, cut anywhere, become tensors of f32.

use half::{bf16, f16};
use safetensors::Dtype;

use super::{Tensor, TensorEntry};
use crate::model::error::ModelError;

/// Values reserved for a tensor before any of them has come. From there the vector at most doubles, so that what is
/// allocated stays within a small factor of what came.
const FIRST_RESERVE: u64 = 1 << 20;

/// Follows the data from tensor to tensor.
pub(super) struct Decoder<'a> {
    file: &'a str,
    entries: &'a [TensorEntry],
    /// Which tensors are handed on; the others are looked at and let go.
    wanted: &'a dyn Fn(&str) -> bool,
    /// Index of the tensor under way.
    current: usize,
    /// Bytes of data seen.
    position: u64,
    values: Vec<f32>,
    /// Values of the tensor under way that were let go.
    let_go: u64,
    /// The bytes of a value that the last chunk cut through.
    cut: Vec<u8>,
}

impl<'a> Decoder<'a> {
    /// Of tensors that lie one after another.
    pub(super) fn new(file: &'a str, entries: &'a [TensorEntry], wanted: &'a dyn Fn(&str) -> bool) -> Decoder<'a> {
        let position = entries.first().map_or(0, |entry| entry.begin);
        Decoder { file, entries, wanted, current: 0, position, values: Vec::new(), let_go: 0, cut: Vec::new() }
    }

    /// Takes the next bytes of data and hands on every tensor that they complete.
    pub(super) fn push<E: From<ModelError>>(
        &mut self,
        mut bytes: &[u8],
        on_tensor: &mut impl FnMut(Tensor) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(entry) = self.entries.get(self.current) {
            let missing = entry.end - self.position;
            let (own, others) = bytes.split_at(missing.min(bytes.len() as u64) as usize);
            let wanted = (self.wanted)(&entry.name);
            if entry.is_float() {
                self.decode(entry, own)?;
            }
            if !wanted {
                self.let_go += self.values.len() as u64;
                self.values.clear();
            }
            self.position += own.len() as u64;
            bytes = others;
            if self.position < entry.end {
                break;
            }
            (self.current, self.let_go) = (self.current + 1, 0);
            if entry.is_float() && wanted {
                on_tensor(Tensor {
                    name: entry.name.clone(),
                    shape: entry.shape.clone(),
                    dtype: entry.dtype,
                    data: std::mem::take(&mut self.values),
                })?;
            }
        }
        Ok(())
    }

    fn decode(&mut self, entry: &TensorEntry, mut bytes: &[u8]) -> Result<(), ModelError> {
        let width = entry.dtype.bitsize() / 8;
        let known = self.values.len();
        self.reserve(entry, bytes.len() / width + 1)?;
        if !self.cut.is_empty() {
            let (head, rest) = bytes.split_at((width - self.cut.len()).min(bytes.len()));
            self.cut.extend_from_slice(head);
            bytes = rest;
            if self.cut.len() < width {
                return Ok(());
            }
            decode_whole(entry.dtype, &self.cut, &mut self.values);
            self.cut.clear();
        }
        let (whole, cut) = bytes.split_at(bytes.len() / width * width);
        decode_whole(entry.dtype, whole, &mut self.values);
        self.cut.extend_from_slice(cut);
        match self.values[known..].iter().position(|value| !value.is_finite()) {
            Some(offset) => Err(ModelError::NotFinite {
                file: self.file.into(),
                tensor: entry.name.clone(),
                index: self.let_go + (known + offset) as u64,
                value: self.values[known + offset],
            }),
            None => Ok(()),
        }
    }

    /// Makes room for `more` values, by doubling up to what the tensor has in all.
    fn reserve(&mut self, entry: &TensorEntry, more: usize) -> Result<(), ModelError> {
        let (known, all) = (self.values.len(), entry.values());
        let wanted = ((known + more) as u64).min(all);
        if wanted <= self.values.capacity() as u64 {
            return Ok(());
        }
        let room = wanted.max(2 * known as u64).max(FIRST_RESERVE).min(all);
        let reserved = usize::try_from(room).is_ok_and(|room| self.values.try_reserve_exact(room - known).is_ok());
        match reserved {
            true => Ok(()),
            false => {
                let (file, tensor) = (self.file.into(), entry.name.clone());
                Err(ModelError::OutOfMemory { file, tensor, values: all })
            }
        }
    }
}

/// Little-endian values of a float type; `bytes` holds a whole number of them.
fn decode_whole(dtype: Dtype, bytes: &[u8], values: &mut Vec<f32>) {
    let pairs = || bytes.as_chunks::<2>().0.iter().copied();
    match dtype {
        Dtype::F16 => values.extend(pairs().map(|pair| f16::from_le_bytes(pair).to_f32())),
        Dtype::BF16 => values.extend(pairs().map(|pair| bf16::from_le_bytes(pair).to_f32())),
        _ => values.extend(bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word))),
    }
}
