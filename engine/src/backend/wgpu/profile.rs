//! Time of each kernel on the device, by timestamps around every dispatch.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ::wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, ComputePassTimestampWrites, Device, MapMode, QuerySet,
    QuerySetDescriptor, QueryType, Queue,
};

use super::recording::DISPATCHES;

/// Bytes of a timestamp.
const STAMP: u64 = 8;

/// How often a kernel ran and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KernelTime {
    /// Dispatches.
    pub runs: u64,
    /// All of them together.
    pub milliseconds: f64,
}

/// Timestamps of a device.
pub struct Profile {
    device: Device,
    stamps: QuerySet,
    /// Nanoseconds of a tick.
    period: f64,
    /// Submitted, not yet read: the kernels in order, and where their stamps will be.
    pending: RefCell<Vec<(Vec<&'static str>, Buffer)>>,
    times: RefCell<BTreeMap<&'static str, KernelTime>>,
}

impl Profile {
    /// For a device that has timestamp queries.
    pub fn new(device: &Device, queue: &Queue) -> Profile {
        let descriptor = QuerySetDescriptor {
            label: Some("time of kernels"),
            ty: QueryType::Timestamp,
            count: 2 * DISPATCHES as u32,
        };
        Profile {
            device: device.clone(),
            stamps: device.create_query_set(&descriptor),
            period: f64::from(queue.get_timestamp_period()),
            pending: RefCell::default(),
            times: RefCell::default(),
        }
    }

    /// Stamps around dispatch number `i` of a submission.
    pub fn around(&self, i: usize) -> ComputePassTimestampWrites<'_> {
        let first = 2 * i as u32;
        ComputePassTimestampWrites {
            query_set: &self.stamps,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        }
    }

    /// At the end of a submission.
    pub fn resolve(&self, stems: &[&'static str], encoder: &mut CommandEncoder) {
        let size = 2 * STAMP * stems.len() as u64;
        let buffer = |usage| {
            self.device.create_buffer(&BufferDescriptor {
                label: Some("stamps"),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let resolved = buffer(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC);
        let readable = buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        encoder.resolve_query_set(&self.stamps, 0..2 * stems.len() as u32, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &readable, 0, size);
        self.pending.borrow_mut().push((stems.to_vec(), readable));
    }

    /// Reads what was submitted. A submission whose stamps cannot be read is left out.
    pub async fn collect(&self) {
        let pending = std::mem::take(&mut *self.pending.borrow_mut());
        for (stems, buffer) in pending {
            let (send, mapped) = futures::channel::oneshot::channel();
            buffer.map_async(MapMode::Read, .., move |outcome| drop(send.send(outcome)));
            #[cfg(not(target_arch = "wasm32"))]
            let _ = self.device.poll(::wgpu::PollType::wait_indefinitely());
            let Ok(Ok(())) = mapped.await else { continue };
            let Ok(view) = buffer.get_mapped_range(..) else { continue };
            let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
            let mut times = self.times.borrow_mut();
            for (stem, stamps) in stems.into_iter().zip(stamps.chunks_exact(2)) {
                let time = times.entry(stem).or_default();
                time.runs += 1;
                time.milliseconds += stamps[1].saturating_sub(stamps[0]) as f64 * self.period / 1e6;
            }
        }
    }

    /// Times since the last call.
    pub fn take(&self) -> BTreeMap<&'static str, KernelTime> {
        std::mem::take(&mut *self.times.borrow_mut())
    }
}
