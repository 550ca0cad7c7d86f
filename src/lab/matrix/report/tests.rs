use super::sample::report;
use super::*;
use crate::report::chart::{Drawing, Ground};

#[test]
fn the_sentence_and_the_figures_come_from_the_report() {
    let report = report();
    assert_eq!(
        sentence(&report),
        "Of 24 weights 75.0% become exactly 0, and none is clipped. 3 of the grid’s 3 values are used; the squared error is \
         12.5% of the weights’ variance."
    );
    let clipped = Report { clipped: 6, ..report.clone() };
    assert!(sentence(&clipped).contains("25.0% beyond it are clipped"), "{}", sentence(&clipped));
    let figures = key_figures(&report);
    assert_eq!(figures[0].explained, "where the grid ends: 2.0\u{a0}σ");
    assert!(figures.iter().all(|figure| !figure.value.is_empty() && !figure.explained.is_empty()));
    let per_channel = Report { alpha: (0.5, 1.0), ..report };
    assert!(key_figures(&per_channel)[0].value.contains("0.500 to 1.00"));
}

#[test]
fn a_cell_says_where_it_is_and_what_is_there() {
    let report = report();
    assert_eq!(told(&report, 0, 1), "inputs 0 to 1, outputs 3 to 5: −1.00 before, −1.00 after, difference 0.250");
    let single = Report { cell: (1, 1), size: (4, 6), full: vec![0.0; 24], ..report };
    assert!(told(&single, 3, 5).starts_with("input 3, output 5: 0 before"), "{}", told(&single, 3, 5));
}

#[test]
fn pictures_share_a_scale_whose_middle_is_zero() {
    let report = report();
    let pictures = pictures(&report);
    assert_eq!(pictures.each_ref().map(|picture| picture.key), ["full", "quantized", "difference"]);
    assert!(pictures.iter().all(|picture| picture.pixels.len() == 4 * 4 && picture.size == (2, 2)));
    // The same figure has the same colour, whichever picture it is in.
    assert_eq!(pictures[0].pixels[..4], pictures[2].pixels[..4]);
    let scale = scale(&report);
    assert_eq!(pictures[0].pixels[4..8], scale.pixel(-1.0), "the furthest");
    assert_eq!(pictures[1].pixels[8..12], scale.pixel(0.0), "zero");
    assert_eq!(pictures[1].description, "After: 4 cells from −1.00 to 1.00, 2 of them exactly 0");
}

#[test]
fn looking_closer_ends_at_single_weights() {
    let big = |window: Window, cell, size| Report { channels: (512, 2048), window, cell, size, ..report() };
    let whole = Window { inputs: (0, 512), outputs: (0, 2048) };
    let mut seen = big(whole, (4, 16), (128, 128));
    let mut steps = 0;
    while let Some(window) = closer(&seen, 127.min(seen.size.0 - 1), 0) {
        let sides = [window.inputs, window.outputs].map(|(from, to)| to - from);
        assert!(window.inputs.1 <= 512 && window.outputs.1 <= 2048 && sides.iter().all(|side| *side <= MOST_CELLS));
        assert!(sides[0] * sides[1] < seen.size.0 * seen.cell.0 * seen.size.1 * seen.cell.1, "closer every time");
        seen = big(window, (1, 1), (sides[0], sides[1]));
        steps += 1;
    }
    assert_eq!((steps, seen.size), (3, (16, 16)));
}

#[test]
fn tables_hold_every_cell_and_every_code() {
    let report = report();
    assert_eq!(table(&report).keys.len(), 4);
    let csv = table(&report).csv();
    assert_eq!(csv.lines().nth(4), Some("3,2,3,3,5,0,0,0"));
    assert_eq!(codes_table(&report).csv().lines().nth(1), Some("code--1,-1,2,0.08333333333333333"));
    let figure = codes(&report).draw(500.0, Ground::Page);
    assert_eq!(figure.marks.len(), 3);
    assert!(figure.marks[0].told.starts_with("code −1 (value −1.00): 2 weights"), "{}", figure.marks[0].told);
}
