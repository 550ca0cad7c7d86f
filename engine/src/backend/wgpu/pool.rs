//! Buffers that are used again, by size.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ::wgpu::{Buffer, BufferDescriptor, BufferUsages, Device, ErrorFilter};

use super::faults::{Doing, Faults};
use crate::backend::BackendError;

/// Free bytes that are kept for later; beyond, a buffer that comes back is given up.
const KEPT: u64 = 256 << 20;
/// Memory is probed in steps of so many bytes.
const PROBE: u64 = 256 << 20;
/// No buffer is smaller.
const SMALLEST: u64 = 256;

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Bound by kernels.
    Tensor,
    /// Copied to and mapped.
    Reading,
}

impl Purpose {
    fn usages(self) -> BufferUsages {
        match self {
            Purpose::Tensor => BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            Purpose::Reading => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        }
    }
}

/// Buffers of a device that nobody holds.
pub struct Pool {
    device: Device,
    faults: Rc<Faults>,
    /// Bytes that buffers may take together.
    budget: u64,
    lists: RefCell<Lists>,
}

#[derive(Default)]
struct Lists {
    /// Unused by anything that was not submitted.
    free: BTreeMap<(Purpose, u64), Vec<Buffer>>,
    /// Perhaps used by recorded work: what the queue writes would overtake that work.
    waiting: Vec<Buffer>,
    /// Bytes in both.
    kept: u64,
    /// Buffers that exist, and their bytes.
    buffers: usize,
    bytes: u64,
}

/// Sizes are rounded up to an eighth of the power of two above them, so that similar ones share.
fn rounded(bytes: u64) -> u64 {
    let bytes = bytes.max(SMALLEST);
    bytes.next_multiple_of((bytes.next_power_of_two() / 8).max(SMALLEST))
}

impl Pool {
    /// An empty pool.
    pub fn new(device: Device, faults: Rc<Faults>, budget: u64) -> Pool {
        Pool { device, faults, budget, lists: RefCell::default() }
    }

    /// Bytes of the buffers that exist.
    pub fn bytes(&self) -> u64 {
        self.lists.borrow().bytes
    }

    /// How many of `wanted` bytes can be had now, in buffers of at most `largest`.
    pub async fn room(&self, wanted: u64, largest: u64) -> u64 {
        let left = self.budget - self.bytes();
        let mut had = Vec::new();
        let mut room = 0;
        while room < wanted.min(left) {
            let size = (wanted.min(left) - room).min(largest).min(PROBE);
            let scope = self.device.push_error_scope(ErrorFilter::OutOfMemory);
            let usage = Purpose::Tensor.usages();
            let size = size.next_multiple_of(4);
            had.push(self.device.create_buffer(&BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            }));
            if scope.pop().await.is_some() {
                break;
            }
            room += size;
        }
        had.iter().for_each(Buffer::destroy);
        room
    }

    /// Buffers that exist, held or free.
    pub fn buffers(&self) -> usize {
        self.lists.borrow().buffers
    }

    /// A buffer of at least `bytes` that no recorded work uses; true if it is new, and so all zeros.
    pub fn take(&self, purpose: Purpose, bytes: u64) -> Result<(Buffer, bool), BackendError> {
        let size = rounded(bytes);
        let mut lists = self.lists.borrow_mut();
        if let Some(buffer) = lists.free.get_mut(&(purpose, size)).and_then(Vec::pop) {
            lists.kept -= size;
            return Ok((buffer, false));
        }
        if lists.bytes + size > self.budget {
            return Err(BackendError::OutOfMemory { bytes });
        }
        lists.buffers += 1;
        lists.bytes += size;
        let descriptor = BufferDescriptor { label: None, size, usage: purpose.usages(), mapped_at_creation: false };
        let buffer = self.faults.within(Doing::Memory(bytes), || self.device.create_buffer(&descriptor));
        Ok((buffer, true))
    }

    /// Takes a buffer back that recorded work may use.
    pub fn give_back(&self, buffer: Buffer) {
        let mut lists = self.lists.borrow_mut();
        if lists.kept + buffer.size() > KEPT {
            // The device keeps the memory until its work is done.
            lists.buffers -= 1;
            lists.bytes -= buffer.size();
            return;
        }
        lists.kept += buffer.size();
        lists.waiting.push(buffer);
    }

    /// All recorded work has been submitted.
    pub fn submitted(&self) {
        let mut lists = self.lists.borrow_mut();
        for buffer in std::mem::take(&mut lists.waiting) {
            let reading = buffer.usage().contains(BufferUsages::MAP_READ);
            let purpose = if reading { Purpose::Reading } else { Purpose::Tensor };
            lists.free.entry((purpose, buffer.size())).or_default().push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_by_a_quarter_at_most() {
        for bytes in (0..5_000_000).step_by(997) {
            let size = rounded(bytes);
            assert!(size >= bytes && size.is_multiple_of(SMALLEST));
            assert!(bytes < 8 * SMALLEST || size <= bytes + bytes / 4, "{bytes} became {size}");
        }
    }
}
