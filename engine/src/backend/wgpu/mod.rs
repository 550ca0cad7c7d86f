//! The GPU backend: WebGPU in the browser, Vulkan natively, through wgpu.
//!
//! Dispatches are recorded and submitted together when something is read. A device may flush subnormal numbers, fuse a
//! product with a sum, and round a quotient less exactly than IEEE; the tests state a tolerance per kernel.

mod faults;
mod fit;
mod pool;
mod profile;
mod recording;
mod setup;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ::wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding, BufferSize, Device, Features, MapMode,
    Queue,
};

pub use super::row::Reuse;
use super::row::{Access, Launch, MOST_GROUPS, Row, Way};
use super::shaders::SCRATCH;
use super::{Backend, BackendError};
use faults::{Doing, Faults};
pub use fit::Workgroup;
use pool::{Pool, Purpose};
pub use profile::KernelTime;
use profile::Profile;
use recording::Recording;
use setup::Kernel;
pub use setup::{AdapterSummary, Options};

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
    faults: Rc<Faults>,
    /// None where no time is taken.
    profile: Option<Profile>,
    reuse: Reuse,
    /// What a workgroup may be.
    workgroup: Workgroup,
    halves: bool,
    /// Bytes that one binding may have.
    binding_limit: u64,
    /// Bytes that one buffer may have.
    buffer_limit: u64,
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

/// The best adapter that there is, without opening it.
pub async fn look() -> Result<AdapterSummary, BackendError> {
    Ok(setup::summary(&setup::adapter().await?))
}

impl Wgpu {
    /// The best device there is, with every shader read; `progress` hears how many of how many are.
    pub async fn open(mut progress: impl FnMut(usize, usize)) -> Result<Wgpu, BackendError> {
        Wgpu::open_with(&Options::default(), &mut progress).await
    }

    /// [`Wgpu::open`] in another way.
    pub async fn open_with(
        options: &Options<'_>,
        progress: &mut impl FnMut(usize, usize),
    ) -> Result<Wgpu, BackendError> {
        let adapter = setup::adapter().await?;
        let workgroup = setup::workgroup(&adapter, options);
        let (device, queue) = setup::device(&adapter, workgroup, options).await?;
        let faults = Rc::new(Faults::new(&device));
        let kernels = setup::compile(&device, options, progress).await?;
        let adapter = setup::summary(&adapter);
        let chosen = if adapter.software { Reuse::Cache } else { Reuse::Workgroup };
        let stamps = device.features().contains(Features::TIMESTAMP_QUERY);
        Ok(Wgpu(Rc::new(Inner {
            kernels,
            pool: Rc::new(Pool::new(device.clone(), faults.clone(), options.memory.unwrap_or(u64::MAX))),
            recording: RefCell::new(faults.within(Doing::Memory(recording::UNIFORM_BYTES), || Recording::new(&device))),
            faults,
            profile: (options.profile && stamps).then(|| Profile::new(&device, &queue)),
            reuse: options.reuse.unwrap_or(chosen),
            workgroup,
            halves: options.halves.unwrap_or(!adapter.software),
            binding_limit: options.binding.unwrap_or(u64::MAX).min(device.limits().max_storage_buffer_binding_size),
            buffer_limit: device.limits().max_buffer_size,
            adapter,
            device,
            queue,
        })))
    }

