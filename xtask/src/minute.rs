//! The first minute of a visit, watched from inside the page: what the browser tests and the bench both measure.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver},
    },
    time::Duration,
};

use serde_json::Value;

use crate::{
    Error, Result,
    server::{Ask, Reply, Site},
};

/// Seconds from opening the page to the first result on the screen, on two cores.
pub const MOST_SECONDS: f64 = 5.0;
/// Milliseconds that the page's thread may be busy without a break, once the page stands.
pub const LONGEST_TASK: f64 = 100.0;
/// The browser's measure of what moves without having been touched.
pub const MOST_SHIFT: f64 = 0.02;
/// Bytes that come over the network before the first result stands.
pub const MOST_BYTES: f64 = 12e6;

/// Stands before the page's first script. `window.minute` has the milliseconds at which the page stood and at which the first
/// result was painted, tasks of more than 50 ms as `[begin, length]`, and layout shifts as `[time, share, what moved]`.
const WATCH: &str = r#"
window.minute = { stood: null, result: null, tasks: [], shifts: [] };
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) minute.tasks.push([task.startTime, task.duration]);
}).observe({ type: 'longtask', buffered: true });
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) {
    if (!shift.hadRecentInput) minute.shifts.push([shift.startTime, shift.value, shift.sources.map(({ node }) => {
      const element = node?.nodeType === 1 ? node : node?.parentElement;
      return element ? `${element.tagName.toLowerCase()}#${element.id}.${element.className}` : '';
    }).join(' ')]);
  }
}).observe({ type: 'layout-shift', buffered: true });
new MutationObserver((changes, observer) => {
  const now = performance.now();
  if (minute.stood === null && document.querySelector('#run')) minute.stood = now;
  if (!document.querySelector('#sentence')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => {
    minute.result = performance.now();
    // What the browser has seen so far reaches the observers a little later.
    setTimeout(() => {
      const { stood, tasks, shifts } = minute;
      const longest = Math.max(0, ...tasks.filter(([begin]) => begin > stood).map(([, length]) => length));
      const shift = shifts.reduce((sum, [, value]) => sum + value, 0);
      fetch('/.seen', { method: 'POST', body: JSON.stringify({ ...minute, longest, shift }) });
    }, 200);
  }));
}).observe(document, { childList: true, subtree: true });
"#;

/// Where the page posts what was seen.
const SEEN: &str = "/.seen";

/// A built page that is watched, and who hears what was seen.
pub fn visit(dist: &Path) -> Result<(Site, Watcher)> {
    let start = dist.join("start.js");
    let start = fs::read_to_string(&start).map_err(Error::io(start.display().to_string()))?;
    let (sent, (post, seen)) = (Arc::new(AtomicU64::new(0)), mpsc::channel());
    let hook = move |ask: &Ask| match ask.path {
        "/start.js" => Reply::Text("text/javascript", format!("{WATCH}{start}")),
        SEEN => {
            post.send(String::from_utf8_lossy(ask.body).into_owned()).ok();
            Reply::Status(200)
        }
        _ => Reply::File,
    };
    Ok((Site::new(dist).counted(sent.clone()).hook(hook), Watcher { sent, seen }))
}

/// Sees the first result come.
pub struct Watcher {
    sent: Arc<AtomicU64>,
    seen: Receiver<String>,
}

/// What was seen at the first result.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// From opening the page to the first result on the screen.
    pub seconds: f64,
    /// The longest task after the page stood, in milliseconds.
    pub longest: f64,
    /// Sum of layout shifts.
    pub shift: f64,
    /// Bytes that came over the network.
    pub bytes: f64,
    /// Everything.
    pub detail: Value,
}

impl Watcher {
    /// Waits for the first result.
    pub fn wait(&self, limit: Duration) -> Result<Seen> {
        let what = "the first minute";
        let silent = || Error::Silent { what: what.into(), seconds: limit.as_secs() };
        let text = self.seen.recv_timeout(limit).map_err(|_| silent())?;
        let bytes = self.sent.load(Ordering::Relaxed) as f64;
        let unreadable = || Error::Unreadable { what: what.into(), text: text.clone() };
        let detail: Value = serde_json::from_str(&text).map_err(|_| unreadable())?;
        let figure = |name: &str| detail[name].as_f64().ok_or_else(unreadable);
        let (seconds, longest, shift) = (figure("result")? / 1000.0, figure("longest")?, figure("shift")?);
        Ok(Seen { seconds, longest, shift, bytes, detail })
    }
}
