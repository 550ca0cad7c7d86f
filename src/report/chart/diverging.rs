//! Colours for figures on both sides of zero, indigo below and gold above: neither the blue nor the orange of the resource
//! levels, and apart for colour-blind eyes.
//!
//! Cells of a picture grow ever lighter from the lowest figure through grey to the highest, so that a print without colours
//! still tells the sign. Under text nothing stands at zero, so that the ground shows through in the light and in the dark; there a
//! line above or below the text repeats the sign.

/// Below zero, under text.
pub const BELOW: [u8; 3] = [0x5A, 0x5F, 0xD0];
/// Above zero, under text.
pub const ABOVE: [u8; 3] = [0xB9, 0x8A, 0x00];

/// A cell at the lowest figure, at zero and at the highest.
const CELLS: [[u8; 3]; 3] = [[0x1F, 0x1D, 0x7A], [0x8B, 0x8C, 0x8F], [0xFF, 0xE2, 0x7D]];

/// Steps on each side of zero where text stands on the colour.
pub const STEPS: i8 = 5;
/// How much of the colour text can stand on, in the light and in the dark.
pub const UNDER_TEXT: f64 = 0.6;

/// A scale that is the same on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diverging {
    /// The figure of the full colour.
    pub reach: f64,
}

impl Diverging {
    /// That the figures fit into.
    pub fn over(values: impl Iterator<Item = f64>) -> Diverging {
        Diverging { reach: values.map(f64::abs).filter(|value| value.is_finite()).fold(0.0, f64::max) }
    }

    /// From −1 to 1. The root, so that small figures can be told from none: half the colour is a quarter of the reach.
    pub fn share(&self, value: f64) -> f64 {
        if self.reach <= 0.0 || !value.is_finite() {
            return 0.0;
        }
        libm::sqrt((value.abs() / self.reach).min(1.0)) * value.signum()
    }

    /// Red, green, blue and opacity of a cell.
    pub fn pixel(&self, value: f64) -> [u8; 4] {
        let share = self.share(value);
        let [below, zero, above] = CELLS;
        let far = if share < 0.0 { below } else { above };
        let mixed = |at: usize| {
            let (zero, far) = (f64::from(zero[at]), f64::from(far[at]));
            libm::round(zero + share.abs() * (far - zero)) as u8
        };
        [mixed(0), mixed(1), mixed(2), u8::MAX]
    }

    /// The nearest of the [`STEPS`] on each side.
    pub fn step(&self, value: f64) -> i8 {
        libm::round(self.share(value) * f64::from(STEPS)) as i8
    }

    /// The figure at a share of the colour.
    pub fn at(&self, share: f64) -> f64 {
        share * share.abs() * self.reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sRGB to linear light.
    fn light(colour: [f64; 3]) -> [f64; 3] {
        colour.map(|part| {
            let part = part / 255.0;
            if part <= 0.04045 { part / 12.92 } else { libm::pow((part + 0.055) / 1.055, 2.4) }
        })
    }

    fn times(matrix: [[f64; 3]; 3], light: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0))
    }

    fn lab(light: [f64; 3]) -> [f64; 3] {
        const XYZ: [[f64; 3]; 3] = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let white = [0.9505, 1.0, 1.089];
        let mut f = times(XYZ, light);
        for (f, white) in f.iter_mut().zip(white) {
            let x = *f / white;
            *f = if x > 0.008856 { x.cbrt() } else { 7.787 * x + 16.0 / 116.0 };
        }
        [116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])]
    }

    /// Machado, Oliveira and Fernandes 2009, full severity: what eyes without one kind of cone see.
    const EYES: [[[f64; 3]; 3]; 3] = [
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    #[test]
    fn the_two_sides_keep_apart_for_colour_blind_eyes() {
        for eyes in EYES {
            let [a, b] = [BELOW, ABOVE].map(|colour| lab(times(eyes, light(colour.map(f64::from)))));
            let apart = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            assert!(apart > 50.0, "{apart}; 2.3 is just noticed, 10 at a glance");
        }
    }

    fn luminance(colour: [f64; 3]) -> f64 {
        light(colour).iter().zip([0.2126, 0.7152, 0.0722]).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn a_picture_without_colours_still_tells_the_sign() {
        let scale = Diverging { reach: 1.0 };
        let grey = |share: i32| {
            let [red, green, blue, _] = scale.pixel(scale.at(f64::from(share) / 20.0)).map(f64::from);
            lab([luminance([red, green, blue]); 3])[0]
        };
        for share in -20..20 {
            assert!(grey(share + 1) > grey(share) + 0.5, "{share} of 20: {} and {}", grey(share), grey(share + 1));
        }
        let [low, zero, high] = [-20, 0, 20].map(grey);
        assert!(zero - low > 30.0 && high - zero > 30.0, "{low}, {zero}, {high}; 2.3 is just noticed");
    }

    #[test]
    fn cells_of_both_signs_keep_apart_for_colour_blind_eyes() {
        let scale = Diverging { reach: 1.0 };
        for eyes in EYES {
            let seen = |value: f64| {
                let [red, green, blue, _] = scale.pixel(value).map(f64::from);
                lab(times(eyes, light([red, green, blue])))
            };
            // A quarter of the reach has half the colour.
            for (a, b, least) in [(-1.0, 1.0, 60.0), (-0.25, 0.25, 30.0), (-0.25, 0.0, 10.0), (0.0, 0.25, 10.0)] {
                let apart = seen(a).iter().zip(seen(b)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                assert!(apart > least, "{a} and {b}: {apart}; 2.3 is just noticed, 10 at a glance");
            }
        }
    }

    #[test]
    fn text_can_be_read_on_the_full_colour() {
        let contrast = |a, b| {
            let (a, b): (f64, f64) = (luminance(a) + 0.05, luminance(b) + 0.05);
            a.max(b) / a.min(b)
        };
        // Ink and panel of the style sheet, light and dark.
        for (ink, panel) in [([27.0, 31.0, 36.0], [255.0; 3]), ([230.0, 234.0, 240.0], [22.0, 27.0, 34.0])] {
            for colour in [BELOW, ABOVE] {
                let mixed = [0, 1, 2].map(|at| UNDER_TEXT * f64::from(colour[at]) + (1.0 - UNDER_TEXT) * panel[at]);
                assert!(contrast(ink, mixed) >= 4.5, "{}", contrast(ink, mixed));
            }
        }
    }

    #[test]
    fn the_scale_is_the_same_on_both_sides() {
        let scale = Diverging::over([0.5, -2.0, f64::NAN].into_iter());
        assert_eq!(scale.reach, 2.0);
        for value in [0.0, 0.1, 0.5, 2.0, 9.0] {
            assert_eq!(scale.share(value), -scale.share(-value));
            assert_eq!(scale.step(value), -scale.step(-value));
        }
        assert_eq!((scale.share(0.5), scale.at(0.5), scale.at(-1.0)), (0.5, 0.5, -2.0));
        assert_eq!(scale.pixel(-2.0), [0x1F, 0x1D, 0x7A, 255]);
        assert_eq!((scale.pixel(0.0), scale.pixel(-0.0)), ([0x8B, 0x8C, 0x8F, 255], [0x8B, 0x8C, 0x8F, 255]));
        assert_eq!(Diverging { reach: 0.0 }.share(1.0), 0.0, "nothing to compare with");
    }
}
