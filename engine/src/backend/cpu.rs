//! The CPU backend: buffers in this program's memory, kernels run when they are dispatched.

use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

use super::kernels::{Given, Products, Slot, fused::Fused};
use super::row::{Access, Row};
use super::{Backend, BackendError, Stored};

/// This processor. How it sums products is all that can be chosen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu {
    products: Products,
}

/// Exact mode, the usual one: the same bits natively and in every browser.
#[expect(non_upper_case_globals, reason = "where nothing is said of products, the processor is this one")]
pub const Cpu: Cpu = Cpu { products: Products::Exact };

/// What a report calls products that are fused; see [`Backend::fused`].
pub const FUSED: &str = "fused";

/// Whether a backend of this name is the processor.
pub fn is_cpu(name: &str) -> bool {
    [Cpu.name(), FUSED].contains(&name)
}

/// Words shared by the clones of one handle.
#[derive(Debug, Clone)]
pub struct CpuBuffer {
    words: Rc<RefCell<Vec<u32>>>,
    /// They are a matrix in strips, stored like this before.
    laid: Option<Stored>,
}

impl CpuBuffer {
    fn new(words: Vec<u32>, laid: Option<Stored>) -> CpuBuffer {
        CpuBuffer { words: Rc::new(RefCell::new(words)), laid }
    }

    /// Its words in their own order, at once: here nothing has to be waited for.
    fn to_words(&self) -> Vec<u32> {
        let words = self.words.borrow();
        self.laid.map_or_else(|| words.clone(), |stored| stored.take_up(&words))
    }

    /// The same as floats.
    pub fn to_f32(&self) -> Vec<f32> {
        self.to_words().into_iter().map(f32::from_bits).collect()
    }
}

/// A borrow that lasts as long as its kernel runs.
enum Held<'a> {
    Read(Ref<'a, Vec<u32>>),
    Laid(Ref<'a, Vec<u32>>),
    Write(RefMut<'a, Vec<u32>>),
}

impl Cpu {
    /// Exact mode.
    pub fn new() -> Cpu {
        Cpu
    }
}

impl Backend for Cpu {
    type Buffer = CpuBuffer;

    fn name(&self) -> &'static str {
        match self.products {
            Products::Exact => "cpu",
            Products::Fused(_) => FUSED,
        }
    }

    /// 256 rows of a narrow model stay in the second cache; 2,048 took a sixth longer.
    fn rows_together(&self) -> usize {
        256
    }

    fn unpacks(&self) -> bool {
        true
    }

    fn fused(&self) -> Option<Cpu> {
        Fused::here().map(|fused| Cpu { products: Products::Fused(fused) })
    }

    fn upload(&self, words: &[u32]) -> Result<CpuBuffer, BackendError> {
        Ok(CpuBuffer::new(words.to_vec(), None))
    }

    fn upload_matrix(&self, values: &[f32], stored: Stored) -> Result<CpuBuffer, BackendError> {
        Ok(CpuBuffer::new(stored.lay_out(values), Some(stored)))
    }

    fn alloc(&self, words: usize) -> Result<CpuBuffer, BackendError> {
        Ok(CpuBuffer::new(vec![0; words], None))
    }

    fn copy(&self, from: &CpuBuffer, first: usize, to: &CpuBuffer, place: usize, words: usize) {
        assert!(from.laid.is_none() && to.laid.is_none(), "words of a matrix in strips have no place of their own");
        to.words.borrow_mut()[place..][..words].copy_from_slice(&from.words.borrow()[first..][..words]);
    }

    fn dispatch_row(&self, row: &'static Row, params: &[u32], bindings: &[&CpuBuffer]) -> Result<(), BackendError> {
        row.check(params, bindings.len(), |i| bindings[i].words.borrow().len())?;
        let mut held = Vec::with_capacity(bindings.len());
        for (binding, buffer) in row.bindings.iter().zip(bindings) {
            // Only bindings of this dispatch are borrowed, so a refusal means that one is bound twice.
            let borrow = match binding.access {
                Access::Read if buffer.laid.is_some() => buffer.words.try_borrow().ok().map(Held::Laid),
                Access::Read => buffer.words.try_borrow().ok().map(Held::Read),
                Access::Write => buffer.words.try_borrow_mut().ok().map(Held::Write),
            };
            held.push(borrow.ok_or(BackendError::Aliased { kernel: row.stem, binding: binding.name })?);
        }
        let slot = |held| match held {
            &mut Held::Read(ref words) => Slot::Read(words),
            &mut Held::Laid(ref words) => Slot::Laid(words),
            Held::Write(words) => Slot::Write(words),
        };
        let slots = held.iter_mut().map(slot).collect();
        (row.cpu)(params, &mut Given { slots, products: self.products });
        Ok(())
    }

    async fn read(&self, buffer: &CpuBuffer) -> Result<Vec<u32>, BackendError> {
        Ok(buffer.to_words())
    }
}
