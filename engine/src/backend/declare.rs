//! The words in which a kernel writes its row, and the numbers that shaders share.

use super::row::{Access, Binding, Element, Launch, MOST_GROUPS, Way};
pub(super) use super::row::{Check, Fill::*};
use super::shaders::Shader;

pub(super) const fn f32_in(name: &'static str) -> Binding {
    Binding { name, access: Access::Read, element: Element::F32 }
}
pub(super) const fn f32_out(name: &'static str) -> Binding {
    Binding { name, access: Access::Write, element: Element::F32 }
}
pub(super) const fn u32_in(name: &'static str) -> Binding {
    Binding { name, access: Access::Read, element: Element::U32 }
}
pub(super) const fn u32_out(name: &'static str) -> Binding {
    Binding { name, access: Access::Write, element: Element::U32 }
}

/// `items` over workgroups that take `each`, folded into y where x is full. The shader leaves out what is beyond.
pub(super) fn folded(items: u64, each: u32) -> [u32; 3] {
    let groups = items.div_ceil(u64::from(each));
    let x = groups.min(u64::from(MOST_GROUPS));
    let y = if x == 0 { 0 } else { groups.div_ceil(x) };
    [x as u32, y as u32, 1]
}

/// The one entry point, over a grid of workgroups.
pub(super) fn grid(groups: [u32; 3]) -> Vec<Launch> {
    vec![Launch::of(vec![Way::of(0, groups)])]
}

/// Value by value, in wide workgroups or in narrow ones.
pub(super) fn by_value(values: u64) -> Launch {
    Launch::of(vec![Way::of(1, folded(values, WIDE)), Way::of(0, folded(values, NARROW))])
}

/// Invocations of a wide workgroup, and of a narrow one or one that reduces.
pub(super) const WIDE: u32 = Shader::of("add").constant("WIDE");
pub(super) const NARROW: u32 = Shader::of("attention").constant("LANES");
/// Rows that a workgroup takes which goes row by row.
pub(super) const BY_ROWS: u32 = Shader::of("layer_norm").constant("ROWS");

/// Product of dimensions as a number of words; `usize::MAX` where it does not fit (a wasm address has 32 bits).
pub(super) fn area<const N: usize>(dimensions: [u32; N]) -> usize {
    dimensions.iter().try_fold(1usize, |area, &d| area.checked_mul(d as usize)).unwrap_or(usize::MAX)
}

/// Where the last of some heads ends: so many, `step` apart from `first` on, each `times`·`channels` wide.
pub(super) fn reach(first: u32, heads: u32, step: u32, channels: u32, times: u64) -> u64 {
    match heads {
        0 => 0,
        _ => u64::from(first) + u64::from(heads - 1) * u64::from(step) + times * u64::from(channels),
    }
}

/// The element that a Rust type is.
macro_rules! element {
    (f32) => {
        $crate::backend::row::Element::F32
    };
    (u32) => {
        $crate::backend::row::Element::U32
    };
}

/// Declares a kernel: its parameters and its row, beside the `run` of its CPU twin. `runs` has the entry points that a device must
/// be able to run, then, after a semicolon, those that are better where they fit; `checked` the cases that a device must get right
/// before it is trusted. A row that says something else than its shader does not compile.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident = $stem:ident ( $($binding:expr),* $(,)? ) {
            $( $(#[$field_doc:meta])* $field:ident : $type:ident ),* $(,)?
        } needs |$p:ident, $room:ident| [ $($needed:expr),* $(,)? ] $(where $holds:expr, $rule:literal)*
          runs [ $($entry:ident $lanes:literal),* $(; $($better:ident $more:literal),*)? ] $launches:expr $(, scratch $scratch:expr)?;
          checked $checks:expr;
    ) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        pub struct $name { $( $(#[$field_doc])* pub $field: $type ),* }

        impl $crate::backend::row::Params for $name {
            const ROW: &'static $crate::backend::row::Row = &$crate::backend::row::Row {
                stem: stringify!($stem),
                bindings: &[$($binding),*],
                params: size_of::<$name>() / 4,
                fields: &[$((stringify!($field), element!($type))),*],
                entries: &[
                    $($crate::backend::row::Entry { name: stringify!($entry), lanes: $lanes },)*
                    $($($crate::backend::row::Entry { name: stringify!($better), lanes: $more },)*)?
                ],
                least: [$($lanes),*].len(),
                launches: |words, $room| {
                    let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                    let _ = $room;
                    $launches
                },
                scratch: |words| {
                    let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                    let _ = $p;
                    0 $( + $scratch )?
                },
                needed: |words, i| {
                    let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                    [$($needed),*][i]
                },
                fault: |words| {
                    let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                    let _ = $p;
                    $( if !$holds { return Some($rule); } )*
                    None
                },
                cpu: |words, given| run(bytemuck::from_bytes(bytemuck::cast_slice(words)), given),
                checks: || $checks,
            };
        }

        const _: () = assert!(
            $crate::backend::shaders::Shader::of(stringify!($stem)).agrees(<$name as $crate::backend::row::Params>::ROW),
            concat!("the row of `", stringify!($stem), "` and its shader name other buffers, parameters or entry points")
        );
    };
}

pub(super) use {element, kernel};
