//! Every CPU kernel against an f64 oracle written plainly here, over odd shapes and hostile values; its shader against both;
//! and the laws of the table and of exact mode.

mod attention;
mod dispatch;
mod gpu;
mod harness;
mod loss;
mod products;
mod rows;
mod statistics;

use fairbits::backend::table::{Access, TABLE};
use harness::Walk;

type Check = fn(&mut Walk);

/// The check of each kernel; a kernel without one fails the walk.
const CHECKS: &[(&str, Check)] = &[
    ("moments", statistics::moments),
    ("histogram", statistics::histogram),
    ("quantize", statistics::quantize),
    ("mse_grid", statistics::mse_grid),
    ("matmul", products::matmul),
    ("matmul_q8", products::matmul_q8),
    ("matmul_q4", products::matmul_q4),
    ("layer_norm", rows::layer_norm),
    ("gelu", rows::gelu),
    ("add", rows::add),
    ("embed", rows::embed),
    ("attention", attention::attention),
    ("loss", loss::loss),
    ("norms", rows::norms),
];

/// Cases that each check must go through at least.
const CASES: usize = 12;

#[test]
fn every_kernel_agrees_with_its_oracle() {
    for row in TABLE {
        let (_, check) = CHECKS.iter().find(|(stem, _)| *stem == row.stem).unwrap_or_else(|| panic!("no {}", row.stem));
        let mut walk = Walk::new(row.stem);
        check(&mut walk);
        assert!(walk.cases >= CASES, "{}: only {} cases", row.stem, walk.cases);
    }
}

#[test]
fn the_table_keeps_its_laws() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/backend/kernels");
    for (i, row) in TABLE.iter().enumerate() {
        assert!(TABLE[..i].iter().all(|other| other.stem != row.stem), "{} is there twice", row.stem);
        assert!(std::path::Path::new(&format!("{folder}/{}.rs", row.stem)).is_file(), "no kernels/{}.rs", row.stem);
        assert!(row.params > 0 && row.params <= 8, "{}: {} words of parameters", row.stem, row.params);
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
