//! Pictures of pages, made coarse: a broken layout shows, a font's small differences do not.

use std::io::Cursor;

/// Pixels of a cell's side: a line of text and the space around it.
const CELL: usize = 24;
/// A cell is another when its mean lightness differs by more than this, of 255: text against empty ground is about twice that.
const OTHER: u8 = 20;
/// So much of a picture may be other: a line that wraps elsewhere, a digit that is wider.
const MOST_OTHER: f64 = 0.06;
/// Cells by which heights may differ, and the share of the height: lines that wrap elsewhere add up.
const ROWS: (usize, f64) = (3, 0.03);

/// Mean lightness of each cell of a picture, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    columns: usize,
    cells: Vec<u8>,
}

impl Grid {
    /// Of a screenshot.
    pub fn of_png(bytes: &[u8]) -> Grid {
        let (width, height, channels, pixels) = decoded(bytes);
        assert_eq!(channels, 3, "a screenshot is red, green and blue");
        let (columns, rows) = (width / CELL, height / CELL);
        let mut sums = vec![0_u32; columns * rows];
        // Tens of millions of values, in a test that is not optimised: a plain loop takes a tenth of what iterators take.
        for (y, line) in pixels.chunks_exact(width * channels).take(rows * CELL).enumerate() {
            let sums = &mut sums[y / CELL * columns..][..columns];
            for (sum, values) in sums.iter_mut().zip(line.chunks_exact(CELL * channels)) {
                for value in values {
                    *sum += u32::from(*value);
                }
            }
        }
        Grid { columns, cells: sums.iter().map(|sum| (sum / (CELL * CELL * channels) as u32) as u8).collect() }
    }

    /// As it is kept: a picture of one pixel per cell.
    pub fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.columns as u32, self.rows() as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.cells))
            .expect("a picture in memory");
        bytes
    }

    /// One that was kept.
    pub fn from_png(bytes: &[u8]) -> Grid {
        let (columns, _, channels, cells) = decoded(bytes);
        assert_eq!(channels, 1, "a kept picture is grey");
        Grid { columns, cells }
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }
}

/// Width, height, channels and pixels.
fn decoded(bytes: &[u8]) -> (usize, usize, usize, Vec<u8>) {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().expect("a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a picture of some size")];
    let info = reader.next_frame(&mut pixels).expect("a whole picture");
    (info.width as usize, info.height as usize, info.color_type.samples(), pixels)
}

/// How a picture differs from the kept one, as a sentence; none where it does not.
pub fn difference(kept: &Grid, seen: &Grid) -> Option<String> {
    if kept.columns != seen.columns {
        return Some(format!("{} cells wide instead of {}", seen.columns, kept.columns));
    }
    let (most, apart) = (kept.rows().max(seen.rows()), kept.rows().abs_diff(seen.rows()));
    if apart > ROWS.0.max((most as f64 * ROWS.1) as usize) {
        return Some(format!("{} cells high instead of {}", seen.rows(), kept.rows()));
    }
    // A line more or less above shifts what follows: a row may be found a little higher or lower.
    let row = |of: &Grid, at: usize| of.cells.get(at * of.columns..(at + 1) * of.columns).map(<[u8]>::to_vec);
    let other = |at: usize| {
        let near = (at.saturating_sub(apart + 1)..=at + apart + 1).filter_map(|near| row(seen, near));
        let own = row(kept, at).expect("a row of its own");
        let differing = |near: Vec<u8>| own.iter().zip(near).filter(|(own, near)| own.abs_diff(*near) > OTHER).count();
        near.map(differing).min().unwrap_or(kept.columns)
    };
    let others: usize = (0..kept.rows()).map(other).sum();
    let share = others as f64 / kept.cells.len() as f64;
    (share > MOST_OTHER).then(|| format!("{:.1}% of it looks otherwise", 100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of two panels with lines of text in them.
    fn page(panel: std::ops::Range<usize>, lines: usize) -> Grid {
        let cell = |at: usize| match (at % 40, at / 40) {
            (column, row) if panel.contains(&column) && row % 2 == 0 && row < 2 * lines => 190,
            (column, _) if panel.contains(&column) => 255,
            _ => 247,
        };
        Grid { columns: 40, cells: (0..40 * 60).map(cell).collect() }
    }

    #[test]
    fn a_moved_panel_is_seen_and_a_longer_line_is_not() {
        let kept = page(4..30, 25);
        assert_eq!(Grid::from_png(&kept.png()), kept);
        assert_eq!(difference(&kept, &kept), None);
        let mut longer = kept.clone();
        longer.cells[2 * 40 + 30..2 * 40 + 36].fill(190);
        assert_eq!(difference(&kept, &longer), None);
        let mut shifted = kept.clone();
        shifted.cells.drain(..40);
        assert_eq!(difference(&kept, &shifted), None, "one line less");
        for broken in [page(8..34, 25), page(4..30, 10), Grid { columns: 40, cells: kept.cells[..40 * 50].to_vec() }] {
            assert!(difference(&kept, &broken).is_some());
        }
    }
}
