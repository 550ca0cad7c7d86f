//! What naga read from `shaders/*.wgsl` when this library was built; the table of kernels is held against it, so that a row
//! that says something else does not build.

use super::row::{Access, Binding, Element, Entry, Row};

/// One shader as it is compiled: `prelude.wgsl`, the parts that it asks for, and its own file.
#[derive(Debug)]
pub struct Shader {
    /// Name of its file.
    pub stem: &'static str,
    /// All of its text.
    pub source: &'static str,
    /// The same with other reductions, for devices with subgroups; none where nothing is reduced.
    pub with_subgroups: Option<&'static str>,
    /// Storage buffers in order; the last may be [`SCRATCH`].
    pub bindings: &'static [Binding],
    /// Whether it is.
    pub scratch: bool,
    /// Fields of the uniform that comes after them.
    pub fields: &'static [(&'static str, Element)],
    /// Whether three further fields follow: the window through which a launch sees the shader's largest buffer.
    pub windowed: bool,
    /// Entry points in order.
    pub entries: &'static [Entry],
    /// Bytes of workgroup memory that each entry point uses.
    pub memory: &'static [u32],
    /// Named whole numbers.
    pub constants: &'static [(&'static str, u32)],
}

/// Name of the buffer that a shader has beside those of its CPU twin.
pub const SCRATCH: &str = "scratch";

/// Every shader.
pub const SHADERS: &[Shader] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

impl Shader {
    /// The shader of a kernel.
    ///
    /// # Panics
    /// If there is none; the table asks at compile time.
    pub const fn of(stem: &str) -> &'static Shader {
        let mut i = 0;
        while i < SHADERS.len() {
            if same(SHADERS[i].stem, stem) {
                return &SHADERS[i];
            }
            i += 1;
        }
        panic!("a row of the table has no shader of its stem")
    }

    /// Words of the uniform.
    pub const fn words(&self) -> usize {
        self.fields.len() + if self.windowed { 3 } else { 0 }
    }

    /// A number that the shader names.
    ///
    /// # Panics
    /// If it names none such; the table asks at compile time.
    pub const fn constant(&self, name: &str) -> u32 {
        let mut i = 0;
        while i < self.constants.len() {
            if same(self.constants[i].0, name) {
                return self.constants[i].1;
            }
            i += 1;
        }
        panic!("the shader has no constant of this name")
    }

    /// Whether a row names the same buffers, parameters and entry points in the same order.
    pub const fn agrees(&self, row: &Row) -> bool {
        if self.bindings.len() - self.scratch as usize != row.bindings.len()
            || self.fields.len() != row.fields.len()
            || self.fields.len() != row.params
            || self.entries.len() != row.entries.len()
        {
            return false;
        }
        let mut i = 0;
        while i < row.bindings.len() {
            let (ours, theirs) = (&self.bindings[i], &row.bindings[i]);
            let writes = matches!(ours.access, Access::Write) == matches!(theirs.access, Access::Write);
            if !same(ours.name, theirs.name) || !writes || !same_element(ours.element, theirs.element) {
                return false;
            }
            i += 1;
        }
        let mut i = 0;
        while i < row.fields.len() {
            if !same(self.fields[i].0, row.fields[i].0) || !same_element(self.fields[i].1, row.fields[i].1) {
                return false;
            }
            i += 1;
        }
        let mut i = 0;
        while i < row.entries.len() {
            if !same(self.entries[i].name, row.entries[i].name) || self.entries[i].lanes != row.entries[i].lanes {
                return false;
            }
            i += 1;
        }
        true
    }
}

const fn same_element(a: Element, b: Element) -> bool {
    matches!((a, b), (Element::F32, Element::F32) | (Element::U32, Element::U32))
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
