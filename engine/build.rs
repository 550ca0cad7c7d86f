//! Reads `shaders/*.wgsl`: puts the parts together, validates each shader, and writes down what naga finds in it, so that
//! `backend::shaders` can hold the table of kernels against it at compile time.

use std::{
    collections::BTreeMap,
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use naga::{
    AddressSpace, ArraySize, Expression, Literal, Module, Scalar, ScalarKind, StorageAccess, TypeInner,
    valid::{Capabilities, ModuleInfo, ValidationFlags, Validator},
};

/// Seen from the package, and from the bench of the kernels, which compiles the backend into a package of its own.
const SHADERS: [&str; 2] = ["../shaders", "../../shaders"];
/// In front of every shader.
const PRELUDE: &str = "prelude";
/// A first line `// with a, b` asks for further parts.
const WITH: &str = "// with ";
/// A shader with the first part has a second text with the other instead, for devices with subgroups.
const LANES: &str = "lanes";
const SUBGROUPS: &str = "subgroups";
/// Last fields of the parameters of a shader that sees its largest buffer through windows, as [`resources`] writes them.
const WINDOW: &str = r#"("first", Element::U32), ("low", Element::U32), ("high", Element::U32), "#;

fn is(name: &str, value: &str) -> bool {
    env::var(name).is_ok_and(|own| own == value)
}

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the package is"));
    let folder =
        SHADERS.iter().map(|place| package.join(place)).find(|place| place.is_dir()).expect("shaders/ is there");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rustc-check-cfg=cfg(kernels_only)");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    if is("CARGO_PKG_NAME", "kernel-bench") {
        // The bench has the exact CPU kernels alone, and no GPU library.
        println!("cargo::rustc-cfg=kernels_only");
    } else if is("CARGO_CFG_TARGET_ARCH", "wasm32") {
        fused_tile(&package, &out);
    }
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&folder).expect("shaders/ can be listed") {
        let path = entry.expect("shaders/ can be listed").path();
        let stem = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        files.insert(stem, fs::read_to_string(&path).expect("a shader is text"));
    }
    let mut table = String::from("&[\n");
    for (stem, text) in &files {
        if is_part(stem, &files) {
            continue;
        }
        let parts = text.lines().next().and_then(|line| line.strip_prefix(WITH)).unwrap_or_default();
        let parts = || [PRELUDE].into_iter().chain(parts.split(", ").filter(|part| !part.is_empty()));
        let joined = |lanes: &str| -> String {
            let part = |part: &str| files[if part == LANES { lanes } else { part }].as_str();
            parts().map(part).chain([text.as_str()]).collect()
        };
        let source = joined(LANES);
        fs::write(out.join(format!("{stem}.wgsl")), &source).expect("OUT_DIR can be written");
        let second = parts().any(|part| part == LANES).then(|| joined(SUBGROUPS));
        if let Some(second) = &second {
            fs::write(out.join(format!("{stem}.{SUBGROUPS}.wgsl")), second).expect("OUT_DIR can be written");
        }
        table += &describe(stem, &source, second.as_deref());
    }
    table += "]\n";
    fs::write(out.join("shaders.rs"), table).expect("OUT_DIR can be written");
}

/// Compiles the fused tile to a wasm module that has instructions which not every browser takes, and works on the memory of the
/// program that loads it. With a stack of no bytes, a use of one would trap instead of writing into that program's data.
fn fused_tile(package: &Path, out: &Path) {
    let source = package.join("src/backend/kernels/fused/tile.rs");
    println!("cargo::rerun-if-changed={}", source.display());
    let compiled = Command::new(env::var_os("RUSTC").expect("cargo says which compiler"))
        .args(["--edition=2024", "--crate-type=cdylib", "--target=wasm32-unknown-unknown"])
        .args(["-Copt-level=3", "-Cpanic=abort", "-Cstrip=symbols", "-Ctarget-feature=+simd128,+relaxed-simd"])
        // As for the engine itself: see .cargo/config.toml.
        .args(["-Cllvm-args=-disable-lsr", "-Clink-arg=--import-memory", "-Clink-arg=-zstack-size=0"])
        .arg(source)
        .arg("-o")
        .arg(out.join("tile.wasm"))
        .status();
    assert!(compiled.is_ok_and(|status| status.success()), "src/backend/kernels/fused/tile.rs compiles");
}

/// The prelude, and what others ask for.
fn is_part(stem: &str, files: &BTreeMap<String, String>) -> bool {
    let asked = |text: &String| {
        let line = text.lines().next().and_then(|line| line.strip_prefix(WITH));
        line.is_some_and(|line| line.split(", ").any(|part| part == stem))
    };
    stem == PRELUDE || stem == SUBGROUPS || files.values().any(asked)
}

/// Reads and validates a shader.
fn module(stem: &str, source: &str, more: Capabilities) -> (Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string_with_path(source, &format!("{stem}.wgsl"))));
    // Every WebGPU device unpacks halves; naga calls that a capability for the sake of others.
    let info = Validator::new(ValidationFlags::all(), Capabilities::SHADER_FLOAT16_IN_FLOAT32 | more)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string_with_path(source, &format!("{stem}.wgsl"))));
    (module, info)
}

