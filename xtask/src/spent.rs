//! What each test in a browser took, its browser's processor time included: the test says so in a line, and
//! `cargo xtask test` shows the largest.

use std::{collections::BTreeMap, fs, thread, time::Instant};

/// Begins the line.
const MARK: &str = "spent ";
/// Ticks of `/proc/<pid>/stat` per second, on every Linux that has a browser.
const TICKS: f64 = 100.0;
/// Tests in the table.
const SHOWN: usize = 12;

/// Counts from when a test started its browser's driver.
#[derive(Debug)]
pub struct Meter {
    process: u32,
    start: Instant,
}

impl Meter {
    /// Of the driver with this process id and all that it starts.
    pub fn new(process: u32) -> Meter {
        Meter { process, start: Instant::now() }
    }

    /// The line, to be asked for before the processes end. A test's thread has the test's name.
    pub fn line(&self) -> String {
        let (seconds, processor) = (self.start.elapsed().as_secs_f64(), processor_seconds(self.process));
        format!("{MARK}{seconds:.1} s, {processor:.1} CPU-s: {}", thread::current().name().unwrap_or("a test"))
    }
}

/// Processor time of a process and everything below it, ended children that were waited for included. Linux only: 0 elsewhere.
fn processor_seconds(root: u32) -> f64 {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = entries.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        Some((pid, parse(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
    });
    let all: BTreeMap<u32, (u32, u64)> = stats.collect();
    let below = |mut pid: u32| loop {
        match all.get(&pid) {
            _ if pid == root => return true,
            Some((parent, _)) => pid = *parent,
            None => return false,
        }
    };
    let ticks: u64 = all.iter().filter(|(pid, _)| below(**pid)).map(|(_, (_, ticks))| ticks).sum();
    ticks as f64 / TICKS
}

/// Parent and ticks. The name, in brackets, may hold anything.
fn parse(stat: &str) -> Option<(u32, u64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    // Own time and that of ended children, each in user and system.
    let ticks = fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some((fields.get(1)?.parse().ok()?, ticks))
}

/// Lines of tests, as they come.
#[derive(Debug, Default)]
pub struct Spent(Vec<(f64, String)>);

impl Spent {
    /// Notes a line of a [`Meter`]; others count nothing.
    pub fn see(&mut self, line: &str) {
        let Some(rest) = line.trim_end().split(MARK).nth(1) else { return };
        let processor = rest.split(", ").nth(1).and_then(|text| text.split(' ').next()?.parse().ok());
        self.0.extend(processor.map(|processor| (processor, rest.to_owned())));
    }

    /// The tests that took most processor time.
    pub fn table(mut self) -> String {
        self.0.sort_by(|one, other| other.0.total_cmp(&one.0));
        let sum: f64 = self.0.iter().map(|(processor, _)| processor).sum();
        let head = format!("{} browsers took {sum:.0} CPU-s; most of it:\n", self.0.len());
        self.0.iter().take(SHOWN).fold(head, |text, (_, line)| format!("{text}  {line}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_and_ticks_are_read_behind_any_name() {
        let stat = "12 (a) b (c) S 7 12 12 0 -1 4194304 1 2 3 4 100 20 3 4 20 0 1 0 5 6 7";
        assert_eq!(parse(stat), Some((7, 127)));
        assert_eq!(parse("12 (cut) S 7"), None);
    }

    #[test]
    fn the_largest_stands_first_and_its_line_is_that_of_a_meter() {
        let mut spent = Spent::default();
        spent.see("test a ... ok\n");
        spent.see("test b ... spent 9.0 s, 2.5 CPU-s: less\n");
        spent.see(&format!("{}\n", Meter::new(std::process::id()).line()));
        spent.see("spent 1.0 s, 1000000.5 CPU-s: most\n");
        let table = spent.table();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].starts_with("3 browsers took 1000"), "{table}");
        assert_eq!(lines[1], "  1.0 s, 1000000.5 CPU-s: most");
        assert!(table.contains("the_largest_stands_first"), "{table}");
    }
}
