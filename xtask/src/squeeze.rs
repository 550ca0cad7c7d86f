//! Files of the built page under gzip, beside the files themselves: for our own server, and for hosts that look for them.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use flate2::{Compression, write::GzEncoder};

use crate::{Error, Result, offline::walk};

/// How such a file's name ends.
pub const ENDING: &str = ".gz";
/// What is worth it: programs and text. Weights hardly shrink, and are asked for in ranges.
const WORTH: [&str; 7] = ["wasm", "js", "css", "json", "html", "svg", "txt"];

/// Whether a file is a program or a text.
pub fn is_worth(path: &Path) -> bool {
    path.extension().is_some_and(|extension| WORTH.iter().any(|worth| extension == *worth))
}

/// Writes them anew; older ones leave.
pub fn write(dist: &Path) -> Result<()> {
    let fault = |path: &Path| Error::io(path.display().to_string());
    let mut files = Vec::new();
    walk(dist, &mut files).map_err(fault(dist))?;
    for path in files {
        if path.to_string_lossy().ends_with(ENDING) {
            fs::remove_file(&path).map_err(fault(&path))?;
        } else if is_worth(&path) {
            let mut beside = path.clone().into_os_string();
            beside.push(ENDING);
            squeeze(&path, Path::new(&beside)).map_err(fault(&path))?;
        }
    }
    Ok(())
}

fn squeeze(from: &Path, to: &Path) -> io::Result<()> {
    let mut squeezed = GzEncoder::new(File::create(to)?, Compression::best());
    squeezed.write_all(&fs::read(from)?)?;
    squeezed.finish()?.flush()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn programs_and_texts_are_squeezed_once() {
        let folder = std::env::temp_dir().join(format!("squeeze-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let text = "a page ".repeat(1000);
        for name in ["index.html", "model.safetensors", "gone.js.gz"] {
            fs::write(folder.join(name), &text).unwrap();
        }
        for _ in 0..2 {
            write(&folder).unwrap();
        }
        let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["index.html", "index.html.gz", "model.safetensors"]);
        let squeezed = fs::read(folder.join("index.html.gz")).unwrap();
        let mut back = String::new();
        flate2::read::GzDecoder::new(&squeezed[..]).read_to_string(&mut back).unwrap();
        assert!(back == text && squeezed.len() < text.len() / 10);
        fs::remove_dir_all(&folder).unwrap();
    }
}
