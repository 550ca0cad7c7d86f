//! Which of the files that a person chose are a model's folder.

use std::collections::BTreeMap;

use super::is_plain;
use crate::model::config;

/// Name of a model whose files came without a folder.
const UNNAMED: &str = "chosen-files";

/// Of chosen paths (`my-model/config.json`, or plain names) the folder that has a config.json, the one least deep where there
/// are several: its name, and the places of its own files by name. None where there is no config.json.
pub fn folder_of<P: AsRef<str>>(paths: &[P]) -> Option<(String, BTreeMap<String, usize>)> {
    let split = |path: &'_ P| -> (String, String) {
        let path = path.as_ref();
        path.rsplit_once('/').map_or((String::new(), path.to_string()), |(a, b)| (a.to_string(), b.to_string()))
    };
    let all: Vec<(String, String)> = paths.iter().map(split).collect();
    let with_config = all.iter().filter(|(_, name)| name == config::FILE).map(|(folder, _)| folder);
    let folder = with_config.min_by_key(|folder| (folder.split('/').count(), folder.len()))?.clone();
    let own = all.iter().enumerate().filter(|(_, (of, name))| *of == folder && is_plain(name));
    let files = own.map(|(at, (_, name))| (name.clone(), at)).collect();
    let name = folder.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(UNNAMED);
    Some((name.to_string(), files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_the_folder_with_the_config() {
        let paths = ["m/config.json", "m/model.safetensors", "m/onnx/config.json", "m/onnx/model.onnx", "m/.git"];
        let (name, files) = folder_of(&paths).unwrap();
        assert_eq!(name, "m");
        assert_eq!(files, BTreeMap::from([("config.json".into(), 0), ("model.safetensors".into(), 1)]));
        let (name, files) = folder_of(&["a/b/config.json", "a/b/tokenizer.json", "a/x"]).unwrap();
        assert_eq!((name.as_str(), files.len()), ("b", 2));
        let (name, files) = folder_of(&["tokenizer.json", "config.json"]).unwrap();
        assert_eq!((name.as_str(), files["config.json"]), (UNNAMED, 1));
        assert_eq!(folder_of(&["model.safetensors"]), None);
        assert_eq!(folder_of::<&str>(&[]), None);
    }
}
