//! Numbers as people read them: as many digits as the interval supports, thousands grouped, units named.

use crate::math::statistics::Interval;

/// An interval is shown at least this many steps of its last digit wide: 0.12 [0.08, 0.17], 4.1 [2.2, 7.0].
const STEPS_PER_INTERVAL: f64 = 8.0;
/// More decimals than this are noise in every figure of the lab.
const MOST_DECIMALS: usize = 5;
/// From here on a number is written as a power of ten.
const SCIENTIFIC_FROM: f64 = 1e7;
/// Significant digits of a figure that has no interval of its own.
const SIGNIFICANT: i32 = 3;

/// Decimals for figures whose interval is `width` wide.
pub fn decimals_for(width: f64) -> usize {
    if !width.is_finite() || width <= 0.0 {
        return SIGNIFICANT as usize;
    }
    let decimals = libm::ceil(-libm::log10(width / STEPS_PER_INTERVAL));
    (decimals.max(0.0) as usize).min(MOST_DECIMALS)
}

/// A number with a fixed count of decimals, grouped, with a true minus sign.
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return "not a number".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.into();
    }
    if value.abs() >= SCIENTIFIC_FROM {
        return scientific(value);
    }
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = digits.split_once('.').map_or((digits.as_str(), None), |(w, f)| (w, Some(f)));
    let zero = digits.bytes().all(|b| b == b'0' || b == b'.');
    let mut text = String::new();
    if value < 0.0 && !zero {
        text.push('−');
    }
    text.push_str(&grouped(whole));
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// A lone number with three significant digits: 0.0123, 4.57, 1,234.
pub fn figure(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return fixed(value, 0);
    }
    let exponent = libm::floor(libm::log10(value.abs())) as i32;
    fixed(value, (SIGNIFICANT - 1 - exponent).clamp(0, MOST_DECIMALS as i32) as usize)
}

/// Under this a lone figure is written as a power of ten.
const SMALL_UNDER: f64 = 1e-3;

/// As [`figure`], and what is too small for its decimals as a power of ten: 2.4×10⁻⁷.
pub fn small(value: f64) -> String {
    if value != 0.0 && value.abs() < SMALL_UNDER { scientific(value) } else { figure(value) }
}

/// 0.01, 1, 1,000 near one; 10⁻⁵, 10⁷ far from it.
pub fn power_of_ten(exponent: i32) -> String {
    match exponent {
        -3..=0 => format!("{:.*}", exponent.unsigned_abs() as usize, libm::pow(10.0, f64::from(exponent))),
        1..=6 => count(10u64.pow(exponent as u32)),
        _ => format!("10{}", exponent.to_string().chars().map(superscript).collect::<String>()),
    }
}

/// `0.12 [0.08, 0.17]`.
pub fn interval(of: &Interval) -> String {
    let (value, bounds) = interval_parts(of);
    format!("{value} {bounds}")
}

/// The figure and its brackets apart, with the same decimals: `("0.12", "[0.08, 0.17]")`.
pub fn interval_parts(of: &Interval) -> (String, String) {
    written(of, decimals_for(of.high - of.low))
}

/// The same in a column that has `decimals` in common. A figure whose interval is far narrower than its neighbours' keeps
/// one digit less than it would have alone, so that it does not vanish; one whose interval is far wider has one more at
/// most, and stays whole where it would be alone.
pub fn interval_parts_in_column(of: &Interval, decimals: usize) -> (String, String) {
    let own = decimals_for(of.high - of.low);
    let most = if own > 0 { own + 1 } else { 0 };
    written(of, decimals.clamp(own.saturating_sub(1), most))
}

/// Decimals for a column: those of its median interval.
pub fn common_decimals<'a>(column: impl IntoIterator<Item = &'a Interval>) -> usize {
    let mut widths: Vec<f64> =
        column.into_iter().map(|of| of.high - of.low).filter(|width| width.is_finite()).collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).map_or(0, |median| decimals_for(*median))
}

fn written(of: &Interval, decimals: usize) -> (String, String) {
    (fixed(of.value, decimals), format!("[{}, {}]", fixed(of.low, decimals), fixed(of.high, decimals)))
}

/// A whole number, grouped.
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// `7 articles`, `1 article`.
pub fn counted(value: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(value), if value == 1 { "" } else { "s" })
}

/// Decimal units: 512 B, 3.4 kB, 12.8 MB.
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 4] = ["B", "kB", "MB", "GB"];
    let mut scaled = value as f64;
    let mut unit = 0;
    // 999.95 would be shown as 1000.0 of the smaller unit.
    while scaled >= 999.95 && unit + 1 < UNITS.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{value} B") } else { format!("{} {}", fixed(scaled, 1), UNITS[unit]) }
}

/// A share of one as per cent; what is there but too small to show is not called 0.
pub fn percent(share: f64) -> String {
    let per_cent = share * 100.0;
    match per_cent {
        0.0 => "0%".into(),
        ..0.0005 => "<0.001%".into(),
        ..0.1 => format!("{}%", fixed(per_cent, 3)),
        ..10.0 => format!("{}%", fixed(per_cent, 2)),
        _ => format!("{}%", fixed(per_cent, 1)),
    }
}

