//! Which file a path names, what type it is, and which of its bytes were asked for.

use std::{
    path::{Component, Path, PathBuf},
    time::UNIX_EPOCH,
};

use percent_encoding::percent_decode_str;

use crate::squeeze;

/// Path of a request target: without query and fragment, percent-decoded; `None` where it is not UTF-8.
pub fn decode(target: &str) -> Option<String> {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    percent_decode_str(path).decode_utf8().ok().map(|path| path.into_owned())
}

/// The file that `relative` (decoded, below `root`) names; `None` where it would leave `root`.
pub fn resolve(root: &Path, relative: &str) -> Option<PathBuf> {
    if relative.contains(['\\', '\0']) {
        return None;
    }
    let relative = relative.trim_start_matches('/');
    let plain = Path::new(relative).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    plain.then(|| root.join(relative))
}

/// MIME type by extension. Browsers compile wasm while it streams only if it is called `application/wasm`.
pub fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The same file under gzip, where the build has left it beside and the file has not changed since.
pub fn squeezed(path: &Path) -> Option<PathBuf> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(squeeze::ENDING);
    let changed = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
    Some(PathBuf::from(beside)).filter(|beside| changed(beside).is_some_and(|then| Some(then) >= changed(path)))
}

/// A name of what a program or a text holds now.
pub fn version(path: &Path) -> Option<String> {
    squeeze::is_worth(path).then_some(())?;
    let found = path.metadata().ok()?;
    let changed = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("\"{:x}-{:x}\"", found.len(), changed.as_nanos()))
}

/// Which bytes of a file to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of them: no range was asked for, or one in a form that RFC 9110 lets a server ignore.
    Whole,
    /// `first..=last`.
    Range(u64, u64),
    /// The range begins beyond the end.
    Unsatisfiable,
}

/// Reads a `Range` header for a file of `size` bytes. Several ranges at once are answered with the whole file.
pub fn part(header: Option<&str>, size: u64) -> Part {
    let Some(range) = header.and_then(|header| header.strip_prefix("bytes=")) else { return Part::Whole };
    let Some((first, last)) = range.split_once('-') else { return Part::Whole };
    let (first, last) = (first.trim(), last.trim());
    let bounds = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => (first, last.min(size.saturating_sub(1))),
        (Ok(first), Err(_)) if last.is_empty() => (first, size.saturating_sub(1)),
        (Err(_), Ok(0)) if first.is_empty() => return Part::Unsatisfiable,
        (Err(_), Ok(suffix)) if first.is_empty() => (size.saturating_sub(suffix), size.saturating_sub(1)),
        _ => return Part::Whole,
    };
    if bounds.0 >= size { Part::Unsatisfiable } else { Part::Range(bounds.0, bounds.1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_root() {
        let root = Path::new("/srv/dist");
        let named = |target: &str| resolve(root, &decode(target)?);
        assert_eq!(named("/models/a/card.json?v=1#x").unwrap(), Path::new("/srv/dist/models/a/card.json"));
        assert_eq!(named("/a%20b.json").unwrap(), Path::new("/srv/dist/a b.json"));
        assert_eq!(named("//etc/passwd").unwrap(), Path::new("/srv/dist/etc/passwd"));
        for escape in ["/../secret", "/a/../../secret", "/%2e%2e/secret", "/a/%2e%2e%2f%2e%2e/secret", "/..%5csecret"] {
            assert_eq!(named(escape), None, "{escape}");
        }
        assert_eq!(named("/a%00b"), None);
        assert_eq!(named("/%ff"), None);
    }

    #[test]
    fn ranges_follow_rfc_9110() {
        assert_eq!(part(None, 10), Part::Whole);
        assert_eq!(part(Some("bytes=2-4"), 10), Part::Range(2, 4));
        assert_eq!(part(Some("bytes=2-"), 10), Part::Range(2, 9));
        assert_eq!(part(Some("bytes=2-99"), 10), Part::Range(2, 9));
        assert_eq!(part(Some("bytes=-3"), 10), Part::Range(7, 9));
        assert_eq!(part(Some("bytes=-30"), 10), Part::Range(0, 9));
        for beyond in ["bytes=10-", "bytes=10-12", "bytes=-0"] {
            assert_eq!(part(Some(beyond), 10), Part::Unsatisfiable, "{beyond}");
        }
        assert_eq!(part(Some("bytes=0-0"), 0), Part::Unsatisfiable);
        for ignored in ["bytes=4-2", "bytes=0-1,3-4", "bytes=x-", "items=0-1", "bytes=-", "bytes=1"] {
            assert_eq!(part(Some(ignored), 10), Part::Whole, "{ignored}");
        }
    }

    #[test]
    fn wasm_is_called_wasm() {
        assert_eq!(mime(Path::new("a/worker_bg.wasm")), "application/wasm");
        assert_eq!(mime(Path::new("worker.js")), "text/javascript; charset=utf-8");
        assert_eq!(mime(Path::new("model.safetensors")), "application/octet-stream");
    }
}
