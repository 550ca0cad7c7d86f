//! How much memory a page of a browser holds, and has held at most. Linux only: read from `/proc`.

use std::{collections::BTreeMap, fs};

/// What `/proc/<pid>/status` says of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Process {
    parent: u32,
    /// Resident set now.
    megabytes: f64,
    /// Largest resident set so far.
    peak_megabytes: f64,
}

/// The resident set of a page below a browser's process, in megabytes: now, and the largest so far. A page and its workers are
/// one process, and the largest of them, as the browser has smaller ones of its own (a blank page, one in reserve). `None` where
/// none can be read.
pub fn of_page(browser: u32) -> Option<(f64, f64)> {
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
    let pages = pages.map(|(_, (process, _))| (process.megabytes, process.peak_megabytes));
    pages.max_by(|one, other| one.1.total_cmp(&other.1))
}

fn parse(status: &str) -> Option<Process> {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').split_whitespace().next()?.parse::<u32>().ok()
    };
    let megabytes = |name| field(name).map(|kilobytes| f64::from(kilobytes) / 1024.0);
    Some(Process { parent: field("PPid")?, megabytes: megabytes("VmRSS")?, peak_megabytes: megabytes("VmHWM")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read() {
        let status =
            "Name:\tchromium\nPid:\t12\nPPid:\t7\nVmPeak:\t  9999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(parse(status), Some(Process { parent: 7, megabytes: 1.0, peak_megabytes: 2.0 }));
        assert_eq!(parse("Name:\tkthreadd\nPPid:\t0\n"), None, "a process of the kernel");
    }

    #[test]
    fn this_test_shows_no_page() {
        assert_eq!(of_page(std::process::id()), None);
    }
}