/// One `Shader { … }` as Rust source.
fn describe(stem: &str, source: &str, second: Option<&str>) -> String {
    let (module, info) = self::module(stem, source, Capabilities::empty());
    let mut text =
        format!("Shader {{ stem: {stem:?}, source: include_str!(concat!(env!(\"OUT_DIR\"), \"/{stem}.wgsl\")),\n");
    let (bindings, fields) = resources(stem, &module);
    let scratch = bindings.contains("name: \"scratch\"");
    let (fields, windowed) = match fields.strip_suffix(WINDOW) {
        Some(own) => (own, true),
        None => (&fields[..], false),
    };
    writeln!(text, "bindings: &[{bindings}], scratch: {scratch}, fields: &[{fields}], windowed: {windowed},")
        .expect("a string can grow");
    writeln!(text, "entries: &[{}], memory: &[{}],", entries(&module), memory(&module, &info))
        .expect("a string can grow");
    writeln!(text, "constants: &[{}],", constants(&module)).expect("a string can grow");
    let with_subgroups = match second {
        Some(second) => {
            let (other, other_info) = self::module(stem, second, Capabilities::SUBGROUP);
            let same = entries(&other) == entries(&module) && memory(&other, &other_info) == memory(&module, &info);
            assert!(same && resources(stem, &other) == resources(stem, &module), "{stem}: two texts of one shader");
            format!("Some(include_str!(concat!(env!(\"OUT_DIR\"), \"/{stem}.{SUBGROUPS}.wgsl\")))")
        }
        None => "None".to_string(),
    };
    writeln!(text, "with_subgroups: {with_subgroups} }},").expect("a string can grow");
    text
}

/// Storage buffers in the order of their binding numbers, then the fields of the uniform that comes last.
fn resources(stem: &str, module: &Module) -> (String, String) {
    let mut bound = BTreeMap::new();
    for (_, variable) in module.global_variables.iter() {
        if let Some(binding) = &variable.binding {
            assert!(binding.group == 0, "{stem}: all buffers are in group 0");
            assert!(bound.insert(binding.binding, variable).is_none(), "{stem}: binding {} twice", binding.binding);
        }
    }
    let (mut bindings, mut fields) = (String::new(), String::new());
    let last = bound.len() as u32 - 1;
    for (place, (number, variable)) in bound.into_iter().enumerate() {
        assert!(place as u32 == number, "{stem}: binding {place} is left out");
        let name = variable.name.as_deref().expect("a WGSL variable has a name");
        match (variable.space, &module.types[variable.ty].inner) {
            (AddressSpace::Storage { access }, TypeInner::Array { base, size: ArraySize::Dynamic, .. }) => {
                let access = if access.contains(StorageAccess::STORE) { "Write" } else { "Read" };
                let element = element(&module.types[*base].inner);
                let binding = "Binding { name: ";
                write!(bindings, "{binding}{name:?}, access: Access::{access}, element: Element::{element} }}, ")
                    .expect("a string can grow");
            }
            (AddressSpace::Uniform, TypeInner::Struct { members, span }) if number == last => {
                assert!(*span as usize == 4 * members.len(), "{stem}: parameters are single words");
                for member in members {
                    let name = member.name.as_deref().expect("a WGSL field has a name");
                    let element = element(&module.types[member.ty].inner);
                    write!(fields, "({name:?}, Element::{element}), ").expect("a string can grow");
                }
            }
            _ => panic!("{stem}: `{name}` is neither a storage array nor the uniform that comes last"),
        }
    }
    (bindings, fields)
}

fn element(inner: &TypeInner) -> &'static str {
    match inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) | TypeInner::Vector { scalar, .. } => match scalar {
            Scalar { kind: ScalarKind::Float, width: 4 } => "F32",
            Scalar { kind: ScalarKind::Uint, width: 4 } => "U32",
            _ => panic!("words are f32 or u32, not {scalar:?}"),
        },
        _ => panic!("words are f32 or u32, not {inner:?}"),
    }
}

fn entries(module: &Module) -> String {
    let entry = |entry: &naga::EntryPoint| {
        let [lanes, 1, 1] = entry.workgroup_size else { panic!("{}: a workgroup is a line of lanes", entry.name) };
        format!("Entry {{ name: {:?}, lanes: {lanes} }}, ", entry.name)
    };
    module.entry_points.iter().map(entry).collect()
}

/// Bytes of workgroup memory that each entry point uses.
fn memory(module: &Module, info: &ModuleInfo) -> String {
    let bytes = |entry: usize| -> u32 {
        let used = info.get_entry_point(entry);
        let shared = module
            .global_variables
            .iter()
            .filter(|(handle, variable)| variable.space == AddressSpace::WorkGroup && !used[*handle].is_empty());
        shared.map(|(_, variable)| module.types[variable.ty].inner.size(module.to_ctx())).sum()
    };
    (0..module.entry_points.len()).map(|entry| format!("{}, ", bytes(entry))).collect()
}

/// Named whole numbers.
fn constants(module: &Module) -> String {
    let named = module.constants.iter().filter_map(|(_, constant)| {
        match (&constant.name, &module.global_expressions[constant.init]) {
            (Some(name), Expression::Literal(Literal::U32(value))) => Some(format!("({name:?}, {value}), ")),
            _ => None,
        }
    });
    named.collect()
}
