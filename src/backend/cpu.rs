//! The CPU backend: buffers in this program's memory, kernels run when they are dispatched.

use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

use super::kernels::{Given, Products, Slot, fused::Fused};
use super::table::{Access, Params};
use super::{Backend, BackendError};

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
pub struct CpuBuffer(Rc<RefCell<Vec<u32>>>);

impl CpuBuffer {
    /// Its words as floats, at once: here nothing has to be waited for.
    pub fn to_f32(&self) -> Vec<f32> {
        self.0.borrow().iter().copied().map(f32::from_bits).collect()
    }
}

/// A borrow that lasts as long as its kernel runs.
enum Held<'a> {
    Read(Ref<'a, Vec<u32>>),
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
        Ok(CpuBuffer(Rc::new(RefCell::new(words.to_vec()))))
    }

    fn alloc(&self, words: usize) -> Result<CpuBuffer, BackendError> {
        Ok(CpuBuffer(Rc::new(RefCell::new(vec![0; words]))))
    }

    fn copy(&self, from: &CpuBuffer, first: usize, to: &CpuBuffer, place: usize, words: usize) {
        to.0.borrow_mut()[place..][..words].copy_from_slice(&from.0.borrow()[first..][..words]);
    }

    fn dispatch<P: Params>(&self, params: &P, bindings: &[&CpuBuffer]) -> Result<(), BackendError> {
        let row = P::ROW;
        let params: &[u32] = bytemuck::cast_slice(std::slice::from_ref(params));
        row.check(params, bindings.len(), |i| bindings[i].0.borrow().len())?;
        let mut held = Vec::with_capacity(bindings.len());
        for (binding, buffer) in row.bindings.iter().zip(bindings) {
            // Only bindings of this dispatch are borrowed, so a refusal means that one is bound twice.
            let borrow = match binding.access {
                Access::Read => buffer.0.try_borrow().ok().map(Held::Read),
                Access::Write => buffer.0.try_borrow_mut().ok().map(Held::Write),
            };
            held.push(borrow.ok_or(BackendError::Aliased { kernel: row.stem, binding: binding.name })?);
        }
        let slot = |held| match held {
            &mut Held::Read(ref words) => Slot::Read(words),
            Held::Write(words) => Slot::Write(words),
        };
        let slots = held.iter_mut().map(slot).collect();
        (row.cpu)(params, &mut Given { slots, products: self.products });
        Ok(())
    }

    async fn read(&self, buffer: &CpuBuffer) -> Result<Vec<u32>, BackendError> {
        Ok(buffer.0.borrow().clone())
    }
}
