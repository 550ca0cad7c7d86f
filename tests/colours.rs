//! The colours that stand beside each other in a chart can be told apart by every eye, and read on their ground.

use std::collections::BTreeMap;

const STYLE: &str = include_str!("../public/styles/fairbits.css");
/// CIE76: two figures of this distance are told apart at a glance.
const APART: f64 = 15.0;
/// WCAG AA for text.
const CONTRAST: f64 = 4.5;

/// Colours of lines and marks that a chart may show together.
const SERIES: [&[&str]; 2] = [&["high", "middle", "low", "unseen"], &["first", "second", "third"]];
/// The two ends of the diverging map; both themes have the same.
const ENDS: &[&str] = &["below", "above"];

/// What is left of linear red, green and blue for eyes without one kind of cone (Machado et al. 2009, severity 1).
const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ("protanopia", [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    ("deuteranopia", [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]),
    ("tritanopia", [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]),
];

type Colour = [f64; 3];

/// The colours of the light theme, and of the dark one.
fn themes() -> [BTreeMap<String, Colour>; 2] {
    let (light, rest) = STYLE.split_once("prefers-color-scheme: dark").expect("two themes");
    let (dark, both) = rest.split_once("\n}").expect("the dark theme ends");
    [light, dark].map(|theme| {
        let mut colours = BTreeMap::new();
        for definition in theme.split("--").skip(1).chain(both.split("--").skip(1)) {
            let Some((name, value)) = definition.split_once(": #") else { continue };
            if !name.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-') {
                continue;
            }
            let part = |at: usize| u8::from_str_radix(&value[2 * at..2 * at + 2], 16).expect("six digits");
            // The first of a name is the theme's own.
            colours.entry(name.to_string()).or_insert_with(|| [0, 1, 2].map(|at| linear(part(at))));
        }
        colours
    })
}

fn linear(part: u8) -> f64 {
    let part = f64::from(part) / 255.0;
    if part <= 0.04045 { part / 12.92 } else { libm::pow((part + 0.055) / 1.055, 2.4) }
}

fn encoded(part: f64) -> f64 {
    if part <= 0.0031308 { part * 12.92 } else { 1.055 * libm::pow(part, 1.0 / 2.4) - 0.055 }
}

/// The rules of the style sheet: selector and declarations.
fn rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    STYLE
        .split('}')
        .filter_map(|rule| rule.rsplit_once('{'))
        .map(|(selector, declared)| (selector.rsplit(['{', '/', ';']).next().unwrap_or_default().trim(), declared))
}

/// What a colour written as `var(--a)` or as `color-mix(in srgb, var(--a) 86%, var(--b))` is in a theme.
fn painted(written: &str, theme: &BTreeMap<String, Colour>) -> Colour {
    let named: Vec<Colour> =
        written.split("var(--").skip(1).map(|rest| theme[rest.split(')').next().unwrap_or_default()]).collect();
    match (&named[..], written.split_once("%,")) {
        ([only], None) => *only,
        ([first, second], Some((before, _))) => {
            let percent = before.rsplit(' ').next().and_then(|share| share.parse::<f64>().ok()).expect("a share");
            let mix = |at: usize| encoded(first[at]) * percent / 100.0 + encoded(second[at]) * (1.0 - percent / 100.0);
            [0, 1, 2].map(|at| linear((255.0 * mix(at)) as u8))
        }
        _ => panic!("{written} is no colour that this test reads"),
    }
}

fn contrast(a: Colour, b: Colour) -> f64 {
    (light(a).max(light(b)) + 0.05) / (light(a).min(light(b)) + 0.05)
}

fn times(matrix: &[[f64; 3]; 3], of: Colour) -> Colour {
    matrix.map(|row| row.iter().zip(of).map(|(a, b)| a * b).sum())
}

/// CIELAB under daylight.
fn lab(of: Colour) -> Colour {
    let matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
    let xyz = times(&matrix, of.map(|part| part.clamp(0.0, 1.0)));
    let white = [0.9505, 1.0, 1.089];
    let root = |part: f64| if part > 0.008856 { libm::cbrt(part) } else { 7.787 * part + 16.0 / 116.0 };
    let [x, y, z] = [0, 1, 2].map(|at| root(xyz[at] / white[at]));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn light(of: Colour) -> f64 {
    0.2126 * of[0] + 0.7152 * of[1] + 0.0722 * of[2]
}

#[test]
fn every_eye_tells_series_apart() {
    for (theme, colours) in ["light", "dark"].iter().zip(themes()) {
        for group in SERIES.into_iter().chain([ENDS]) {
            for (eye, matrix) in &EYES {
                let seen = |name: &str| lab(times(matrix, colours[name]));
                for (at, first) in group.iter().enumerate() {
                    for second in &group[at + 1..] {
                        let (a, b) = (seen(first), seen(second));
                        let apart = libm::sqrt(a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum());
                        assert!(apart >= APART, "{first} and {second}, {theme}, {eye}: {apart:.1}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_series_can_be_read_on_a_panel() {
    for (theme, colours) in ["light", "dark"].iter().zip(themes()) {
        for name in SERIES.concat() {
            let contrast = contrast(colours[name], colours["panel"]);
            assert!(contrast >= CONTRAST, "{name}, {theme}: {contrast:.2}");
        }
    }
}

/// Law: a button whose letters are of their own colour can be read, and under the pointer too, where the ground of all buttons
/// changes.
#[test]
fn every_button_can_be_read_under_the_pointer() {
    let value = |declared: &str, name: &str| {
        let own = declared.split(';').find_map(|one| one.trim().strip_prefix(name)?.strip_prefix(": "));
        own.map(str::to_string)
    };
    let ground =
        |selector: &str| rules().filter(|rule| rule.0 == selector).find_map(|rule| value(rule.1, "background"));
    let own: Vec<_> = rules()
        .filter(|(selector, _)| selector.starts_with("button") && !selector.contains(':'))
        .filter_map(|(selector, declared)| Some((selector, value(declared, "color")?, value(declared, "background")?)))
        .collect();
    assert!(own.len() > 1, "{own:?}");
    for (theme, colours) in ["light", "dark"].iter().zip(themes()) {
        for (selector, letters, rest) in &own {
            let hover = ground(&format!("{selector}:hover:not(:disabled)"))
                .or_else(|| ground("button:hover:not(:disabled)"))
                .expect("a ground under the pointer");
            for ground in [rest, &hover] {
                let contrast = contrast(painted(letters, &colours), painted(ground, &colours));
                assert!(contrast >= CONTRAST, "{selector} on {ground}, {theme}: {contrast:.2}");
            }
        }
    }
}
