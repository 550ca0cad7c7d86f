//! Every letter of the shipped texts has a glyph: in a font that the page brings where a device may have none.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("../public/styles/fonts.css");

/// Scripts that every system's own font has, and signs and spaces.
fn is_common(letter: char) -> bool {
    matches!(letter as u32, 0..0x700 | 0x1E00..0x2000 | 0x2000..0x2E80)
}

/// First and last of each range of each face, with the face's file.
fn faces() -> Vec<(String, Vec<(u32, u32)>)> {
    let face = |text: &str| {
        let after =
            |begin: &str, end: char| text.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).unwrap().0;
        let range = |range: &str| {
            let (first, last) = range.trim().trim_start_matches("U+").split_once('-').expect("first and last");
            let number = |digits| u32::from_str_radix(digits, 16).expect("a number");
            (number(first), number(last))
        };
        let file = after("url(\"fonts/", '"').to_string();
        (file, after("unicode-range: ", ';').split(',').map(range).collect())
    };
    STYLE.lines().filter(|line| line.starts_with("@font-face")).map(face).collect()
}

#[test]
fn every_letter_of_the_texts_is_in_a_font() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let held: Value = serde_json::from_slice(&fs::read(root.join("tests/fixtures/fonts.json")).unwrap()).unwrap();
    let faces = faces();
    for (file, _) in &faces {
        let digest = Sha256::digest(fs::read(root.join("public/fonts").join(file)).unwrap());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(held[file]["sha256"], digest.as_str(), "{file} is not what public/fonts.py made");
    }
    let mut letters = BTreeSet::new();
    for corpus in fs::read_dir(root.join("public/corpora")).unwrap() {
        let files = fs::read_dir(corpus.unwrap().path()).into_iter().flatten().flatten().map(|entry| entry.path());
        for file in files.filter(|path| path.extension().is_some_and(|of| of == "json")) {
            letters.extend(fs::read_to_string(file).unwrap().chars().filter(|letter| !is_common(*letter)));
        }
    }
    assert!(letters.len() > 1_000);
    for letter in letters {
        let code = letter as u32;
        let face = faces.iter().find(|(_, ranges)| ranges.iter().any(|(first, last)| (*first..=*last).contains(&code)));
        let (file, _) = face.unwrap_or_else(|| panic!("U+{code:04X} {letter} is in the range of no font"));
        let has = held[file]["letters"].as_str().is_some_and(|letters| letters.contains(letter));
        assert!(has, "U+{code:04X} {letter} is not in {file}");
    }
}
