//! The analyses of the weights on the command line: the program prints the report that the library gives.

use fairbits::lab::settings::{Resampling, Texts};
use std::{path::Path, process::Command};

use fairbits::{
    cli,
    lab::{Config, Report, clipping, weights},
    math::quantizer::Bits,
};

#[test]
fn the_program_prints_the_librarys_report() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (folder, site) = (root.join("tests/fixtures/gpt2-tiny"), root.join("public"));
    let clipping = clipping::Config {
        texts: Texts { corpus: "udhr".into(), languages: Vec::new(), units: 1 },
        draws: Resampling { resamples: 100, seed: 7 },
        bits: Bits::new(3).unwrap(),
        reference: String::new(),
        losses: false,
    };
    let configs = [Config::from(weights::Config { threshold: 0.5 }), Config::from(clipping)];
    for (number, config) in configs.iter().enumerate() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("weights-config-{number}.json"));
        std::fs::write(&file, serde_json::to_vec(config).unwrap()).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_fairbits"));
        program.arg("run").arg(&file).arg("--model").arg(&folder).arg("--site").arg(&site);
        let output = program.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed: Report = serde_json::from_slice(&output.stdout).unwrap();
        let expected = cli::measure(&cli::load(folder.clone()).unwrap(), site.clone(), config).unwrap();
        assert_eq!(printed, expected);
        assert_eq!(printed.config(), *config);
    }
}
