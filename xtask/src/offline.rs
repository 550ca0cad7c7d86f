//! The page's service worker: which files it keeps.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{Error, Result, licences, squeeze};

/// Where the page looks for it.
const NAME: &str = "offline.js";
const SCRIPT: &str = include_str!("offline.js");
/// Stands in the script where the list goes.
const PLACE: &str = "/* files */";

/// Writes the service worker of a built page into its folder: it keeps the page, the texts and the default model. Other
/// models are large and may never be wanted, nor are the licences.
pub fn write(dist: &Path) -> Result<()> {
    let unreadable = |path: &Path| Error::io(path.display().to_string());
    let catalog = dist.join("models/catalog.json");
    let catalog: serde_json::Value = serde_json::from_slice(&fs::read(&catalog).map_err(unreadable(&catalog))?)
        .map_err(|error| Error::Unreadable { what: "models/catalog.json".into(), text: error.to_string() })?;
    let own = format!("models/{}/", catalog["default"].as_str().unwrap_or_default());
    let mut files = Vec::new();
    walk(dist, &mut files).map_err(unreadable(dist))?;
    let mut list = Vec::new();
    for file in files {
        let name = name_of(dist, &file);
        if kept(&name, &own) {
            let bytes = fs::read(&file).map_err(unreadable(&file))?;
            let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            list.push(json!([name, digest]));
        }
    }
    list.sort_by_key(|row| row[0].as_str().map(String::from));
    let script = SCRIPT.replace(PLACE, &json!(list).to_string());
    fs::write(dist.join(NAME), script).map_err(unreadable(&dist.join(NAME)))
}

fn kept(name: &str, own: &str) -> bool {
    ![NAME, licences::NAME].contains(&name)
        && !name.ends_with(squeeze::ENDING)
        && (!name.starts_with("models/")
            || name == "models/catalog.json"
            || name.ends_with("/card.json")
            || name.starts_with(own))
}

fn name_of(dist: &Path, file: &Path) -> String {
    let parts = file.strip_prefix(dist).expect("it was found in there").components();
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

/// Every file below a folder.
pub fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { walk(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_model_is_kept_and_others_only_by_their_cards() {
        let kept = |name| kept(name, "models/a/");
        for name in [
            "index.html",
            "corpora/udhr/eng.json",
            "models/catalog.json",
            "models/a/model.safetensors",
            "models/b/card.json",
        ] {
            assert!(kept(name), "{name}");
        }
        for name in [NAME, licences::NAME, "app.wasm.gz", "models/b/model.safetensors", "models/ab/config.json"] {
            assert!(!kept(name), "{name}");
        }
    }

    #[test]
    fn the_script_has_a_place_for_the_list() {
        assert_eq!(SCRIPT.matches(PLACE).count(), 1);
    }
}