    /// What the adapter says of itself.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.0.adapter
    }

    /// Whether reductions go through subgroups here.
    pub fn subgroups(&self) -> bool {
        self.0.device.features().contains(Features::SUBGROUP)
    }

    /// Bytes that a kernel may see of one buffer at once; of larger ones it is shown one window after another.
    pub fn binding_limit(&self) -> u64 {
        self.0.binding_limit
    }

    /// Buffers that exist on the device, held or free.
    pub fn buffers(&self) -> usize {
        self.0.pool.buffers()
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.0.pool.bytes()
    }

    /// Bytes of the device's memory in use, where the driver's allocator tells.
    pub fn allocated(&self) -> Option<u64> {
        self.0.device.generate_allocator_report().map(|report| report.total_allocated_bytes)
    }

    /// Ends the device as a driver might: what is asked of it afterwards fails with [`BackendError::Lost`].
    pub fn destroy(&self) {
        self.0.device.destroy();
    }

    /// Time of each kernel since the last call; none where the device has no timestamps or was not asked for them.
    pub fn times(&self) -> Option<BTreeMap<&'static str, KernelTime>> {
        self.0.profile.as_ref().map(Profile::take)
    }

    /// Takes a buffer from the pool; true if it is new, and so all zeros.
    fn hold(&self, words: usize) -> Result<(WgpuBuffer, bool), BackendError> {
        let (bytes, limit) = (binding_bytes(words), self.0.buffer_limit);
        if bytes > limit {
            return Err(BackendError::TooLarge { bytes, limit });
        }
        let (buffer, new) = self.0.pool.take(Purpose::Tensor, bytes)?;
        Ok((WgpuBuffer(Rc::new(Held { buffer: Some(buffer), words, pool: self.0.pool.clone() })), new))
    }

    fn submit(&self) {
        let Inner { queue, recording, profile, faults, pool, .. } = &*self.0;
        let mut recording = recording.borrow_mut();
        let kernels = recording.names();
        faults.within(Doing::Kernel(kernels), || recording.submit(queue, profile.as_ref()));
        pool.submitted();
    }

    /// What a launch has of each buffer, and of the scratch buffer that comes last; fails where that is more than the device
    /// binds.
    fn views<'a>(
        &self,
        row: &'static Row,
        launch: &Launch,
        params: &[u32],
        bindings: &[&'a WgpuBuffer],
    ) -> Result<Vec<BufferBinding<'a>>, BackendError> {
        let limit = self.0.binding_limit;
        let view = |(i, buffer): (usize, &&'a WgpuBuffer)| {
            let whole = if i < row.bindings.len() { (row.needed)(params, i) } else { buffer.0.words };
            let window = launch.window.filter(|window| window.binding == i);
            let (first, words) = window.map_or((0, whole), |window| (window.first, window.words));
            let bytes = binding_bytes(words);
            if bytes > limit {
                let binding = row.bindings.get(i).map_or(SCRATCH, |binding| binding.name);
                return Err(BackendError::Unbindable { kernel: row.stem, binding, bytes, limit });
            }
            Ok(BufferBinding { buffer: buffer.0.buffer(), offset: 4 * first as u64, size: BufferSize::new(bytes) })
        };
        bindings.iter().enumerate().map(view).collect()
    }

    /// Records one launch in an error scope of its own.
    fn record(&self, row: &'static Row, launch: &Launch, way: Way, params: &[u32], views: Vec<BufferBinding<'_>>) {
        let Inner { device, kernels, recording, profile, faults, .. } = &*self.0;
        if recording.borrow().is_full() {
            self.submit();
        }
        let (kernel, mut recording) = (&kernels[row.stem], recording.borrow_mut());
        let window = launch.window.map(|window| [window.first as u32, window.from, window.to]);
        let words: Vec<u32> = params.iter().copied().chain(window.into_iter().flatten()).collect();
        faults.within(Doing::Kernel(row.stem.to_string()), || {
            let size = BufferSize::new(4 * words.len() as u64);
            let uniform = BufferBinding { buffer: recording.uniforms(), offset: 0, size };
            let entries: Vec<_> = (0..)
                .zip(views.into_iter().chain([uniform]).map(BindingResource::Buffer))
                .map(|(binding, resource)| BindGroupEntry { binding, resource })
                .collect();
            let descriptor = BindGroupDescriptor { label: Some(row.stem), layout: &kernel.layout, entries: &entries };
            let group = device.create_bind_group(&descriptor);
            let pipeline = kernel.pipeline(device, row, way.entry, launch);
            let (offset, pass) = recording.dispatch(device, profile.as_ref(), row.stem, &words);
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[offset]);
            let [x, y, z] = way.groups;
            pass.dispatch_workgroups(x, y, z);
        });
    }
}

