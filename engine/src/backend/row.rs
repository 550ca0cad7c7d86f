//! What a row of the table of kernels says.

use bytemuck::Pod;

use super::kernels::Given;
use super::{Backend, BackendError};

/// How a kernel uses a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    Write,
}

/// What the words of a buffer are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 32-bit floats.
    F32,
    /// 32-bit unsigned integers, or packed smaller ones.
    U32,
}

/// One buffer of a kernel, at the binding number that is its place in the row (the parameters come last, as a uniform).
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// Its name in the WGSL file.
    pub name: &'static str,
    /// Read or written.
    pub access: Access,
    /// Type of its words.
    pub element: Element,
}

/// An entry point of a shader.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Invocations of one workgroup.
    pub lanes: u32,
}

/// One step of a kernel: an entry point that is run, or one of several that do the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The best on hardware first; the last is one that every device runs.
    pub ways: Vec<Way>,
    /// Values of the shader's `override`s.
    pub constants: Vec<(&'static str, u32)>,
    /// The part of one buffer that this launch reads; of all others it has the whole.
    pub window: Option<Window>,
}

/// Words of a buffer that a launch has before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Place in [`Row::bindings`].
    pub binding: usize,
    /// Where it begins, in words; a multiple of [`WINDOW_STEP`].
    pub first: usize,
    /// How many words it has.
    pub words: usize,
    /// First line of the tensor that it shows.
    pub from: u32,
    /// Where its lines end; [`u32::MAX`] for the last window.
    pub to: u32,
}

/// Every device lets a window begin at multiples of so many words (256 bytes).
pub const WINDOW_STEP: usize = 64;

/// A run of an entry point; none where one of the numbers of workgroups is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Place in [`Row::entries`].
    pub entry: usize,
    /// Workgroups along x, y and z.
    pub groups: [u32; 3],
    /// Its lanes wait for each other time and again.
    pub waits: bool,
}

impl Way {
    /// Lanes that need not wait, or not often.
    pub fn of(entry: usize, groups: [u32; 3]) -> Way {
        Way { entry, groups, waits: false }
    }
}

impl Launch {
    /// Of everything it is given, with nothing to be set in the shader.
    pub fn of(ways: Vec<Way>) -> Launch {
        Launch { ways, constants: Vec::new(), window: None }
    }
}

/// Where values that several lanes need are kept on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// In workgroup memory, between barriers: fastest on hardware.
    Workgroup,
    /// In the caches: a device in software runs the lanes of a workgroup in turns, and every barrier is a change of turn.
    Cache,
}

/// Workgroups along one dimension that every device allows.
pub const MOST_GROUPS: u32 = 65_535;

/// One row of the table.
pub struct Row {
    /// `kernels/<stem>.rs` and `shaders/<stem>.wgsl`.
    pub stem: &'static str,
    /// Buffers in order.
    pub bindings: &'static [Binding],
    /// How many 32-bit words the parameters take.
    pub params: usize,
    /// Their names and types, in order.
    pub fields: &'static [(&'static str, Element)],
    /// Entry points of the shader, in order.
    pub entries: &'static [Entry],
    /// So many of them, from the first, a device must be able to run; the others are better where they fit.
    pub least: usize,
    /// How the shader is run for these parameters where a binding may have `room` words: one launch after another.
    pub launches: fn(params: &[u32], room: usize) -> Vec<Launch>,
    /// Words of memory that the shader wants beside the buffers, as its last binding, `scratch`; 0 where it has none.
    pub scratch: fn(params: &[u32]) -> usize,
    /// Words that binding number `i` must hold at least for these parameters; `usize::MAX` if they cannot be counted.
    pub needed: fn(params: &[u32], i: usize) -> usize,
    /// What the parameters break, if anything: the sentence says what they must be.
    pub fault: fn(params: &[u32]) -> Option<&'static str>,
    /// The CPU twin.
    pub cpu: fn(params: &[u32], given: &mut Given<'_>),
    /// What a device must get right before it is trusted with more. It compiles the pipelines that a model of the usual shapes
    /// will need.
    pub checks: fn() -> Vec<Check>,
}

