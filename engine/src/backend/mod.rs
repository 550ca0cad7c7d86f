//! Where tensors live and kernels run.
//!
//! A [`Backend`] holds buffers of 32-bit words and runs the [`kernels`] on them. Every kernel exists twice:
//! `kernels/<stem>.rs` for the CPU, which is the truth, and `shaders/<stem>.wgsl` for WebGPU, with the same bindings.
//!
//! Invariant: nothing here knows what a model is; nothing here does I/O.

#[cfg(not(kernels_only))]
pub mod choose;
pub mod cpu;
mod declare;
pub mod kernels;
pub mod lanes;
pub mod proof;
pub mod row;
pub mod shaders;
#[cfg(not(kernels_only))]
pub mod wgpu;
pub(crate) mod windows;

pub use kernels::strips::Stored;
use kernels::{Params, Row};

/// What is left to do where the program contradicts itself: nobody who uses it is at fault.
pub const OUR_FAULT: &str =
    "This is a fault of the page itself: reload it, and if that does not help, tell whoever hosts it what stands here.";
/// What can be done about a device for which a model is too large.
const ON_CPU: &str = "Open the page with #/?backend=cpu at the end of its address: it then computes on the CPU.";
/// What can be done about a device that fails.
pub const RELOAD_OR_CPU: &str = "Reload the page; if it happens again, open it with #/?backend=cpu at the end of its address, to \
                                 compute on the CPU.";

/// What can go wrong between a dispatch and its result.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BackendError {
    /// A dispatch named fewer or more buffers than its row of the table.
    #[error("kernel {kernel} takes {expected} buffers and was given {given}")]
    Bindings {
        /// Stem of the kernel.
        kernel: &'static str,
        /// How many the table says.
        expected: usize,
        /// How many came.
        given: usize,
    },
    /// A buffer is too short for the shape that the parameters state.
    #[error("kernel {kernel}: buffer `{binding}` holds {given} words, its shape needs {needed}")]
    Short {
        /// Stem of the kernel.
        kernel: &'static str,
        /// Name of the binding.
        binding: &'static str,
        /// Words there are.
        given: usize,
        /// Words the shape needs.
        needed: usize,
    },
    /// The parameters contradict each other.
    #[error("kernel {kernel}: {rule}")]
    Parameters {
        /// Stem of the kernel.
        kernel: &'static str,
        /// What they must be.
        rule: &'static str,
    },
    /// A buffer that a kernel writes is bound a second time in the same dispatch.
    #[error("kernel {kernel}: buffer `{binding}` is bound twice and written")]
    Aliased {
        /// Stem of the kernel.
        kernel: &'static str,
        /// Name of the binding.
        binding: &'static str,
    },
    /// There is no GPU to be had, not even one in software.
    #[error("no WebGPU adapter was found: {reason}")]
    NoAdapter {
        /// What the browser or the driver says.
        reason: String,
    },
    /// An adapter is there and gives no device.
    #[error("the WebGPU adapter gave no device: {reason}")]
    NoDevice {
        /// What the browser or the driver says.
        reason: String,
    },
    /// A kernel of which no variant keeps to what the device allows.
    #[error("kernel {kernel} needs {needed} {what}, the device allows {given}")]
    Unfit {
        /// Stem of the kernel.
        kernel: &'static str,
        /// What there is too little of.
        what: &'static str,
        /// How many it needs at least.
        needed: u32,
        /// How many the device allows.
        given: u32,
    },
    /// A shader that this device does not take.
    #[error("kernel {kernel} does not compile on this device: {fault}")]
    Shader {
        /// Stem of the kernel.
        kernel: &'static str,
        /// What the device says.
        fault: String,
    },
    /// A tensor larger than any buffer of the device.
    #[error("a tensor of {bytes} bytes was asked for, a buffer of the device holds {limit} at most")]
    TooLarge {
        /// Bytes of the tensor.
        bytes: u64,
        /// Bytes that a buffer may have.
        limit: u64,
    },
    /// A tensor that a kernel must see whole, or of which it must see so much at once, and that the device does not bind.
    #[error("kernel {kernel} needs {bytes} bytes of `{binding}` at once, the device binds {limit} at most")]
    Unbindable {
        /// Stem of the kernel.
        kernel: &'static str,
        /// Name of the binding.
        binding: &'static str,
        /// Bytes that it needs.
        bytes: u64,
        /// Bytes that the device binds.
        limit: u64,
    },
    /// A shape that needs more workgroups than a device runs at once.
    #[error("kernel {kernel} would need {groups:?} workgroups, at most {most} are allowed along each dimension")]
    Grid {
        /// Stem of the kernel.
        kernel: &'static str,
        /// Along x, y and z.
        groups: [u32; 3],
        /// How many are allowed.
        most: u32,
    },
    /// The device computes something else than the kernel's twin.
    #[error("kernel {kernel} computes wrongly there: {fault}")]
    Wrong {
        /// Stem of the kernel.
        kernel: &'static str,
        /// What came of it.
        fault: String,
    },
    /// The device has no memory left.
    #[error("the device ran out of memory: it has no room for another {bytes} bytes")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
    /// More than the device holds, found out before anything is sent to it.
    #[error("{needed} bytes are needed and the device has room for about {room}")]
    NoRoom {
        /// Bytes asked for.
        needed: u64,
        /// Bytes that could be had.
        room: u64,
    },
    /// The device is gone: unplugged, reset, or taken away by the browser.
    #[error("the device was lost: {reason}")]
    Lost {
        /// What the browser or the driver says.
        reason: String,
    },
    /// The device failed while it worked.
    #[error("the device failed at {kernels}: {fault}")]
    Device {
        /// The kernel that the device names, or those that it was given together.
        kernels: String,
        /// What it says.
        fault: String,
    },
}

