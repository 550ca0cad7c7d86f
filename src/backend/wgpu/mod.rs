//! The GPU backend: WebGPU in the browser, Vulkan natively, through wgpu.
//!
//! Dispatches are recorded and submitted together when something is read. A device may flush subnormal numbers, fuse a
//! product with a sum, and round a quotient less exactly than IEEE; the tests state a tolerance per kernel.

mod pool;
mod recording;
mod setup;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use ::wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding, BufferSize, Device, MapMode, Queue,
};

use super::shaders::Shader;
use super::table::{Access, Launch, MOST_GROUPS, Params, Row};
use super::{Backend, BackendError};
use pool::{Pool, Purpose};
use recording::Recording;
pub use setup::AdapterSummary;
use setup::Kernel;

/// Bindings are multiples of this many bytes, a vec4, and none is empty. Buffers are, too.
const BINDING_STEP: u64 = 16;

/// A device. Clones share it.
#[derive(Clone)]
pub struct Wgpu(Rc<Inner>);

struct Inner {
    device: Device,
    queue: Queue,
    adapter: AdapterSummary,
    kernels: BTreeMap<&'static str, Kernel>,
    pool: Rc<Pool>,
    recording: RefCell<Recording>,
    /// The first thing that the device complained of.
    fault: Arc<Mutex<Option<String>>>,
    /// Bytes that one binding may have.
    binding_limit: u64,
}

/// Words on the device, shared by the clones of one handle; they go back to the pool with the last of them.
#[derive(Clone)]
pub struct WgpuBuffer(Rc<Held>);

struct Held {
    /// Taken when dropped.
    buffer: Option<Buffer>,
    words: usize,
    pool: Rc<Pool>,
}

impl Held {
    fn buffer(&self) -> &Buffer {
        self.buffer.as_ref().expect("held until it is dropped")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.pool.give_back(self.buffer.take().expect("dropped once"));
    }
}

/// A buffer on its way to be read. It goes back to the pool also where the reader gives up waiting.
struct Reading {
    /// Taken when dropped.
    buffer: Option<Buffer>,
    pool: Rc<Pool>,
}

impl Reading {
    fn buffer(&self) -> &Buffer {
        self.buffer.as_ref().expect("held until it is dropped")
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let buffer = self.buffer.take().expect("dropped once");
        buffer.unmap();
        self.pool.give_back(buffer);
    }
}

impl Wgpu {
    /// The best device there is, with every kernel compiled; `progress` hears how many of how many are.
    pub async fn open(progress: impl FnMut(usize, usize)) -> Result<Wgpu, BackendError> {
        Wgpu::open_with(|shader| Cow::Borrowed(shader.source), progress).await
    }

    /// [`Wgpu::open`] with other text for some shaders: tests break them on purpose.
    pub async fn open_with(
        source: impl Fn(&'static Shader) -> Cow<'static, str>,
        progress: impl FnMut(usize, usize),
    ) -> Result<Wgpu, BackendError> {
        let adapter = setup::adapter().await?;
        let (device, queue) = setup::device(&adapter).await?;
        let fault = Arc::new(Mutex::new(None));
        let first = |fault: &Arc<Mutex<Option<String>>>| {
            let fault = fault.clone();
            move |message: String| {
                fault.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(message);
            }
        };
        let on_error = first(&fault);
        device.on_uncaptured_error(Arc::new(move |error: ::wgpu::Error| on_error(error.to_string())));
        let on_loss = first(&fault);
        device.set_device_lost_callback(move |reason, message| on_loss(format!("lost ({reason:?}): {message}")));
        let kernels = setup::compile(&device, source, progress).await?;
        let binding_limit = device.limits().max_storage_buffer_binding_size.min(device.limits().max_buffer_size);
        Ok(Wgpu(Rc::new(Inner {
            adapter: setup::summary(&adapter),
            kernels,
            pool: Rc::new(Pool::new(device.clone())),
            recording: RefCell::new(Recording::new(&device)),
            fault,
            binding_limit,
            device,
            queue,
        })))
    }

    /// What the adapter says of itself.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.0.adapter
    }

    /// Buffers that exist on the device, held or free.
    pub fn buffers(&self) -> usize {
        self.0.pool.buffers()
    }

    /// Bytes of the device's memory in use, where the driver's allocator tells.
    pub fn allocated(&self) -> Option<u64> {
        self.0.device.generate_allocator_report().map(|report| report.total_allocated_bytes)
    }

    /// Takes a buffer from the pool; true if it is new, and so all zeros.
    fn hold(&self, words: usize) -> Result<(WgpuBuffer, bool), BackendError> {
        let (bytes, limit) = (binding_bytes(words), self.0.binding_limit);
        if bytes > limit {
            return Err(BackendError::TooLarge { bytes, limit });
        }
        let (buffer, new) = self.0.pool.take(Purpose::Tensor, bytes);
        Ok((WgpuBuffer(Rc::new(Held { buffer: Some(buffer), words, pool: self.0.pool.clone() })), new))
    }

    fn submit(&self) {
        self.0.recording.borrow_mut().submit(&self.0.queue);
        self.0.pool.submitted();
    }

    /// The first complaint of the device, with the kernel that it names, or else those that were submitted.
    fn healthy(&self) -> Result<(), BackendError> {
        let Some(fault) = self.0.fault.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone() else {
            return Ok(());
        };
        Err(self.failed(fault))
    }

