//! From nothing to a device with compiled kernels.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ::wgpu::{
    Adapter, Backends, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, BufferSize, ComputePipeline, ComputePipelineDescriptor, Device, DeviceDescriptor, DeviceType,
    ErrorFilter, Instance, InstanceDescriptor, InstanceFlags, Limits, PipelineLayoutDescriptor, PowerPreference, Queue,
    RequestAdapterOptions, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::backend::BackendError;
use crate::backend::shaders::{SHADERS, Shader};
use crate::backend::table::{Access, MOST_GROUPS, Row, TABLE};

/// What the adapter says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterSummary {
    /// Its name, as far as the browser tells it.
    pub name: String,
    /// It computes on the CPU.
    pub software: bool,
}

/// A kernel ready to run.
pub struct Kernel {
    /// Buffers in order, then the parameters.
    pub layout: BindGroupLayout,
    /// One per entry point.
    pub pipelines: Vec<ComputePipeline>,
}

/// The best adapter that there is.
pub async fn adapter() -> Result<Adapter, BackendError> {
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::VULKAN | Backends::BROWSER_WEBGPU,
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    });
    let options = RequestAdapterOptions {
        power_preference: PowerPreference::HighPerformance,
        ..RequestAdapterOptions::default()
    };
    let adapter = instance.request_adapter(&options).await;
    adapter.map_err(|fault| BackendError::NoAdapter { reason: fault.to_string() })
}

/// What an adapter says of itself.
pub fn summary(adapter: &Adapter) -> AdapterSummary {
    let info = adapter.get_info();
    let name = [&info.name, &info.driver].into_iter().find(|name| !name.is_empty());
    AdapterSummary { name: name.cloned().unwrap_or_default(), software: info.device_type == DeviceType::Cpu }
}

/// A device with the largest buffers that the adapter allows; all other limits stay at WebGPU's defaults, which the kernels
/// keep to.
pub async fn device(adapter: &Adapter) -> Result<(Device, Queue), BackendError> {
    let offered = adapter.limits();
    fits(&offered)?;
    let required_limits = Limits {
        max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
        max_buffer_size: offered.max_buffer_size,
        ..Limits::default()
    };
    let descriptor = DeviceDescriptor { label: Some("fairbits"), required_limits, ..DeviceDescriptor::default() };
    adapter.request_device(&descriptor).await.map_err(|fault| BackendError::NoDevice { reason: fault.to_string() })
}

/// Says what the kernels need and the device does not allow.
fn fits(offered: &Limits) -> Result<(), BackendError> {
    let most = |of: fn(&Shader) -> u32| SHADERS.iter().map(of).max().unwrap_or(0);
    for (what, needed, given) in [
        (
            "invocations per workgroup",
            most(|shader| shader.entries.iter().map(|entry| entry.lanes).max().unwrap_or(0)),
            offered.max_compute_invocations_per_workgroup.min(offered.max_compute_workgroup_size_x),
        ),
        (
            "bytes of workgroup memory",
            most(|shader| shader.memory.iter().copied().max().unwrap_or(0)),
            offered.max_compute_workgroup_storage_size,
        ),
        (
            "storage buffers per kernel",
            most(|shader| shader.bindings.len() as u32),
            offered.max_storage_buffers_per_shader_stage,
        ),
        ("workgroups along one dimension", MOST_GROUPS, offered.max_compute_workgroups_per_dimension),
    ] {
        if needed > given {
            return Err(BackendError::Unfit { what, needed, given });
        }
    }
    Ok(())
}

/// Compiles every kernel once. `source` may change the text of a shader; `progress` hears how many of how many are done.
pub async fn compile(
    device: &Device,
    source: impl Fn(&'static Shader) -> Cow<'static, str>,
    mut progress: impl FnMut(usize, usize),
) -> Result<BTreeMap<&'static str, Kernel>, BackendError> {
    let mut kernels = BTreeMap::new();
    for (done, row) in TABLE.iter().enumerate() {
        progress(done, TABLE.len());
        let scope = device.push_error_scope(ErrorFilter::Validation);
        let kernel = kernel(device, row, source(Shader::of(row.stem)));
        if let Some(fault) = scope.pop().await {
            return Err(BackendError::Shader { kernel: row.stem, fault: fault.to_string() });
        }
        kernels.insert(row.stem, kernel);
    }
    progress(TABLE.len(), TABLE.len());
    Ok(kernels)
}

fn kernel(device: &Device, row: &Row, source: Cow<'static, str>) -> Kernel {
    let label = Some(row.stem);
    let module = device.create_shader_module(ShaderModuleDescriptor { label, source: ShaderSource::Wgsl(source) });
    let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor { label, entries: &layout_entries(row) });
    let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label,
        bind_group_layouts: &[Some(&layout)],
        ..PipelineLayoutDescriptor::default()
    });
    let pipeline = |name| {
        device.create_compute_pipeline(&ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(name),
            compilation_options: Default::default(),
            cache: None,
        })
    };
    let pipelines = row.entries.iter().map(|entry| pipeline(entry.name)).collect();
    Kernel { layout, pipelines }
}

fn layout_entries(row: &Row) -> Vec<BindGroupLayoutEntry> {
    let storage = row.bindings.iter().map(|binding| BindingType::Buffer {
        ty: BufferBindingType::Storage { read_only: binding.access == Access::Read },
        has_dynamic_offset: false,
        min_binding_size: None,
    });
    let uniform = BindingType::Buffer {
        ty: BufferBindingType::Uniform,
        has_dynamic_offset: true,
        min_binding_size: BufferSize::new(4 * row.params as u64),
    };
    let entry = |(binding, ty)| BindGroupLayoutEntry { binding, visibility: ShaderStages::COMPUTE, ty, count: None };
    (0..).zip(storage.chain([uniform])).map(entry).collect()
}
