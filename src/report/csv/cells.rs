//! What a cell says: a figure, nothing, or words.

/// What stands between the whole and its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimal {
    /// 1.5
    Point,
    /// 1,5
    Comma,
}

/// What people write where a figure is missing, in small letters.
const MISSING: [&str; 9] = ["", "na", "n/a", "nan", "null", "none", "-", "–", "—"];

impl Decimal {
    /// Of a whole file: a comma where some cell is a figure with one and none has a point.
    pub fn of<'a>(cells: impl Iterator<Item = &'a String>) -> Decimal {
        let mut comma = false;
        for cell in cells {
            if cell.contains('.') && number(cell, Decimal::Point).is_some() {
                return Decimal::Point;
            }
            comma = comma || (cell.contains(',') && number(cell, Decimal::Comma).is_some());
        }
        if comma { Decimal::Comma } else { Decimal::Point }
    }
}

/// Whether a cell says nothing.
pub fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell.trim().to_lowercase().as_str())
}

/// A finite number, written in digits; a true minus sign is one too.
pub fn number(cell: &str, decimal: Decimal) -> Option<f64> {
    let cell = cell.trim().replace('−', "-");
    // `inf`, `infinity` and `nan` are words here.
    let written = cell.chars().all(|c| c.is_ascii_digit() || "+-.,eE".contains(c));
    let cell = match decimal {
        Decimal::Comma if cell.contains('.') => return None,
        Decimal::Comma => cell.replace(',', "."),
        Decimal::Point => cell,
    };
    cell.parse().ok().filter(|number: &f64| written && number.is_finite())
}
