//! From opening the page to its first result: a fresh profile, so a cold cache, and nothing pressed.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};

use super::Row;
use crate::{Error, Result, chromium::Window, minute};

/// Two slow cores beside other work.
const LIMIT: Duration = Duration::from_secs(120);
/// The best time counts; the worst of everything else.
const ROUNDS: usize = 3;

/// Time, longest task, layout shift and bytes, each with its bar.
pub fn measure(dist: &Path) -> Result<Vec<Row>> {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let (site, watcher) = minute::visit(dist)?;
        let server = site.serve(0).map_err(Error::io("the server of a measurement"))?;
        let _window = Window::open(&server.url("/"))?;
        rounds.push(watcher.wait(LIMIT)?);
    }
    let best = rounds.iter().map(|round| round.seconds).fold(f64::INFINITY, f64::min);
    let worst = |figure: fn(&minute::Seen) -> f64| rounds.iter().map(figure).fold(0.0, f64::max);
    let row = |name: &str, ours, unit| Row { name: name.into(), ours, peer: None, unit, detail: Value::Null };
    let all: Vec<&Value> = rounds.iter().map(|round| &round.detail).collect();
    Ok(vec![
        Row { detail: json!(all), ..row("opening to first result (at most 5000)", 1000.0 * best, "ms") },
        row("longest task of the page (at most 100)", worst(|round| round.longest), "ms"),
        row("layout shift in thousandths (at most 20)", 1000.0 * worst(|round| round.shift), "shift"),
        row("to first result (at most 12)", worst(|round| round.bytes) / 1e6, "MB"),
    ])
}
