//! A matrix as pixels.

use super::Report;
use crate::report::chart::diverging::Diverging;
use crate::report::format;

/// One of the three pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// On the page's elements.
    pub key: &'static str,
    /// Above it.
    pub title: &'static str,
    /// It in words, for those who do not see it.
    pub description: String,
    /// Cells from left to right and from top to bottom.
    pub size: (usize, usize),
    /// Red, green, blue and opacity of each cell, row after row.
    pub pixels: Vec<u8>,
}

/// The scale that all three share: the furthest of any cell has the full colour.
pub fn scale(report: &Report) -> Diverging {
    let all = [&report.full, &report.quantized, &report.difference];
    Diverging::over(all.into_iter().flatten().copied())
}

/// Before, after, and the difference.
pub fn pictures(report: &Report) -> [Picture; 3] {
    let scale = scale(report);
    let all = [
        ("full", "Before", &report.full),
        ("quantized", "After", &report.quantized),
        ("difference", "Difference", &report.difference),
    ];
    all.map(|(key, title, cells)| {
        let furthest = Diverging::over(cells.iter().copied()).reach;
        let zero = cells.iter().filter(|value| **value == 0.0).count();
        Picture {
            key,
            title,
            description: format!(
                "{title}: {} cells from −{furthest} to {furthest}, {} of them exactly 0",
                cells.len(),
                format::count(zero as u64),
                furthest = format::small(furthest)
            ),
            size: (report.size.1, report.size.0),
            pixels: cells.iter().flat_map(|value| scale.pixel(*value)).collect(),
        }
    })
}