/// 0.4 s, 12 s, 1 min 20 s, 2 h 3 min.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".into();
    }
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let whole = libm::round(seconds) as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

fn scientific(value: f64) -> String {
    let mut exponent = libm::floor(libm::log10(value.abs())) as i32;
    let mut mantissa = value.abs() / libm::pow(10.0, f64::from(exponent));
    if mantissa >= 9.95 {
        mantissa /= 10.0;
        exponent += 1;
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let raised: String = exponent.to_string().chars().map(superscript).collect();
    format!("{sign}{mantissa:.1}×10{raised}")
}

fn superscript(digit: char) -> char {
    match digit {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        '-' => '⁻',
        other => other,
    }
}

fn grouped(whole: &str) -> String {
    let mut text = String::with_capacity(whole.len() + whole.len() / 3);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(value: f64, low: f64, high: f64) -> String {
        interval(&Interval { value, low, high })
    }

    #[test]
    fn an_interval_decides_its_own_digits() {
        assert_eq!(of(0.12, 0.08, 0.17), "0.12 [0.08, 0.17]");
        assert_eq!(of(4.1, 2.2, 7.0), "4.1 [2.2, 7.0]");
        assert_eq!(of(0.0012, -0.0004, 0.0031), "0.0012 [−0.0004, 0.0031]");
        assert_eq!(of(1234.5, 1100.0, 1400.0), "1,234 [1,100, 1,400]");
        assert_eq!(of(0.5, 0.5, 0.5), "0.500 [0.500, 0.500]");
    }

    #[test]
    fn a_column_shares_its_decimals() {
        let column = [(0.2, 0.15, 0.26), (0.133, 0.1, 0.176), (0.05, 0.035, 0.07), (0.003, 0.0025, 0.0035)]
            .map(|(value, low, high)| Interval { value, low, high });
        let decimals = common_decimals(&column);
        assert_eq!(decimals, 3);
        let shown = column.map(|of| interval_parts_in_column(&of, decimals).0);
        assert_eq!(shown, ["0.200", "0.133", "0.050", "0.003"]);
        assert_eq!(interval_parts_in_column(&column[3], 0).0, "0.003", "a column of whole numbers does not hide it");
        let wide = Interval { value: 3749.1, low: 3003.0, high: 6926.5 };
        assert_eq!(interval_parts_in_column(&wide, 3).0, "3,749", "nor does one of thousandths blow up thousands");
        assert_eq!(common_decimals(&[]), 0);
    }

    #[test]
    fn lone_figures_keep_three_digits() {
        assert_eq!(figure(0.0), "0");
        assert_eq!(figure(0.012345), "0.0123");
        assert_eq!(figure(-4.567), "−4.57");
        assert_eq!(figure(123456.0), "123,456");
        assert_eq!(figure(2.5e9), "2.5×10⁹");
        assert_eq!(figure(9.99e7), "1.0×10⁸");
        assert_eq!(figure(f64::INFINITY), "∞");
        assert_eq!(figure(f64::NAN), "not a number");
    }

    #[test]
    fn powers_of_ten_and_small_figures() {
        assert_eq!([-5, -3, 0, 1, 4, 7].map(power_of_ten), ["10⁻⁵", "0.001", "1", "10", "10,000", "10⁷"]);
        assert_eq!([0.0, 2.44e-7, -0.0005, 0.0123, 4.5].map(small), ["0", "2.4×10⁻⁷", "−5.0×10⁻⁴", "0.0123", "4.50"]);
    }

    #[test]
    fn what_rounds_to_zero_has_no_sign() {
        assert_eq!(fixed(-0.0004, 2), "0.00");
        assert_eq!(fixed(-0.006, 2), "−0.01");
    }

    #[test]
    fn bytes_durations_shares() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1500), "1.5 kB");
        assert_eq!(bytes(999_960), "1.0 MB");
        assert_eq!(bytes(12_800_000), "12.8 MB");
        assert_eq!(duration(0.04), "0.0 s");
        assert_eq!(duration(9.96), "10 s");
        assert_eq!(duration(80.0), "1 min 20 s");
        assert_eq!(duration(7380.0), "2 h 3 min");
        assert_eq!(duration(f64::NAN), "unknown");
        assert_eq!(percent(0.0027), "0.27%");
        assert_eq!(percent(0.00004), "0.004%");
        assert_eq!(percent(0.5), "50.0%");
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(1e-7), "<0.001%");
        assert_eq!(counted(1, "article"), "1 article");
        assert_eq!(counted(1200, "token"), "1,200 tokens");
    }

    proptest! {
        /// Grouping and signs change the look, never the number.
        #[test]
        fn fixed_reads_back(value in -9e6..9e6f64, decimals in 0usize..6) {
            let plain = fixed(value, decimals).replace(',', "").replace('−', "-");
            let step = libm::pow(10.0, -(decimals as f64));
            prop_assert!((plain.parse::<f64>().unwrap() - value).abs() <= step * 0.5000001);
        }

        /// Ends that differ by the stated width never look equal.
        #[test]
        fn ends_stay_apart(low in -100.0..100.0f64, width in 1e-3..100.0f64) {
            let decimals = decimals_for(width);
            prop_assert_ne!(fixed(low, decimals), fixed(low + width, decimals));
        }
    }
}