    fn failed(&self, fault: String) -> BackendError {
        let mut stems = self.0.recording.borrow().stems().to_vec();
        stems.sort_unstable();
        stems.dedup();
        let named = stems.iter().filter(|stem| fault.contains(**stem)).max_by_key(|stem| stem.len());
        let kernels = named.map_or_else(|| stems.join(", "), |stem| stem.to_string());
        BackendError::Device { kernels, fault }
    }

    fn record(&self, row: &'static Row, launch: Launch, params: &[u32], bindings: &[&WgpuBuffer]) {
        let Inner { device, kernels, recording, .. } = &*self.0;
        if recording.borrow().is_full() {
            self.submit();
        }
        let (kernel, mut recording) = (&kernels[row.stem], recording.borrow_mut());
        let bind = |buffer, bytes: u64| {
            BindingResource::Buffer(BufferBinding { buffer, offset: 0, size: BufferSize::new(bytes) })
        };
        let tensors = bindings.iter().map(|b| bind(b.0.buffer(), binding_bytes(b.0.words)));
        let uniform = bind(recording.uniforms(), 4 * row.params as u64);
        let entries: Vec<_> = (0..)
            .zip(tensors.chain([uniform]))
            .map(|(binding, resource)| BindGroupEntry { binding, resource })
            .collect();
        let descriptor = BindGroupDescriptor { label: Some(row.stem), layout: &kernel.layout, entries: &entries };
        let group = device.create_bind_group(&descriptor);
        let (offset, pass) = recording.dispatch(device, row.stem, params);
        pass.set_pipeline(&kernel.pipelines[launch.entry]);
        pass.set_bind_group(0, &group, &[offset]);
        let [x, y, z] = launch.groups;
        pass.dispatch_workgroups(x, y, z);
    }
}

fn binding_bytes(words: usize) -> u64 {
    (4 * words as u64).next_multiple_of(BINDING_STEP).max(BINDING_STEP)
}

/// A buffer that is written must not be bound a second time.
fn unaliased(row: &Row, bindings: &[&WgpuBuffer]) -> Result<(), BackendError> {
    for (i, buffer) in bindings.iter().enumerate() {
        let earlier = bindings[..i].iter().zip(row.bindings).filter(|(other, _)| Rc::ptr_eq(&other.0, &buffer.0));
        for (_, other) in earlier {
            if row.bindings[i].access == Access::Write || other.access == Access::Write {
                return Err(BackendError::Aliased { kernel: row.stem, binding: row.bindings[i].name });
            }
        }
    }
    Ok(())
}

impl Backend for Wgpu {
    type Buffer = WgpuBuffer;

    fn name(&self) -> &'static str {
        "webgpu"
    }

    fn upload(&self, words: &[u32]) -> Result<WgpuBuffer, BackendError> {
        let (buffer, _) = self.hold(words.len())?;
        self.0.queue.write_buffer(buffer.0.buffer(), 0, bytemuck::cast_slice(words));
        Ok(buffer)
    }

    fn alloc(&self, words: usize) -> Result<WgpuBuffer, BackendError> {
        let (buffer, new) = self.hold(words)?;
        if !new {
            let mut recording = self.0.recording.borrow_mut();
            recording.encoder(&self.0.device).clear_buffer(buffer.0.buffer(), 0, None);
        }
        Ok(buffer)
    }

    fn dispatch<P: Params>(&self, params: &P, bindings: &[&WgpuBuffer]) -> Result<(), BackendError> {
        let row = P::ROW;
        let params: &[u32] = bytemuck::cast_slice(std::slice::from_ref(params));
        row.check(params, bindings.len(), |i| bindings[i].0.words)?;
        unaliased(row, bindings)?;
        let launch = (row.launch)(params);
        if launch.groups.iter().any(|groups| *groups > MOST_GROUPS) {
            return Err(BackendError::Grid { kernel: row.stem, groups: launch.groups, most: MOST_GROUPS });
        }
        if !launch.groups.contains(&0) {
            self.record(row, launch, params, bindings);
        }
        self.healthy()
    }

    async fn read(&self, buffer: &WgpuBuffer) -> Result<Vec<u32>, BackendError> {
        let bytes = 4 * buffer.0.words as u64;
        let Inner { device, recording, pool, .. } = &*self.0;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let reading = Reading { buffer: Some(pool.take(Purpose::Reading, bytes).0), pool: pool.clone() };
        recording.borrow_mut().encoder(device).copy_buffer_to_buffer(buffer.0.buffer(), 0, reading.buffer(), 0, bytes);
        self.submit();
        let (send, mapped) = futures::channel::oneshot::channel();
        reading.buffer().map_async(MapMode::Read, 0..bytes, move |outcome| drop(send.send(outcome)));
        // In the browser the event loop does this.
        #[cfg(not(target_arch = "wasm32"))]
        device.poll(::wgpu::PollType::wait_indefinitely()).map_err(|fault| self.failed(fault.to_string()))?;
        let outcome = mapped.await;
        self.healthy()?;
        outcome
            .map_err(|_| self.failed("the device is gone".into()))?
            .map_err(|fault| self.failed(fault.to_string()))?;
        let view = reading.buffer().get_mapped_range(0..bytes).map_err(|fault| self.failed(fault.to_string()))?;
        Ok(bytemuck::pod_collect_to_vec(&view))
    }
}
