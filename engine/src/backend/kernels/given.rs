//! What a kernel's CPU twin is given.

use super::{fused, strips};

/// A buffer as a kernel sees it.
pub enum Slot<'a> {
    /// Bound to read.
    Read(&'a [u32]),
    /// A matrix that lies in strips, bound to read.
    Laid(&'a [u32]),
    /// Bound to write.
    Write(&'a mut [u32]),
}

impl Slot<'_> {
    /// Its words.
    ///
    /// # Panics
    /// If they lie in strips: such a matrix is for kernels that ask for `Slot::laid` first.
    pub fn words(&self) -> &[u32] {
        match self {
            Slot::Read(words) => words,
            Slot::Laid(_) => panic!("a kernel that reads rows was given a matrix in strips"),
            Slot::Write(words) => words,
        }
    }

    /// Its words as floats.
    pub fn floats(&self) -> &[f32] {
        bytemuck::cast_slice(self.words())
    }

    /// The matrix (k, n) that lies in strips here, where one does.
    pub(crate) fn laid(&self, shape: [usize; 2]) -> Option<strips::Laid<'_>> {
        match self {
            Slot::Laid(words) => Some(strips::Laid::new(words, shape)),
            Slot::Read(_) | Slot::Write(_) => None,
        }
    }

    /// Its words, to write.
    ///
    /// # Panics
    /// If the buffer was bound to read: a row of the table would contradict its kernel.
    pub fn words_mut(&mut self) -> &mut [u32] {
        match self {
            Slot::Read(_) | Slot::Laid(_) => panic!("a kernel writes to a buffer that the table says it reads"),
            Slot::Write(words) => words,
        }
    }

    /// Its words as floats, to write.
    pub fn floats_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(self.words_mut())
    }
}

/// How a product of matrices is summed.
#[derive(Debug, Clone, Copy, Default)]
pub enum Products {
    /// Each product is rounded before it is added: exact mode.
    #[default]
    Exact,
    /// A product is added before anything is rounded, where the processor does so in one step.
    Fused(fused::Fused),
}

/// What a kernel is given.
pub struct Given<'a> {
    /// Its buffers, in the order of its row.
    pub slots: Vec<Slot<'a>>,
    /// How it sums products of matrices.
    pub products: Products,
}

impl<'a> Given<'a> {
    /// The slots by number.
    ///
    /// # Panics
    /// If there are not `N`: a backend checks that before.
    pub(crate) fn bound<const N: usize>(&mut self) -> &mut [Slot<'a>; N] {
        let given = self.slots.len();
        self.slots.as_mut_slice().try_into().unwrap_or_else(|_| panic!("expected {N} slots, got {given}"))
    }
}
