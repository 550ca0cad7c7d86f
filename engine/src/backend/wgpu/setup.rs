//! From nothing to a device with compiled kernels.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

use ::wgpu::{
    Adapter, Backends, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, BufferSize, ComputePipeline, ComputePipelineDescriptor, Device, DeviceDescriptor, DeviceType,
    ErrorFilter, Features, Instance, InstanceDescriptor, InstanceFlags, Limits, PipelineCompilationOptions,
    PipelineLayout, PipelineLayoutDescriptor, PowerPreference, Queue, RequestAdapterOptions, ShaderModule,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use super::fit::{self, Workgroup};
use crate::backend::BackendError;
use crate::backend::kernels::{Access, Launch, Row, TABLE};
use crate::backend::row::Reuse;
use crate::backend::shaders::Shader;

/// Browsers keep most names to themselves.
const UNNAMED: &str = "the browser's adapter";

/// What the adapter says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterSummary {
    /// Its name, as far as the browser tells it.
    pub name: String,
    /// It computes on the CPU.
    pub software: bool,
}

/// How a device is opened; tests ask for what is not usual.
pub struct Options<'a> {
    /// Text of each shader, from its stem and its text.
    pub source: &'a dyn Fn(&'static str, &'static str) -> Cow<'static, str>,
    /// Reduce with subgroups, where the device has them; none to choose by the adapter.
    pub subgroups: Option<bool>,
    /// None to choose by the adapter.
    pub reuse: Option<Reuse>,
    /// Time every dispatch, where the device can.
    pub profile: bool,
    /// Bytes that buffers may take together, if less than the device has.
    pub memory: Option<u64>,
    /// Keep matrices of halves as halves; none to choose by the adapter.
    pub halves: Option<bool>,
    /// Bytes that a binding may have, if less than the device allows.
    pub binding: Option<u64>,
    /// What a workgroup may be, if less than the device allows.
    pub workgroup: Option<Workgroup>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        let source = &|_: &'static str, text: &'static str| Cow::Borrowed(text);
        let (reuse, memory, binding) = (None, None, None);
        Options { source, subgroups: None, reuse, profile: false, halves: None, memory, binding, workgroup: None }
    }
}

type Variant = (usize, Vec<(&'static str, u32)>);

/// A kernel's shader, and its entry points as far as they were run.
pub struct Kernel {
    module: ShaderModule,
    /// Buffers in order, then the parameters.
    pub layout: BindGroupLayout,
    pipeline_layout: PipelineLayout,
    /// By entry point and constants.
    pipelines: RefCell<BTreeMap<Variant, ComputePipeline>>,
}

impl Kernel {
    /// The pipeline of an entry point with certain constants, compiled when it is first asked for.
    pub fn pipeline(&self, device: &Device, row: &Row, entry: usize, launch: &Launch) -> ComputePipeline {
        let key = (entry, launch.constants.clone());
        let make = || {
            let constants: Vec<_> = launch.constants.iter().map(|(name, value)| (*name, f64::from(*value))).collect();
            device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(row.stem),
                layout: Some(&self.pipeline_layout),
                module: &self.module,
                entry_point: Some(row.entries[entry].name),
                compilation_options: PipelineCompilationOptions {
                    constants: &constants,
                    ..PipelineCompilationOptions::default()
                },
                cache: None,
            })
        };
        self.pipelines.borrow_mut().entry(key).or_insert_with(make).clone()
    }
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
    // In a browser the fault lists drivers that have no place there.
    let reason =
        |fault: String| if cfg!(target_arch = "wasm32") { "the browser offers none".to_string() } else { fault };
    adapter.map_err(|fault| BackendError::NoAdapter { reason: reason(fault.to_string()) })
}

/// What an adapter says of itself.
pub fn summary(adapter: &Adapter) -> AdapterSummary {
    let info = adapter.get_info();
    let name = [&info.name, &info.driver].into_iter().find(|name| !name.is_empty());
    AdapterSummary {
        name: name.cloned().unwrap_or_else(|| UNNAMED.to_string()),
        software: info.device_type == DeviceType::Cpu,
    }
}

