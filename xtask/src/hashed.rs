//! Names that say what is in a file. Trunk gives them to the page's own programs, and not to its worker's: a browser or a host that
//! keeps files would hand out the worker of an older build under the same name.

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// What Trunk calls the worker's programs.
const SCRIPT: &str = "worker.js";
const PROGRAM: &str = "worker_bg.wasm";
/// Trunk's own starter of them, which the page does not use and the benches do; it keeps its name.
const STARTER: &str = "worker_loader.js";
/// Where the page reads the script's name.
const PAGE: &str = "index.html";
/// Digits of a digest in a name: as many as Trunk takes.
const DIGITS: usize = 16;

/// Names the worker's programs in a built page by what is in them, and whoever asks for them.
pub fn name_worker(dist: &Path) -> Result<()> {
    let program = move_to_digest(dist, PROGRAM, "worker-", "_bg.wasm")?;
    replace(dist, SCRIPT, &[(PROGRAM, &program)])?;
    let script = move_to_digest(dist, SCRIPT, "worker-", ".js")?;
    replace(dist, STARTER, &[(SCRIPT, &script)])?;
    replace(dist, PAGE, &[(SCRIPT, &script)])
}

/// Gives a file the digest of its bytes for a name, between two ends.
fn move_to_digest(dist: &Path, name: &str, begin: &str, end: &str) -> Result<String> {
    let from = dist.join(name);
    let bytes = fs::read(&from).map_err(Error::io(from.display().to_string()))?;
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let to = format!("{begin}{}{end}", &digest[..DIGITS]);
    fs::rename(&from, dist.join(&to)).map_err(Error::io(to.clone()))?;
    Ok(to)
}

/// Puts new names into a file for old ones, each of which it must have.
fn replace(dist: &Path, file: &str, names: &[(&str, &str)]) -> Result<()> {
    let path = dist.join(file);
    let mut text = fs::read_to_string(&path).map_err(Error::io(path.display().to_string()))?;
    for (old, new) in names {
        if !text.contains(old) {
            return Err(Error::Unreadable { what: file.into(), text: format!("it does not name {old}") });
        }
        text = text.replace(old, new);
    }
    fs::write(&path, text).map_err(Error::io(path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: other bytes in the worker's program give other names to it and to the script that asks for it, and all who ask follow.
    #[test]
    fn names_follow_what_is_in_the_files() {
        let built = |program: &str| {
            let dist = crate::target().join(format!("hashed-{}-{program}", std::process::id()));
            fs::create_dir_all(&dist).unwrap();
            for (file, text) in [
                (PROGRAM, program),
                (SCRIPT, "new URL('worker_bg.wasm', import.meta.url)"),
                (STARTER, "import init from './worker.js';await init();"),
                (PAGE, "<meta name=\"fairbits-worker\" content=\"worker.js\">"),
            ] {
                fs::write(dist.join(file), text).unwrap();
            }
            name_worker(&dist).unwrap();
            let mut names: Vec<String> =
                fs::read_dir(&dist).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            let texts = names.iter().map(|name| fs::read_to_string(dist.join(name)).unwrap()).collect::<Vec<_>>();
            fs::remove_dir_all(&dist).unwrap();
            (names, texts)
        };
        let ((names, texts), (others, _)) = (built("a"), built("b"));
        let [page, script, program, starter] = &names[..] else { panic!("{names:?}") };
        let (script, program) = if script.ends_with(".js") { (script, program) } else { (program, script) };
        assert_eq!((page.as_str(), starter.as_str()), (PAGE, STARTER));
        assert!(program.starts_with("worker-ca978112ca1bbdca") && program.ends_with("_bg.wasm"), "{program}");
        assert!(!others.contains(script) && !others.contains(program), "{others:?}");
        assert!(texts[0].contains(script) && texts[3].contains(script), "{texts:?}");
        assert!(texts.iter().any(|text| *text == format!("new URL('{program}', import.meta.url)")), "{texts:?}");
    }
}
