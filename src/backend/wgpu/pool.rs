//! Buffers that are used again, by size.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ::wgpu::{Buffer, BufferDescriptor, BufferUsages, Device};

/// Free bytes that are kept for later; beyond, a buffer that comes back is given up.
const KEPT: u64 = 256 << 20;
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
    /// Buffers that exist.
    buffers: usize,
}

/// Sizes are rounded up to an eighth of the power of two above them, so that similar ones share.
fn rounded(bytes: u64) -> u64 {
    let bytes = bytes.max(SMALLEST);
    bytes.next_multiple_of((bytes.next_power_of_two() / 8).max(SMALLEST))
}

impl Pool {
    /// An empty pool.
    pub fn new(device: Device) -> Pool {
        Pool { device, lists: RefCell::default() }
    }

    /// Buffers that exist, held or free.
    pub fn buffers(&self) -> usize {
        self.lists.borrow().buffers
    }

    /// A buffer of at least `bytes` that no recorded work uses; true if it is new, and so all zeros.
    pub fn take(&self, purpose: Purpose, bytes: u64) -> (Buffer, bool) {
        let size = rounded(bytes);
        let mut lists = self.lists.borrow_mut();
        if let Some(buffer) = lists.free.get_mut(&(purpose, size)).and_then(Vec::pop) {
            lists.kept -= size;
            return (buffer, false);
        }
        lists.buffers += 1;
        let descriptor = BufferDescriptor { label: None, size, usage: purpose.usages(), mapped_at_creation: false };
        (self.device.create_buffer(&descriptor), true)
    }

    /// Takes a buffer back that recorded work may use.
    pub fn give_back(&self, buffer: Buffer) {
        let mut lists = self.lists.borrow_mut();
        if lists.kept + buffer.size() > KEPT {
            // The device keeps the memory until its work is done.
            lists.buffers -= 1;
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
