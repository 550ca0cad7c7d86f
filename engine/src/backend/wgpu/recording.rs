//! Work that was asked for and not yet submitted: many dispatches go to the device together.

use ::wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, CommandEncoderDescriptor, ComputePass,
    ComputePassDescriptor, Device, Queue,
};

use super::profile::Profile;

/// Dispatches of one submission at most. More would make the device start late; fewer cost a submission each.
pub const DISPATCHES: usize = 256;
/// Every device lets parameters start at multiples of this many bytes.
const STRIDE: usize = 256;
/// Bytes of the parameters of one submission.
pub const UNIFORM_BYTES: u64 = (DISPATCHES * STRIDE) as u64;

/// Commands in order, and the parameters of each.
pub struct Recording {
    encoder: Option<CommandEncoder>,
    /// Open while dispatches follow one another.
    pass: Option<ComputePass<'static>>,
    /// The device's copy of `written`.
    uniforms: Buffer,
    written: Vec<u8>,
    /// Stems of the kernels of this submission.
    stems: Vec<&'static str>,
}

impl Recording {
    /// Nothing recorded.
    pub fn new(device: &Device) -> Recording {
        let uniforms = device.create_buffer(&BufferDescriptor {
            label: Some("parameters"),
            size: UNIFORM_BYTES,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Recording { encoder: None, pass: None, uniforms, written: Vec::new(), stems: Vec::new() }
    }

    /// No further dispatch fits.
    pub fn is_full(&self) -> bool {
        self.stems.len() >= DISPATCHES
    }

    /// Where parameters lie.
    pub fn uniforms(&self) -> &Buffer {
        &self.uniforms
    }

    /// Names of the kernels of this submission, each once.
    pub fn names(&self) -> String {
        let mut stems = self.stems.clone();
        stems.sort_unstable();
        stems.dedup();
        stems.join(", ")
    }

    /// Keeps the parameters of a dispatch; gives their place and the pass to record it in: one of its own where it is timed.
    pub fn dispatch(
        &mut self,
        device: &Device,
        profile: Option<&Profile>,
        stem: &'static str,
        params: &[u32],
    ) -> (u32, &mut ComputePass<'static>) {
        let number = self.stems.len();
        self.stems.push(stem);
        let offset = self.written.len();
        self.written.extend_from_slice(bytemuck::cast_slice(params));
        self.written.resize(offset + STRIDE, 0);
        if self.pass.is_none() || profile.is_some() {
            let timestamp_writes = profile.map(|profile| profile.around(number));
            let descriptor = ComputePassDescriptor { label: Some(stem), timestamp_writes };
            self.pass = Some(self.encoder(device).begin_compute_pass(&descriptor).forget_lifetime());
        }
        (offset as u32, self.pass.as_mut().expect("opened above"))
    }

    /// For commands other than dispatches; ends the pass.
    pub fn encoder(&mut self, device: &Device) -> &mut CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&CommandEncoderDescriptor::default()))
    }

    /// Hands everything to the device.
    pub fn submit(&mut self, queue: &Queue, profile: Option<&Profile>) {
        self.pass = None;
        if !self.written.is_empty() {
            // The queue writes this after what was submitted before and before what is submitted now.
            queue.write_buffer(&self.uniforms, 0, &self.written);
            self.written.clear();
        }
        if let Some(mut encoder) = self.encoder.take() {
            if let Some(profile) = profile.filter(|_| !self.stems.is_empty()) {
                profile.resolve(&self.stems, &mut encoder);
            }
            queue.submit([encoder.finish()]);
        }
        self.stems.clear();
    }
}
