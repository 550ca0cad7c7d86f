//! What a workgroup may be on a device, and which way of a launch fits there.

use ::wgpu::Limits;

use crate::backend::BackendError;
use crate::backend::kernels::{Launch, MOST_GROUPS, Row, TABLE, Way};
use crate::backend::row::Reuse;
use crate::backend::shaders::Shader;

/// Size of a workgroup: what an entry point needs, or what a device allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workgroup {
    /// Invocations.
    pub lanes: u32,
    /// Bytes of the memory that they share.
    pub memory: u32,
}

impl Workgroup {
    /// What limits allow.
    pub fn within(limits: &Limits) -> Workgroup {
        Workgroup {
            lanes: limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x),
            memory: limits.max_compute_workgroup_storage_size,
        }
    }

    /// What both allow.
    pub fn and(self, other: Workgroup) -> Workgroup {
        Workgroup { lanes: self.lanes.min(other.lanes), memory: self.memory.min(other.memory) }
    }

    /// Fails if an entry point of a kernel needs more.
    fn holds(self, row: &Row, entry: usize) -> Result<(), BackendError> {
        let needs = Workgroup { lanes: row.entries[entry].lanes, memory: Shader::of(row.stem).memory[entry] };
        allowed(row, "invocations per workgroup", needs.lanes, self.lanes)?;
        allowed(row, "bytes of workgroup memory", needs.memory, self.memory)
    }

    /// The best of the ways that fit. Where values are reused through the caches, those come first whose lanes do not wait for
    /// each other.
    pub fn pick(self, row: &Row, launch: &Launch, reuse: Reuse) -> Way {
        let fitting = launch.ways.iter().filter(|way| self.holds(row, way.entry).is_ok());
        let best = fitting.min_by_key(|way| way.waits && reuse == Reuse::Cache);
        *best.expect("a device that does not run the last way is refused")
    }
}

/// Fails if a kernel has no way that fits.
pub fn every_kernel(limits: &Limits, workgroup: Workgroup) -> Result<(), BackendError> {
    for row in TABLE {
        (0..row.least).try_for_each(|entry| workgroup.holds(row, entry))?;
        let buffers = Shader::of(row.stem).bindings.len() as u32;
        allowed(row, "storage buffers", buffers, limits.max_storage_buffers_per_shader_stage)?;
        allowed(row, "workgroups along one dimension", MOST_GROUPS, limits.max_compute_workgroups_per_dimension)?;
    }
    Ok(())
}

fn allowed(row: &Row, what: &'static str, needed: u32, given: u32) -> Result<(), BackendError> {
    if needed > given {
        return Err(BackendError::Unfit { kernel: row.stem, what, needed, given });
    }
    Ok(())
}
