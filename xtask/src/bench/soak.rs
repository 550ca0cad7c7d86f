//! An hour in one page: runs, searches that are cancelled, and changes of model, in turns. What the page and its workers hold at
//! the end, beside what they held after five minutes.

use std::{
    path::Path,
    sync::mpsc::{self, RecvTimeoutError},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::Row;
use crate::{
    Error, Result,
    chromium::Window,
    server::{Reply, Site},
};

/// How long a visit is, where nobody says.
pub const MINUTES: u64 = 60;
/// After so many minutes everything has been loaded and run at least once.
const SETTLED: u64 = 5;
/// How often memory is read.
const GLANCE: Duration = Duration::from_secs(5);
/// Memory goes up and down with every run: a figure is the median over so long.
const WINDOW: Duration = Duration::from_secs(120);
/// No turn takes as long as this on two slow cores beside other work.
const TURN: Duration = Duration::from_secs(600);

/// Shows the page in a frame and goes through its turns until the window closes; posts each that is done, or what went wrong.
const FRAME: &str = r##"<!doctype html><title>soak</title>
<iframe width="1200" height="800" src="/#/?workers=2&amp;backend=cpu"></iframe>
<script type="module">
const frame = document.querySelector('iframe');
const find = (selector) => frame.contentDocument?.querySelector(selector);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (what, test) => {
  for (let tries = 0; tries < 6000; tries++, await sleep(50)) {
    const error = find('#error')?.textContent.trim();
    if (error) throw `${what}: ${error}`;
    const found = test();
    if (found) return found;
  }
  const said = (selector) => `${selector}: ${find(selector)?.textContent.trim().slice(0, 120)}`;
  throw [`${what} did not come`, ...['#status', '#run', '#run-hint', '#progress-text', '#notice'].map(said),
    `disabled: ${find('#run')?.disabled}, ${find('#cancel')?.disabled}; model: ${find('#model')?.dataset.state}`].join('; ');
};
const click = async (selector) => (await until(selector, () => find(selector))).click();
const set = async (selector, value, event) => {
  const field = await until(selector, () => find(selector));
  field.value = value;
  field.dispatchEvent(new Event(event, { bubbles: true }));
};
const go = (path) => { frame.contentWindow.location.hash = `#/${path}?workers=2&backend=cpu`; };
const ready = () => until('a model and a free engine', () =>
  find('#model[data-state=loaded]') && find('#run:not(:disabled)') && find('#cancel:disabled'));
const choose = async () => {
  await click('#languages-none');
  for (const code of ['eng', 'kor', 'ell']) await click(`input[name=language][value=${code}]`);
  await set('#units', '2', 'input');
  await set('#resamples', '200', 'input');
};
let models = 0;
const turns = {
  languages: async (round) => {
    go('');
    await ready();
    await choose();
    await click(`input[name=bits][value='${3 + round % 3}']`);
    const before = find('#result')?.dataset.run;
    await ready();
    await click('#run');
    await until('a result', () => find('#result') && find('#result').dataset.run !== before && !find('#quick'));
  },
  gateway: async (round) => {
    go('gateway');
    await ready();
    if (round === 0) await click(`label:has(> input[name=budgets][value='2'])`);
    // Another model takes the choice of languages back.
    await choose();
    await ready();
    await click('#run');
    await until('part of a search', () => find('#result[data-state=partial]') || find('#result[data-state=whole]'));
    if (find('#cancel:not(:disabled)')) await click('#cancel');
    await ready();
  },
  model: async () => {
    const picker = await until('the models', () => find('#model-picker'));
    // Without the entry for an address that is typed.
    const own = [...picker.options].map(({ value }) => value).filter((value) => value && value !== 'other');
    // A model that is kept comes within a glance.
    let left = false;
    const seen = new frame.contentWindow.MutationObserver((changes) => { left ||= changes.some(({ oldValue }) => oldValue === 'loaded'); });
    seen.observe(find('#model'), { attributeFilter: ['data-state'], attributeOldValue: true });
    await set('#model-picker', own[++models % own.length], 'change');
    await until('another model', () => left);
    seen.disconnect();
    await ready();
  },
};
const post = (body) => fetch('/.soaked', { method: 'POST', body: JSON.stringify(body) });
try {
  await ready();
  for (let round = 0; ; round++) {
    for (const [turn, take] of Object.entries(turns)) {
      await take(round);
      await post({ turn });
    }
  }
} catch (fault) {
  await post({ fault: String(fault) });
}
</script>"##;

/// What the page held, and how much it did meanwhile.
pub fn measure(dist: &Path, minutes: u64) -> Result<Vec<Row>> {
    let (post, posted) = mpsc::channel();
    let server = Site::new(dist)
        .hook(move |ask| match ask.path {
            "/.soak" => Reply::Text("text/html; charset=utf-8", FRAME.to_owned()),
            "/.soaked" => {
                post.send(String::from_utf8_lossy(ask.body).into_owned()).ok();
                Reply::Status(200)
            }
            _ => Reply::File,
        })
        .serve(0)
        .map_err(Error::io("the server of a measurement"))?;
    let window = Window::open(&server.url("/.soak"))?;
    let (began, length) = (Instant::now(), Duration::from_secs(60 * minutes));
    let (mut turns, mut last) = (0u32, began);
    let mut held: Vec<(Duration, f64)> = Vec::new();
    while began.elapsed() < length {
        match posted.recv_timeout(GLANCE) {
            Ok(text) => {
                let said: Value = serde_json::from_str(&text).unwrap_or_default();
                if said["turn"].is_null() {
                    return Err(Error::Unreadable { what: format!("turn {}", turns + 1), text });
                }
                (turns, last) = (turns + 1, Instant::now());
            }
            Err(RecvTimeoutError::Timeout) if last.elapsed() < TURN => {}
            Err(_) => return Err(Error::Silent { what: "a turn".into(), seconds: TURN.as_secs() }),
        }
        held.extend(window.megabytes().map(|megabytes| (began.elapsed(), megabytes)));
    }
    let settled = Duration::from_secs(60 * SETTLED.min(minutes / 2));
    let [early, late] =
        [settled, began.elapsed()].map(|end| median(&held, end.saturating_sub(WINDOW), end).unwrap_or(f64::NAN));
    // Whether it grows to the end, or only until everything was met.
    let between: Vec<u64> = (1..minutes.div_ceil(10)).map(|ten| 10 * ten).collect();
    let row = |name: &str, ours, unit| Row { name: name.into(), ours, peer: None, unit, detail: Value::Null };
    let mut rows = vec![row(&format!("page and workers after {} minutes", settled.as_secs() / 60), early, "MB")];
    rows.extend(between.into_iter().filter_map(|minutes| {
        let end = Duration::from_secs(60 * minutes);
        let megabytes = median(&held, end.saturating_sub(WINDOW), end)?;
        Some(row(&format!("the same after {minutes} minutes"), megabytes, "MB"))
    }));
    rows.extend([
        row(&format!("the same after {minutes} minutes"), late, "MB"),
        Row {
            detail: json!(held.iter().map(|(at, megabytes)| (at.as_secs(), megabytes)).collect::<Vec<_>>()),
            ..row("their ratio (at most 1.10)", late / early, "times")
        },
        row("runs, cancelled searches, changes of model", f64::from(turns), "turns"),
    ]);
    Ok(rows)
}

/// The median of what was held from one time to another.
fn median(held: &[(Duration, f64)], from: Duration, to: Duration) -> Option<f64> {
    let mut within: Vec<f64> =
        held.iter().filter(|(at, _)| (from..=to).contains(at)).map(|(_, megabytes)| *megabytes).collect();
    within.sort_by(f64::total_cmp);
    within.get(within.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_of_its_window() {
        let held: Vec<(Duration, f64)> = (0..10).map(|at| (Duration::from_secs(at), (10 * at) as f64)).collect();
        let seconds = Duration::from_secs;
        assert_eq!(median(&held, seconds(2), seconds(4)), Some(30.0));
        assert_eq!(median(&held, seconds(20), seconds(30)), None);
    }
}