/// What a workgroup may be on a device of an adapter: WebGPU's defaults, which the kernels keep to, or less.
pub fn workgroup(adapter: &Adapter, options: &Options<'_>) -> Workgroup {
    let usual = Workgroup::within(&Limits::default()).and(Workgroup::within(&adapter.limits()));
    options.workgroup.map_or(usual, |workgroup| usual.and(workgroup))
}

/// A device with the largest buffers that the adapter allows and such workgroups; all other limits stay at WebGPU's defaults.
///
/// Subgroups are for hardware, where they spare exchanges between lanes; in software they are loops like any other. wgpu 30 does
/// not offer them in a browser, so there the portable way is taken.
pub async fn device(
    adapter: &Adapter,
    workgroup: Workgroup,
    options: &Options<'_>,
) -> Result<(Device, Queue), BackendError> {
    let (offered, usual) = (adapter.limits(), Limits::default());
    fit::every_kernel(&offered, workgroup)?;
    let required_limits = Limits {
        max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
        max_buffer_size: offered.max_buffer_size,
        max_compute_workgroup_storage_size: workgroup.memory,
        max_compute_invocations_per_workgroup: workgroup.lanes,
        // Workgroups are lines along x.
        max_compute_workgroup_size_x: workgroup.lanes,
        max_compute_workgroup_size_y: usual.max_compute_workgroup_size_y.min(offered.max_compute_workgroup_size_y),
        max_compute_workgroup_size_z: usual.max_compute_workgroup_size_z.min(offered.max_compute_workgroup_size_z),
        ..usual
    };
    let subgroups = options.subgroups.unwrap_or(!summary(adapter).software);
    let asked = |feature: Features, asked: bool| if asked { feature } else { Features::empty() };
    let wanted = asked(Features::TIMESTAMP_QUERY, options.profile) | asked(Features::SUBGROUP, subgroups);
    let descriptor = DeviceDescriptor {
        label: Some("fairbits"),
        required_features: adapter.features() & wanted,
        required_limits,
        ..DeviceDescriptor::default()
    };
    adapter.request_device(&descriptor).await.map_err(|fault| BackendError::NoDevice { reason: fault.to_string() })
}

/// Reads every shader once; `progress` hears how many of how many are done.
pub async fn compile(
    device: &Device,
    options: &Options<'_>,
    progress: &mut impl FnMut(usize, usize),
) -> Result<BTreeMap<&'static str, Kernel>, BackendError> {
    let mut kernels = BTreeMap::new();
    for (done, row) in TABLE.iter().enumerate() {
        progress(done, TABLE.len());
        let scope = device.push_error_scope(ErrorFilter::Validation);
        let shader = Shader::of(row.stem);
        let subgroups = shader.with_subgroups.filter(|_| device.features().contains(Features::SUBGROUP));
        let kernel = kernel(device, row, (options.source)(row.stem, subgroups.unwrap_or(shader.source)));
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
    Kernel { module, layout, pipeline_layout, pipelines: RefCell::default() }
}

fn layout_entries(row: &Row) -> Vec<BindGroupLayoutEntry> {
    // The shader's list, not the row's: it may have a scratch buffer at its end.
    let storage = Shader::of(row.stem).bindings.iter().map(|binding| BindingType::Buffer {
        ty: BufferBindingType::Storage { read_only: binding.access == Access::Read },
        has_dynamic_offset: false,
        min_binding_size: None,
    });
    let uniform = BindingType::Buffer {
        ty: BufferBindingType::Uniform,
        has_dynamic_offset: true,
        min_binding_size: BufferSize::new(4 * Shader::of(row.stem).words() as u64),
    };
    let entry = |(binding, ty)| BindGroupLayoutEntry { binding, visibility: ShaderStages::COMPUTE, ty, count: None };
    (0..).zip(storage.chain([uniform])).map(entry).collect()
}
