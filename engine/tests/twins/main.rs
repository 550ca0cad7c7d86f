//! Every CPU kernel against the f64 oracle beside it, over odd shapes and hostile values; its shader against both; and the laws of
//! the table and of exact mode.

mod attention;
mod batches;
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
mod windows;

#[cfg(not(target_arch = "wasm32"))]
use engine::backend::kernels::{Access, TABLE};
use engine::backend::kernels::{PROOFS, Row};
use harness::{Proof, Walk};

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

/// A kernel and how it is shown to be right.
fn proof(stem: &str) -> &'static (&'static Row, Proof) {
    PROOFS.iter().find(|(row, _)| row.stem == stem).unwrap_or_else(|| panic!("no proof of {stem}"))
}

both! {
async fn every_kernel_agrees_with_its_oracle() {
    for (row, proof) in PROOFS {
        let mut walk = Walk::new(row.stem);
        walk.through(row, proof).await;
        println!("{}: {} cases, {} breaks", row.stem, walk.cases, proof.breaks.len());
        walk.passed();
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
        assert!(!(row.checks)().is_empty(), "nothing checks {} on a device", row.stem);
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
}
