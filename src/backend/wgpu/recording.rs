//! Work that was asked for and not yet submitted: many dispatches go to the device together.

use ::wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, CommandEncoderDescriptor, ComputePass,
    ComputePassDescriptor, Device, Queue,
};

/// Dispatches of one submission at most. More would make the device start late; fewer cost a submission each.
const DISPATCHES: usize = 256;
/// Every device lets parameters start at multiples of this many bytes.
const STRIDE: usize = 256;

/// Commands in order, and the parameters of each.
pub struct Recording {
    encoder: Option<CommandEncoder>,
    /// Open while dispatches follow one another.
    pass: Option<ComputePass<'static>>,
    /// The device's copy of `written`.
    uniforms: Buffer,
    written: Vec<u8>,
    /// Stems of the kernels of this submission, or of the last one if this has none yet.
    stems: Vec<&'static str>,
}

impl Recording {
    /// Nothing recorded.
    pub fn new(device: &Device) -> Recording {
        let uniforms = device.create_buffer(&BufferDescriptor {
            label: Some("parameters"),
            size: (DISPATCHES * STRIDE) as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Recording { encoder: None, pass: None, uniforms, written: Vec::new(), stems: Vec::new() }
    }

    /// No further dispatch fits.
    pub fn is_full(&self) -> bool {
        self.written.len() >= DISPATCHES * STRIDE
    }

    /// Where parameters lie.
    pub fn uniforms(&self) -> &Buffer {
        &self.uniforms
    }

    /// Stems of the kernels that an error may come from.
    pub fn stems(&self) -> &[&'static str] {
        &self.stems
    }

    /// Keeps the parameters of a dispatch; gives their place and the pass to record it in.
    pub fn dispatch(
        &mut self,
        device: &Device,
        stem: &'static str,
        params: &[u32],
    ) -> (u32, &mut ComputePass<'static>) {
        if self.written.is_empty() {
            self.stems.clear();
        }
        self.stems.push(stem);
        let offset = self.written.len();
        self.written.extend_from_slice(bytemuck::cast_slice(params));
        self.written.resize(offset + STRIDE, 0);
        if self.pass.is_none() {
            let pass = self.encoder(device).begin_compute_pass(&ComputePassDescriptor::default()).forget_lifetime();
            self.pass = Some(pass);
        }
        (offset as u32, self.pass.as_mut().expect("opened above"))
    }

    /// For commands other than dispatches; ends the pass.
    pub fn encoder(&mut self, device: &Device) -> &mut CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&CommandEncoderDescriptor::default()))
    }

    /// Hands everything to the device.
    pub fn submit(&mut self, queue: &Queue) {
        self.pass = None;
        if !self.written.is_empty() {
            // The queue writes this after what was submitted before and before what is submitted now.
            queue.write_buffer(&self.uniforms, 0, &self.written);
            self.written.clear();
        }
        if let Some(encoder) = self.encoder.take() {
            queue.submit([encoder.finish()]);
        }
    }
}
