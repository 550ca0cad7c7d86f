//! How much memory a page of a browser has held at most. Linux only: read from `/proc`.

use std::{collections::BTreeMap, fs};

/// What `/proc/<pid>/status` says of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Process {
    parent: u32,
    /// Largest resident set so far.
    peak_megabytes: f64,
}

/// The largest resident set of a page below a browser's process: a page and its workers are one process, and the largest of
/// them, as the browser has smaller ones of its own (a blank page, one in reserve). `None` where none can be read.
pub fn peak_of_page(browser: u32) -> Option<f64> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // A process that has just ended has no status; one of the kernel has no memory.
        if let Some(process) = fs::read_to_string(entry.path().join("status")).ok().as_deref().and_then(parse) {
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            all.insert(pid, (process, String::from_utf8_lossy(&command).contains("--type=renderer")));
        }
    }
    let below = |mut pid: u32| {
        while let Some((process, _)) = all.get(&pid) {
            if process.parent == browser {
                return true;
            }
            pid = process.parent;
        }
        false
    };
    let pages = all.iter().filter(|(pid, (_, page))| *page && below(**pid));
    pages.map(|(_, (process, _))| process.peak_megabytes).max_by(f64::total_cmp)
}

fn parse(status: &str) -> Option<Process> {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').split_whitespace().next()?.parse::<u32>().ok()
    };
    Some(Process { parent: field("PPid")?, peak_megabytes: f64::from(field("VmHWM")?) / 1024.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read() {
        let status = "Name:\tchromium\nPid:\t12\nPPid:\t7\nVmPeak:\t  9999 kB\nVmHWM:\t    2048 kB\n";
        assert_eq!(parse(status), Some(Process { parent: 7, peak_megabytes: 2.0 }));
        assert_eq!(parse("Name:\tkthreadd\nPPid:\t0\n"), None, "a process of the kernel");
    }

    #[test]
    fn this_test_shows_no_page() {
        assert_eq!(peak_of_page(std::process::id()), None);
    }
}
