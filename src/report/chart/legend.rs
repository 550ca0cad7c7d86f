//! Which colour and shape is which resource level.

use plotters::style::text_anchor::HPos;

use super::look::{MARK, MUTED, SMALL, SMALL_LETTER};
use super::pen::Pen;
use crate::report::{Resource, labels};

/// From an entry's left edge to its words.
const TO_TEXT: f64 = 2.0 * MARK + 6.0;
/// Height of a line of entries.
const LINE_HEIGHT: f64 = 20.0;

/// A level with its place, relative to the legend's first line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The level.
    pub level: Resource,
    /// Left edge.
    pub x: f64,
    /// Middle of its line.
    pub y: f64,
}

impl Entry {
    /// Right end of its words.
    pub fn end(&self) -> f64 {
        self.x + TO_TEXT + labels::resource_long(self.level).chars().count() as f64 * SMALL_LETTER
    }
}

/// Entries of the levels there are: from `left` where they fit on one line, else from the left edge on as many lines as
/// they need.
pub fn placed(levels: &[Resource], left: f64, width: f64) -> Vec<Entry> {
    let order = [Resource::High, Resource::Middle, Resource::Low, Resource::Unseen, Resource::Unknown];
    let there = order.into_iter().filter(|level| levels.contains(level));
    let entries: Vec<(Resource, f64)> =
        there.map(|level| (level, Entry { level, x: 0.0, y: 0.0 }.end() + 14.0)).collect();
    let whole: f64 = entries.iter().map(|(_, own)| own).sum();
    let start = if left + whole <= width { left } else { 2.0 };
    let (mut x, mut y) = (start, 0.0);
    let mut placed = Vec::with_capacity(entries.len());
    for (level, own) in entries {
        if x > start && x + own > width {
            (x, y) = (start, y + LINE_HEIGHT);
        }
        placed.push(Entry { level, x, y });
        x += own;
    }
    placed
}

/// Draws the entries, the first line at `top`.
pub fn draw(pen: &Pen, entries: &[Entry], top: f64) {
    for Entry { level, x, y } in entries {
        pen.shape(*level, (x + MARK, top + y));
        pen.text(labels::resource_long(*level), (x + TO_TEXT, top + y), SMALL, &MUTED, HPos::Left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_stays_inside() {
        let levels = [Resource::Low, Resource::Middle, Resource::High, Resource::Unseen];
        for width in [280.0, 340.0, 700.0] {
            let legend = placed(&levels, 120.0, width);
            assert_eq!(legend.len(), 4);
            assert!(legend.iter().all(|entry| entry.end() <= width), "{width}: {legend:?}");
        }
        assert_eq!(placed(&levels, 120.0, 340.0)[0].x, 2.0, "from the left edge where it does not fit beside the axis");
        assert!(placed(&levels, 120.0, 700.0).iter().all(|entry| entry.y == 0.0), "one line where there is room");
    }
}