impl BackendError {
    /// What a person can do about it on the page, as a sentence.
    pub fn what_to_do(&self) -> &'static str {
        use BackendError as E;
        match self {
            E::NoAdapter { .. }
            | E::NoDevice { .. }
            | E::Unfit { .. }
            | E::Shader { .. }
            | E::Wrong { .. }
            | E::TooLarge { .. }
            | E::Unbindable { .. }
            | E::NoRoom { .. } => ON_CPU,
            E::OutOfMemory { .. } | E::Lost { .. } | E::Device { .. } => RELOAD_OR_CPU,
            E::Bindings { .. } | E::Short { .. } | E::Parameters { .. } | E::Aliased { .. } | E::Grid { .. } => {
                OUR_FAULT
            }
        }
    }
}

/// Memory and kernels of one device. A buffer is a run of 32-bit words (f32, u32, or packed integers), as in WGSL.
#[allow(async_fn_in_trait)] // used through generics in one thread; no `Send` bound is wanted
pub trait Backend {
    /// A handle; clones share the memory.
    type Buffer: Clone;

    /// Short name for the status line and for reports: `cpu`, `webgpu`.
    fn name(&self) -> &'static str;

    /// Whether weight matrices all of whose values are halves (as those of an f16 checkpoint are) are kept as halves here, for
    /// [`kernels::MatmulPacked`] of 16 bits: half the memory and the same values, so that an f32 run stays one.
    fn halves(&self) -> bool {
        false
    }

    /// Rows that go through a layer together best: enough for long matrices, and not so many that what one step writes has
    /// left the cache before the next reads it.
    fn rows_together(&self) -> usize;

    /// Whether a product first lays packed weights out as f32, which costs it time; else they are read as they lie.
    fn unpacks(&self) -> bool {
        false
    }

    /// The same buffers with fused products: faster, and not exact; none where they cannot be had.
    fn fused(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Fails if tensors of so many bytes together, the largest of them so large, will not fit. Asked before they are sent.
    async fn reserve(&self, _bytes: u64, _largest: u64) -> Result<(), BackendError> {
        Ok(())
    }

    /// Hands over what was dispatched, so that the room of buffers that were let go can be used again.
    fn flush(&self) {}

    /// A new buffer that holds `words`.
    fn upload(&self, words: &[u32]) -> Result<Self::Buffer, BackendError>;

    /// A new buffer of zeros.
    fn alloc(&self, words: usize) -> Result<Self::Buffer, BackendError>;

    /// Copies `words` words between buffers, after everything dispatched before.
    ///
    /// # Panics
    /// If either does not hold them, or both are one.
    fn copy(&self, from: &Self::Buffer, first: usize, to: &Self::Buffer, place: usize, words: usize);

    /// Runs a kernel on buffers in the order of its row in the table.
    fn dispatch_row(&self, row: &'static Row, params: &[u32], bindings: &[&Self::Buffer]) -> Result<(), BackendError>;

    /// [`Backend::dispatch_row`] of the kernel that `P` names.
    fn dispatch<P: Params>(&self, params: &P, bindings: &[&Self::Buffer]) -> Result<(), BackendError> {
        self.dispatch_row(P::ROW, bytemuck::cast_slice(std::slice::from_ref(params)), bindings)
    }

    /// The words of a buffer, once everything dispatched before has been done.
    async fn read(&self, buffer: &Self::Buffer) -> Result<Vec<u32>, BackendError>;

    /// [`Backend::upload`] of floats.
    fn upload_f32(&self, values: &[f32]) -> Result<Self::Buffer, BackendError> {
        self.upload(bytemuck::cast_slice(values))
    }

    /// [`Backend::upload_f32`] of a weight matrix (k, n), or (n, k) where it is transposed, laid out as products read it best.
    /// For weights of [`kernels::Matmul`] and [`kernels::Loss`] and tokens of [`kernels::Embed`] only; [`Backend::read`] gives its
    /// values in their own order.
    fn upload_matrix(&self, values: &[f32], _: Stored) -> Result<Self::Buffer, BackendError> {
        self.upload_f32(values)
    }

    /// [`Backend::read`] as floats.
    async fn read_f32(&self, buffer: &Self::Buffer) -> Result<Vec<f32>, BackendError> {
        Ok(self.read(buffer).await?.into_iter().map(f32::from_bits).collect())
    }
}