fn lost(fault: &dyn std::fmt::Display) -> BackendError {
    BackendError::Lost { reason: fault.to_string() }
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

    /// Enough tiles for every core of a GPU, in buffers that stay small.
    fn rows_together(&self) -> usize {
        2048
    }

    /// On hardware, which has memory of its own and waits for it; a device in software has that of the machine.
    fn halves(&self) -> bool {
        self.0.halves
    }

    /// WebGPU does not tell how much memory there is, so it is taken and given back.
    async fn reserve(&self, bytes: u64, largest: u64) -> Result<(), BackendError> {
        let limit = self.0.buffer_limit;
        if largest > limit {
            return Err(BackendError::TooLarge { bytes: largest, limit });
        }
        match self.0.pool.room(bytes, limit).await {
            room if room < bytes => Err(BackendError::NoRoom { needed: bytes, room }),
            _ => Ok(()),
        }
    }

    fn flush(&self) {
        self.submit();
    }

    fn upload(&self, words: &[u32]) -> Result<WgpuBuffer, BackendError> {
        let (buffer, _) = self.hold(words.len())?;
        let write = || self.0.queue.write_buffer(buffer.0.buffer(), 0, bytemuck::cast_slice(words));
        self.0.faults.within(Doing::Upload, write);
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

    fn copy(&self, from: &WgpuBuffer, first: usize, to: &WgpuBuffer, place: usize, words: usize) {
        assert!(first + words <= from.0.words && place + words <= to.0.words && !Rc::ptr_eq(&from.0, &to.0));
        let [first, place, bytes] = [first, place, words].map(|words| 4 * words as u64);
        let mut recording = self.0.recording.borrow_mut();
        let encoder = recording.encoder(&self.0.device);
        encoder.copy_buffer_to_buffer(from.0.buffer(), first, to.0.buffer(), place, bytes);
    }

    fn dispatch_row(&self, row: &'static Row, params: &[u32], bindings: &[&WgpuBuffer]) -> Result<(), BackendError> {
        row.check(params, bindings.len(), |i| bindings[i].0.words)?;
        unaliased(row, bindings)?;
        let launches = (row.launches)(params, (self.0.binding_limit / BINDING_STEP * BINDING_STEP / 4) as usize);
        let Inner { workgroup, reuse, .. } = &*self.0;
        let ways: Vec<Way> = launches.iter().map(|launch| workgroup.pick(row, launch, *reuse)).collect();
        for Way { groups, .. } in &ways {
            if groups.iter().any(|groups| *groups > MOST_GROUPS) {
                return Err(BackendError::Grid { kernel: row.stem, groups: *groups, most: MOST_GROUPS });
            }
        }
        let scratch = match (row.scratch)(params) {
            0 => None,
            words => Some(self.hold(words)?.0),
        };
        let bindings: Vec<_> = bindings.iter().copied().chain(&scratch).collect();
        let launches = launches.iter().zip(ways).filter(|(_, way)| !way.groups.contains(&0));
        // All of them are known to be possible before the first is recorded.
        let views: Result<Vec<_>, _> =
            launches.map(|(launch, way)| Ok((launch, way, self.views(row, launch, params, &bindings)?))).collect();
        for (launch, way, views) in views? {
            self.record(row, launch, way, params, views);
        }
        self.0.faults.known()
    }

    async fn read(&self, buffer: &WgpuBuffer) -> Result<Vec<u32>, BackendError> {
        let bytes = 4 * buffer.0.words as u64;
        let Inner { device, recording, pool, faults, profile, .. } = &*self.0;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let reading = Reading { buffer: Some(pool.take(Purpose::Reading, bytes)?.0), pool: pool.clone() };
        recording.borrow_mut().encoder(device).copy_buffer_to_buffer(buffer.0.buffer(), 0, reading.buffer(), 0, bytes);
        self.submit();
        let (send, mapped) = futures::channel::oneshot::channel();
        reading.buffer().map_async(MapMode::Read, 0..bytes, move |outcome| drop(send.send(outcome)));
        // In the browser the event loop does this.
        #[cfg(not(target_arch = "wasm32"))]
        device.poll(::wgpu::PollType::wait_indefinitely()).map_err(|fault| lost(&fault))?;
        let outcome = mapped.await;
        faults.settle().await?;
        // What the scopes did not catch and yet cannot be read is on a device that is gone.
        outcome.map_err(|fault| lost(&fault))?.map_err(|fault| lost(&fault))?;
        if let Some(profile) = profile {
            profile.collect().await;
        }
        let view = reading.buffer().get_mapped_range(0..bytes).map_err(|fault| lost(&fault))?;
        Ok(bytemuck::pod_collect_to_vec(&view))
    }
}
