//! Every CPU kernel against an f64 oracle written plainly here, over odd shapes and hostile values; its shader against both;
//! and the laws of the table and of exact mode.

mod attention;
mod device;
#[cfg(not(target_arch = "wasm32"))]
mod dispatch;
mod fused;
#[path = "../goldens/mod.rs"]
mod goldens;
mod gpu;
mod harness;
mod laid;
mod limits;
mod loss;
mod products;
mod rows;
mod scan;
mod statistics;
mod windows;

use std::{future::Future, pin::Pin};

#[cfg(not(target_arch = "wasm32"))]
use engine::backend::table::Access;
use engine::backend::table::TABLE;
use harness::Walk;

// WebGPU is where the page computes: in a worker.
#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// A test natively and in the browser.
#[macro_export]
macro_rules! both {
    ($(#[$doc:meta])* async fn $name:ident() $body:block) => {
        $(#[$doc])*
        #[cfg(target_arch = "wasm32")]
        #[wasm_bindgen_test::wasm_bindgen_test]
        async fn $name() $body

        $(#[$doc])*
        #[cfg(not(target_arch = "wasm32"))]
        #[test]
        fn $name() {
            pollster::block_on(async $body);
        }
    };
}

type Check = for<'a> fn(&'a mut Walk) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The check of each kernel; a kernel without one fails the walk.
const CHECKS: &[(&str, Check)] = &[
    ("moments", |walk| Box::pin(statistics::moments(walk))),
    ("histogram", |walk| Box::pin(statistics::histogram(walk))),
    ("quantize", |walk| Box::pin(statistics::quantize(walk))),
    ("mse_grid", |walk| Box::pin(statistics::mse_grid(walk))),
    ("matmul", |walk| Box::pin(products::matmul(walk))),
    ("matmul_packed", |walk| Box::pin(products::matmul_packed(walk))),
    ("layer_norm", |walk| Box::pin(rows::layer_norm(walk))),
    ("activate", |walk| Box::pin(rows::activate(walk))),
    ("add", |walk| Box::pin(rows::add(walk))),
    ("multiply", |walk| Box::pin(rows::multiply(walk))),
    ("rotary", |walk| Box::pin(rows::rotary(walk))),
    ("gather", |walk| Box::pin(scan::gather(walk))),
    ("convolve", |walk| Box::pin(scan::convolve(walk))),
    ("scan", |walk| Box::pin(scan::scan(walk))),
    ("embed", |walk| Box::pin(rows::embed(walk))),
    ("attention", |walk| Box::pin(attention::attention(walk))),
    ("loss", |walk| Box::pin(loss::loss(walk))),
    ("norms", |walk| Box::pin(rows::norms(walk))),
];

/// The check of a kernel.
fn check(stem: &str) -> Check {
    CHECKS.iter().find(|(name, _)| *name == stem).unwrap_or_else(|| panic!("no check of {stem}")).1
}

/// Cases that each check must go through at least.
const CASES: usize = 12;

both! {
async fn every_kernel_agrees_with_its_oracle() {
    for row in TABLE {
        let mut walk = Walk::new(row.stem);
        check(row.stem)(&mut walk).await;
        walk.passed();
        assert!(walk.cases >= CASES, "{}: only {} cases", row.stem, walk.cases);
    }
}
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn the_table_keeps_its_laws() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/backend/kernels");
    for (i, row) in TABLE.iter().enumerate() {
        assert!(TABLE[..i].iter().all(|other| other.stem != row.stem), "{} is there twice", row.stem);
        assert!(std::path::Path::new(&format!("{folder}/{}.rs", row.stem)).is_file(), "no kernels/{}.rs", row.stem);
        assert!(row.params > 0 && row.params <= 16, "{}: {} words of parameters", row.stem, row.params);
        for (j, binding) in row.bindings.iter().enumerate() {
            assert!(row.bindings[..j].iter().all(|other| other.name != binding.name), "{}: names", row.stem);
        }
        let written: Vec<_> = row.bindings.iter().filter(|b| b.access == Access::Write).collect();
        assert_eq!(written.len(), 1, "{}: one result", row.stem);
        let in_place = row.bindings[0].access == Access::Write && written[0].name == "x";
        let last = row.bindings.last().is_some_and(|b| b.access == Access::Write);
        assert!(in_place || last, "{}: the result comes last, or is `x` changed in place and comes first", row.stem);
    }
    for (stem, _) in CHECKS {
        assert!(TABLE.iter().any(|row| row.stem == *stem), "a check of {stem}, which is not in the table");
    }
}