/// A small case of a kernel; its buffers are as long as its parameters need.
pub struct Check {
    /// As words.
    pub params: Vec<u32>,
    /// What each buffer holds.
    pub buffers: Vec<Fill>,
}

/// What a buffer of a [`Check`] holds; none of it repeats anywhere.
#[derive(Debug, Clone, Copy)]
pub enum Fill {
    /// Values in ±1.
    Values,
    /// Values in (0, 1].
    Shares,
    /// Small whole numbers below a bound.
    Below(u32),
    /// Any words.
    Words,
    /// Halves below 2 in size, two to a word, subnormal ones among them.
    Halves,
    /// Nothing yet.
    Zeros,
}

impl Check {
    /// Of these parameters.
    pub fn of<P: Params>(params: P, buffers: impl Into<Vec<Fill>>) -> Check {
        Check { params: bytemuck::cast_slice(&[params]).to_vec(), buffers: buffers.into() }
    }

    /// The words of each buffer of a kernel.
    pub fn words(&self, row: &Row) -> Vec<Vec<u32>> {
        let mut next = 1_u32;
        let mut word = || {
            next = next.wrapping_add(GOLDEN);
            next ^ next >> 15
        };
        let mut fill = |fill: Fill| match fill {
            Fill::Values => (word() as i32 as f32 / 2_147_483_648.0).to_bits(),
            Fill::Shares => ((word() as f32 + 1.0) / 4_294_967_296.0).to_bits(),
            Fill::Below(bound) => word() % bound,
            Fill::Words => word(),
            Fill::Halves => word() & 0xbfff_bfff,
            Fill::Zeros => 0,
        };
        let buffers = self.buffers.iter().enumerate();
        buffers.map(|(i, of)| (0..(row.needed)(&self.params, i)).map(|_| fill(*of)).collect()).collect()
    }
}

/// Golden ratio's fraction as a word: its multiples repeat nowhere and fill the range evenly.
const GOLDEN: u32 = 0x9e37_79b9;

impl Row {
    /// Place of the binding that the kernel writes.
    pub fn written(&self) -> usize {
        self.bindings.iter().position(|binding| binding.access == Access::Write).unwrap_or_default()
    }

    /// Runs the kernel on buffers of these words; gives those that it writes.
    pub async fn run<B: Backend>(
        &'static self,
        backend: &B,
        params: &[u32],
        buffers: &[Vec<u32>],
    ) -> Result<Vec<u32>, BackendError> {
        let buffers = buffers.iter().map(|words| backend.upload(words)).collect::<Result<Vec<_>, _>>()?;
        backend.dispatch_row(self, params, &buffers.iter().collect::<Vec<_>>())?;
        backend.read(&buffers[self.written()]).await
    }

    /// Checks a dispatch before it touches memory: the number of buffers, the parameters, and the length of each buffer.
    pub fn check(&self, params: &[u32], given: usize, words: impl Fn(usize) -> usize) -> Result<(), BackendError> {
        let kernel = self.stem;
        if given != self.bindings.len() {
            return Err(BackendError::Bindings { kernel, expected: self.bindings.len(), given });
        }
        if let Some(rule) = (self.fault)(params) {
            return Err(BackendError::Parameters { kernel, rule });
        }
        for (i, binding) in self.bindings.iter().enumerate() {
            let (given, needed) = (words(i), (self.needed)(params, i));
            if given < needed {
                return Err(BackendError::Short { kernel, binding: binding.name, given, needed });
            }
        }
        Ok(())
    }
}

/// Parameters of one kernel: plain words, laid out as the WGSL uniform.
pub trait Params: Pod {
    /// The kernel's row.
    const ROW: &'static Row;
}
