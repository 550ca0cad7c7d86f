//! What is measured inside the model against numpy and scipy (`fixtures/inside_golden.py`).

use std::{fs, path::Path};

use engine::math::{
    cka::{Hsic, cka, hsic},
    jackknife,
    probe::{Examples, Probe},
    spectrum::{Scatter, eigenvalues},
    transport::{apart, on_a_line},
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    spectrum: Vec<Spectrum>,
    cka: Cka,
    transport: Transport,
    probe: Probed,
    jackknife: Vec<Jackknife>,
}

#[derive(Deserialize)]
struct Spectrum {
    rows: Vec<Vec<f64>>,
    covariance: Vec<f64>,
    eigenvalues: Vec<f64>,
    entropy: f64,
}

#[derive(Deserialize)]
struct Cka {
    texts: Vec<Pair>,
    cka: f64,
}

#[derive(Deserialize)]
struct Pair {
    x: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    hsic: [f64; 3],
}

#[derive(Deserialize)]
struct Transport {
    lines: Vec<Line>,
    x: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    directions: Vec<Vec<f64>>,
    sliced: f64,
    channels: f64,
}

#[derive(Deserialize)]
struct Line {
    a: Vec<f64>,
    b: Vec<f64>,
    first: f64,
    second: f64,
}

#[derive(Deserialize)]
struct Probed {
    features: Vec<Vec<f64>>,
    classes: Vec<usize>,
    train: Vec<bool>,
    fits: Vec<Fit>,
}

#[derive(Deserialize)]
struct Fit {
    ridge: f64,
    guesses: Vec<usize>,
    accuracy: f64,
}

#[derive(Deserialize)]
struct Jackknife {
    value: f64,
    left_out: Vec<f64>,
    low: f64,
    high: f64,
}

fn golden() -> Golden {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/inside.json");
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * (1.0 + expected.abs()), "{found} against {expected}");
}

fn centred(rows: &[Vec<f64>]) -> Vec<f64> {
    let mean = |c: usize| rows.iter().map(|row| row[c]).sum::<f64>() / rows.len() as f64;
    let means: Vec<f64> = (0..rows[0].len()).map(mean).collect();
    rows.iter().flat_map(|row| row.iter().zip(&means).map(|(x, mean)| x - mean).collect::<Vec<_>>()).collect()
}

#[test]
fn eigenvalues_and_entropies_are_those_of_numpy() {
    for Spectrum { rows, covariance, eigenvalues: expected, entropy } in golden().spectrum {
        let width = rows[0].len();
        for (found, expected) in eigenvalues(covariance, width).iter().zip(&expected) {
            close(*found, *expected, 1e-9);
        }
        let mut scatter = Scatter::none(width);
        for row in rows {
            scatter.merge(&Scatter { count: 1.0, mean: row, products: vec![0.0; width * width] });
        }
        close(scatter.entropy(), entropy, 1e-9);
    }
}

#[test]
fn cka_is_that_of_its_definition() {
    let Cka { texts, cka: expected } = golden().cka;
    let mut sum = Hsic::default();
    for Pair { x, y, hsic: [both, of_x, of_y] } in texts {
        let (rows, found) = (x.len() as f64, hsic(&centred(&x), &centred(&y), x[0].len()));
        close(found.both, both, 1e-9);
        close(found.of_x, of_x, 1e-9);
        close(found.of_y, of_y, 1e-9);
        sum = Hsic {
            both: sum.both + rows * found.both,
            of_x: sum.of_x + rows * found.of_x,
            of_y: sum.of_y + rows * found.of_y,
        };
    }
    close(cka(sum), expected, 1e-9);
}

#[test]
fn distances_are_those_of_scipy() {
    let Transport { lines, x, y, directions, sliced, channels } = golden().transport;
    for Line { a, b, first, second } in lines {
        let sorted = |mut of: Vec<f64>| {
            of.sort_by(f64::total_cmp);
            of
        };
        let found = on_a_line(&sorted(a), &sorted(b));
        close(found.0, first, 1e-12);
        close(found.1, second, 1e-12);
    }
    let found = apart(&x.concat(), &y.concat(), x[0].len(), &directions.concat());
    close(found.sliced, sliced, 1e-12);
    close(found.channels, channels, 1e-12);
}

#[test]
fn probes_guess_as_numpy_does() {
    let Probed { features, classes, train, fits } = golden().probe;
    let side = |own: bool| (0..classes.len()).filter(|&at| train[at] == own).collect::<Vec<_>>();
    let (learn, ask) = (side(true), side(false));
    let rows: Vec<Vec<f64>> = learn.iter().map(|&at| features[at].clone()).collect();
    let of: Vec<usize> = learn.iter().map(|&at| classes[at]).collect();
    for Fit { ridge, guesses, accuracy } in fits {
        let probe = Probe::train(Examples { features: &rows, classes: &of }, 4, ridge).unwrap();
        let found: Vec<usize> = ask.iter().map(|&at| probe.guess(&features[at])).collect();
        assert_eq!(found, guesses);
        let right = ask.iter().zip(&found).filter(|(at, guess)| classes[**at] == **guess).count();
        assert_eq!(right as f64 / ask.len() as f64, accuracy);
    }
}

#[test]
fn jackknife_intervals_are_students() {
    for Jackknife { value, left_out, low, high } in golden().jackknife {
        let found = jackknife::interval(value, &left_out);
        close(found.low, low, 1e-12);
        close(found.high, high, 1e-12);
    }
}
