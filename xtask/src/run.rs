//! Running other programs, and saying what is being done and how long it took.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::Mutex,
    time::Instant,
};

use crate::{Error, Result, root};

/// Names and seconds of all steps so far, in the order in which they ended.
static STEPS: Mutex<Vec<(String, f64)>> = Mutex::new(Vec::new());

/// Does one step: tells its name, then how long it took. On standard error: standard output is for results.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("\n== {name}");
    let start = Instant::now();
    let outcome = work();
    let (word, seconds) = (if outcome.is_ok() { "done" } else { "FAILED" }, start.elapsed().as_secs_f64());
    eprintln!("== {name}: {word} in {seconds:.1} s");
    STEPS.lock().expect("no step ends inside another's count").push((name.to_owned(), seconds));
    outcome
}

/// What each step so far took, as a table. Steps may run side by side, so they need not add up.
pub fn table_of_steps() -> String {
    let steps = STEPS.lock().expect("no step ends inside another's count");
    steps.iter().map(|(name, seconds)| format!("{seconds:>8.1} s  {name}\n")).collect()
}

/// A command that starts in the workspace's folder.
pub fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.current_dir(root());
    command
}

/// `cargo` with these arguments: the one that runs us, where there is one.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments);
    if std::env::var_os("CI").is_some() {
        // What makes the next build quick makes the first one slow, and here there is no next.
        cargo.env("CARGO_INCREMENTAL", "0");
    }
    cargo
}

/// Runs to the end with its output on standard error; fails where the program does.
pub fn finish(command: &mut Command) -> Result<()> {
    let status = command.stdout(std::io::stderr()).status().map_err(|source| start_error(command, source))?;
    if status.success() { Ok(()) } else { Err(Error::Ended { command: line(command), status }) }
}

/// Standard output of a program that ends well, or `None`: for asking what is installed.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Standard output of a program that must end well.
pub fn captured(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|source| start_error(command, source))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(Error::Ended { command: line(command), status: output.status }),
    }
}

/// Runs to the end, passing standard output through and showing each line of it to `see`.
pub fn watch(command: &mut Command, mut see: impl FnMut(&str)) -> Result<()> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|source| start_error(command, source))?;
    let mut reader = BufReader::new(child.stdout.take().expect("standard output was piped"));
    let mut text = Vec::new();
    while reader.read_until(b'\n', &mut text).map_err(Error::io(line(command)))? > 0 {
        std::io::stdout().write_all(&text).map_err(Error::io("standard output"))?;
        see(&String::from_utf8_lossy(&text));
        text.clear();
    }
    let status = child.wait().map_err(Error::io(line(command)))?;
    if status.success() { Ok(()) } else { Err(Error::Ended { command: line(command), status }) }
}

/// The command line, for messages.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn start_error(command: &Command, source: std::io::Error) -> Error {
    Error::Start { program: command.get_program().to_string_lossy().into_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_stands_in_the_table_with_its_time() {
        step("a step that ends well", || Ok(())).unwrap();
        step("a step that fails", || Err::<(), _>(Error::Missing("it".into()))).unwrap_err();
        let table = table_of_steps();
        assert!(table.lines().any(|line| line.ends_with(" s  a step that ends well")), "{table}");
        assert!(table.contains("a step that fails"), "{table}");
    }

    #[test]
    fn lines_are_seen_and_failures_told() {
        let mut seen = Vec::new();
        let outcome =
            watch(Command::new("sh").args(["-c", "echo one; echo two; exit 3"]), |line| seen.push(line.to_owned()));
        assert_eq!(seen, ["one\n", "two\n"]);
        assert!(outcome.unwrap_err().to_string().contains("exit status: 3"));
        assert!(matches!(finish(&mut Command::new("no-such-program")), Err(Error::Start { .. })));
        assert_eq!(output(Command::new("sh").args(["-c", "echo hi"])).as_deref(), Some("hi\n"));
        assert_eq!(output(Command::new("sh").args(["-c", "echo hi; false"])), None);
        assert_eq!(captured(Command::new("sh").args(["-c", "echo hi"])).unwrap(), "hi\n");
        assert!(matches!(captured(Command::new("sh").args(["-c", "echo hi; false"])), Err(Error::Ended { .. })));
    }
}
