//! How long one waits for `cargo xtask serve` and `cargo xtask test`, in a clone of its own: from nothing, and after a change.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use serde_json::Value;

use super::Row;
use crate::{
    Error, Result, root,
    run::{finish, step},
};

/// A file, a word in it that a person may change, and a test that is concerned.
struct Change {
    file: &'static str,
    word: &'static str,
    test: &'static str,
}

/// A page, and a test that looks at it in a browser.
const PAGE: Change = Change {
    file: "src/lab/weights/page.rs",
    word: "How the weights are spread",
    test: "the_page_works_under_a_sub_path",
};
/// A test in a file of its own, which runs no pass.
const NATIVE: Change =
    Change { file: "tests/layers.rs", word: "it may use only", test: "every_layer_uses_only_the_layers_below_it" };
/// What `serve` says once the page is there.
const SERVED: &str = "Fairbits is at";

/// Seconds, each with its bar. Programs that the system's packages bring stay where they are: no command takes them away again.
pub fn measure(folder: &Path) -> Result<Vec<Row>> {
    let served = Lab::new(folder, "served", "tools")?;
    let mut rows = vec![
        row("serve on a new machine (at most 540)", served.serve()?),
        row("serve after a change in a page (at most 60)", served.after(&PAGE, Lab::serve)?),
    ];
    let cloned = Lab { clone: clone(folder, "cloned")?, ..served };
    rows.push(row("test in a new clone with tools (at most 2100)", cloned.test(&[])?));
    // The page that one test looks at is built once before a person changes it.
    cloned.test(&[PAGE.test])?;
    rows.extend([
        row("one native test after a change in its file (60)", cloned.after(&NATIVE, |lab| lab.test(&[NATIVE.test]))?),
        row("one browser test after a change in a page (120)", cloned.after(&PAGE, |lab| lab.test(&[PAGE.test]))?),
    ]);
    rows.push(row("test on a new machine (at most 2700)", Lab::new(folder, "new", "no-tools")?.test(&[])?));
    Ok(rows)
}

/// A clone of the last commit, in an empty folder.
fn clone(folder: &Path, name: &str) -> Result<PathBuf> {
    let clone = folder.join(name);
    fs::remove_dir_all(&clone).ok();
    finish(Command::new("git").args(["clone", "--quiet"]).arg(root()).arg(&clone))?;
    Ok(clone)
}

fn row(name: &str, seconds: f64) -> Row {
    Row { name: name.into(), ours: seconds, peer: None, unit: "s", detail: Value::Null }
}

/// A clone, and the folder where its commands look for tools.
struct Lab {
    clone: PathBuf,
    tools: PathBuf,
}

impl Lab {
    /// A new clone, and no tools until its first command has built them.
    fn new(folder: &Path, name: &str, tools: &str) -> Result<Lab> {
        let tools = folder.join(tools);
        fs::remove_dir_all(&tools).ok();
        Ok(Lab { clone: clone(folder, name)?, tools })
    }

    fn xtask(&self, arguments: &[&str]) -> Command {
        let mut xtask = Command::new("cargo");
        xtask.arg("xtask").args(arguments).current_dir(&self.clone).stdin(Stdio::null());
        xtask.env("FAIRBITS_TOOLS", &self.tools).env_remove("CARGO_TARGET_DIR");
        xtask
    }

    /// Until the page is served.
    fn serve(&self) -> Result<f64> {
        step("wait for serve", || {
            let start = Instant::now();
            let mut serve = self.xtask(&["serve", "--no-open", "--port", "0"]);
            let mut serve = serve
                .stdout(Stdio::piped())
                .spawn()
                .map_err(|source| Error::Start { program: "cargo".into(), source })?;
            let lines = BufReader::new(serve.stdout.take().expect("standard output was piped")).lines();
            let served = lines.map_while(std::result::Result::ok).any(|line| line.contains(SERVED));
            let seconds = start.elapsed().as_secs_f64();
            serve.kill().ok();
            serve.wait().ok();
            if served { Ok(seconds) } else { Err(Error::Silent { what: "serve".into(), seconds: seconds as u64 }) }
        })
    }

    /// Until every check, or those of one name, have passed.
    fn test(&self, names: &[&str]) -> Result<f64> {
        step("wait for test", || {
            let start = Instant::now();
            finish(&mut self.xtask(&[&["test"][..], names].concat()))?;
            Ok(start.elapsed().as_secs_f64())
        })
    }

    /// After a change in what is compiled: a comment more would not ask for new code.
    fn after(&self, change: &Change, work: impl Fn(&Self) -> Result<f64>) -> Result<f64> {
        let path = self.clone.join(change.file);
        let failed = |source| Error::io(path.display().to_string())(source);
        let text = fs::read_to_string(&path).map_err(failed)?;
        let changed = text.replacen(change.word, &format!("{}, changed", change.word), 1);
        if changed == text {
            return Err(Error::Missing(format!("there is no {:?} in {} to change", change.word, change.file)));
        }
        fs::write(&path, changed).map_err(failed)?;
        work(self)
    }
}
