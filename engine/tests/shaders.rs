//! The shaders as files: they keep to the limits that every WebGPU device grants, and a row of the table that says something
//! else than its shader is found out.

use engine::backend::{
    kernels::{Access, Binding, Element, Entry, MOST_GROUPS, Row, TABLE},
    shaders::{SHADERS, Shader},
};

/// WebGPU's default limits.
const LANES: u32 = 256;
const WORKGROUP_MEMORY: u32 = 16_384;
const STORAGE_BUFFERS: usize = 8;

#[test]
fn every_device_can_run_them() {
    for shader in SHADERS {
        assert!(shader.bindings.len() <= STORAGE_BUFFERS, "{}", shader.stem);
        for (entry, memory) in shader.entries.iter().zip(shader.memory) {
            assert!(entry.lanes <= LANES, "{} {}: {} lanes", shader.stem, entry.name, entry.lanes);
            assert!(*memory <= WORKGROUP_MEMORY, "{} {}: {memory} bytes", shader.stem, entry.name);
        }
    }
    // What is summed in a tile lies in workgroup memory, so the figures above are not zeros.
    let [blocks, tiles, ..] = Shader::of("matmul").memory else { panic!("a product has ways") };
    assert!(*tiles > 12_000);
    assert_eq!(*blocks, 0, "the way without barriers keeps nothing there");
}

#[test]
fn every_kernel_has_its_shader() {
    assert_eq!(SHADERS.len(), TABLE.len());
    for row in TABLE {
        assert!(Shader::of(row.stem).agrees(row), "{}", row.stem);
        let prelude = include_str!("../../shaders/prelude.wgsl");
        assert!(Shader::of(row.stem).source.starts_with(prelude), "{}", row.stem);
    }
}

/// The same comparison refuses to compile the table; here it is shown that it can refuse.
#[test]
fn a_row_that_lies_is_found_out() {
    for row in TABLE {
        let shader = Shader::of(row.stem);
        let lies = |what: &str, row: Row| assert!(!shader.agrees(&row), "{}: {what}", row.stem);
        for i in 0..row.bindings.len() {
            let other = |change: fn(&mut Binding)| {
                let mut bindings = row.bindings.to_vec();
                change(&mut bindings[i]);
                Row { bindings: bindings.leak(), ..**row }
            };
            lies("name", other(|binding| binding.name = "other"));
            lies("access", other(|b| b.access = if b.access == Access::Read { Access::Write } else { Access::Read }));
            lies("element", other(|b| b.element = if b.element == Element::F32 { Element::U32 } else { Element::F32 }));
        }
        if row.bindings.len() > 1 {
            let mut turned = row.bindings.to_vec();
            turned.swap(0, 1);
            lies("order", Row { bindings: turned.leak(), ..**row });
        }
        lies("a buffer less", Row { bindings: &row.bindings[1..], ..**row });
        lies("words of parameters", Row { params: row.params + 1, ..**row });
        lies("a parameter less", Row { fields: &row.fields[1..], ..**row });
        let mut fields = row.fields.to_vec();
        fields[0].0 = "other";
        lies("name of a parameter", Row { fields: fields.leak(), ..**row });
        let mut entries: Vec<Entry> = row.entries.to_vec();
        entries[0].lanes /= 2;
        lies("workgroup size", Row { entries: entries.leak(), ..**row });
    }
}

/// Grids are folded before they leave what a device allows.
#[test]
fn long_grids_are_folded() {
    let row = TABLE.iter().find(|row| row.stem == "add").unwrap();
    for len in [0, 1, 64, 65, 256, 257, 65_535 * 64 + 1, 65_535 * 256, 65_535 * 256 + 1, u32::MAX] {
        for way in &(row.launches)(&[len], usize::MAX)[0].ways {
            let ([x, y, z], lanes) = (way.groups, u64::from(row.entries[way.entry].lanes));
            assert!(x <= MOST_GROUPS && y <= MOST_GROUPS && z == 1, "{len}: {x} × {y}");
            assert!(u64::from(x) * u64::from(y) * lanes >= u64::from(len), "{len}: {x} × {y}");
            assert_eq!(x == 0, len == 0);
        }
    }
}
