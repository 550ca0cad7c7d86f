//! A table column by column: from one list follow the page's sortable table, CSV, and the data of the bench. [`super::rows`]
//! declares it.

use std::cmp::Ordering;

use super::language::Language;
use super::{Interval, Resource, chance::Chance, format};

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name in CSV and in the page's `data-figure`; no other column of the table has it.
    pub key: &'static str,
    /// Heading.
    pub title: String,
    /// What the heading means, as a sentence.
    pub explained: &'static str,
    /// Whether its cells are [`Cell::Figure`]s, which take three columns in CSV.
    pub with_interval: bool,
    /// One per row.
    pub cells: Vec<Cell>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A word that stands for a rank: sorted by the rank.
    Ranked(u8, String),
    /// A whole number.
    Count(u64),
    /// A size.
    Bytes(u64),
    /// A figure without an interval: it is of the weights, not of a sample.
    Number(f64),
    /// A share of one.
    Share(f64),
    /// A permutation p: a bound where no shuffle came as far.
    Chance(Chance),
    /// A figure with its interval.
    Figure(Interval),
    /// The source does not say.
    Missing,
}

/// A row that is a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// ISO 639-3.
    pub code: String,
    /// English name.
    pub name: String,
    /// Name in its own script.
    pub endonym: String,
    /// `ltr` or `rtl`.
    pub direction: String,
    /// Colour and shape.
    pub level: Resource,
}

impl From<&Language> for Head {
    fn from(language: &Language) -> Head {
        let Language { code, name, endonym, direction, resource: level, .. } = language.clone();
        Head { code, name, endonym, direction, level }
    }
}

/// A table. `keys` name the rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What a row is: `language`. In CSV the keys stand under this name.
    pub of: &'static str,
    /// One per row: the language's code.
    pub keys: Vec<String>,
    /// One per row where rows are languages.
    pub heads: Vec<Head>,
    /// One per row: whether it stands apart, below the others, whatever the order.
    pub apart: Vec<bool>,
    /// From left to right.
    pub columns: Vec<Column>,
}

impl Cell {
    /// As a person reads it.
    pub fn shown(&self) -> String {
        match self {
            Cell::Text(text) | Cell::Ranked(_, text) => text.clone(),
            Cell::Count(count) => format::count(*count),
            Cell::Bytes(bytes) => format::bytes(*bytes),
            Cell::Number(number) => format::small(*number),
            Cell::Share(share) => format::percent(*share),
            Cell::Chance(chance) => chance.figure(),
            Cell::Figure(figure) => format::interval(figure),
            Cell::Missing => "–".into(),
        }
    }

    /// Numbers in full, and of a figure its value.
    pub fn written(&self) -> String {
        match self {
            Cell::Text(text) | Cell::Ranked(_, text) => text.clone(),
            Cell::Count(count) | Cell::Bytes(count) => count.to_string(),
            Cell::Number(number) | Cell::Share(number) => number.to_string(),
            Cell::Chance(chance) => chance.p.to_string(),
            Cell::Figure(figure) => figure.value.to_string(),
            Cell::Missing => String::new(),
        }
    }
}

impl Column {
    /// Decimals that its figures have in common.
    pub fn decimals(&self) -> usize {
        let figure = |cell: &Cell| match cell {
            Cell::Figure(figure) => Some(*figure),
            _ => None,
        };
        format::common_decimals(&self.cells.iter().filter_map(figure).collect::<Vec<Interval>>())
    }

    /// Its names in CSV.
    fn names(&self) -> Vec<String> {
        let endings: &[&str] = if self.with_interval { &["", "_low", "_high"] } else { &[""] };
        endings.iter().map(|ending| format!("{}{ending}", self.key)).collect()
    }

    /// A cell under each of these names.
    fn fields(&self, row: usize) -> Vec<String> {
        match &self.cells[row] {
            Cell::Figure(figure) => [figure.value, figure.low, figure.high].map(|x| x.to_string()).to_vec(),
            Cell::Missing if self.with_interval => vec![String::new(); 3],
            other => vec![quoted(&other.written())],
        }
    }
}

impl Table {
    /// The column of this key.
    pub fn column(&self, key: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.key == key)
    }

    /// A cell by the number of its row and the key of its column, both of which must be there.
    pub fn cell(&self, row: usize, key: &str) -> &Cell {
        &self.column(key).unwrap_or_else(|| panic!("no column {key} in {:?}", self.names())).cells[row]
    }

    /// Takes in a column. Whoever reads the file finds a column by its name, so that no other may have it.
    pub(super) fn push(&mut self, column: Column) {
        self.columns.push(column);
        debug_assert!(self.has_names_apart(), "two columns of one name: {:?}", self.names());
    }

    fn has_names_apart(&self) -> bool {
        let names = self.names();
        names.iter().enumerate().all(|(at, name)| !names[..at].contains(name))
    }

    /// Names of the columns in CSV.
    fn names(&self) -> Vec<String> {
        [self.of.to_string()].into_iter().chain(self.columns.iter().flat_map(Column::names)).collect()
    }

    /// Row numbers in the order of a column, or as they come; cells that are missing or not a number come last either way.
    pub fn order(&self, key: &str, descending: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        let apart = |at: usize| self.apart.get(at).copied().unwrap_or(false);
        if let Some(Column { cells, .. }) = self.column(key) {
            order.sort_by(|&a, &b| apart(a).cmp(&apart(b)).then(compare(&cells[a], &cells[b], descending)));
        }
        order
    }

    /// RFC 4180; a column with intervals becomes `key`, `key_low`, `key_high`.
    pub fn csv(&self) -> String {
        let mut lines = vec![self.names().join(",")];
        for (row, key) in self.keys.iter().enumerate() {
            let fields = self.columns.iter().flat_map(|column| column.fields(row));
            lines.push([quoted(key)].into_iter().chain(fields).collect::<Vec<String>>().join(","));
        }
        lines.push(String::new());
        lines.join("\r\n")
    }
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\r', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.into() }
}

fn compare(a: &Cell, b: &Cell, descending: bool) -> Ordering {
    let directed = |order: Ordering| if descending { order.reverse() } else { order };
    if let (Cell::Text(a), Cell::Text(b)) = (a, b) {
        return directed(a.cmp(b));
    }
    match (number(a), number(b)) {
        (Some(a), Some(b)) => directed(a.total_cmp(&b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

fn number(cell: &Cell) -> Option<f64> {
    let number = match cell {
        Cell::Ranked(rank, _) => f64::from(*rank),
        Cell::Count(count) | Cell::Bytes(count) => *count as f64,
        Cell::Number(number) | Cell::Share(number) => *number,
        Cell::Chance(chance) => chance.p,
        Cell::Figure(figure) => figure.value,
        Cell::Text(_) | Cell::Missing => return None,
    };
    (!number.is_nan()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::super::rows::Rows;
    use super::*;

    type Row = (&'static str, &'static str, f64, Option<u64>);

    fn rows() -> Rows<Row> {
        let rows = [
            ("eng", "English", 2.0, Some(900)),
            ("kor", "Korean, \"한국어\"", 10.0, None),
            ("tha", "Thai", f64::NAN, Some(0)),
        ];
        Rows::of("language", rows, |row| row.0)
            .column("name", "Language", "", |row| row.1)
            .column("loss", "D", "", |&(_, _, value, _)| Interval { value, low: value - 1.0, high: value + 0.5 })
            .column("seen", "Seen", "", |row| row.3)
    }

    #[test]
    fn sorted_by_number_with_the_missing_last() {
        let table = rows().table();
        assert_eq!(table.order("loss", true), [1, 0, 2]);
        assert_eq!(table.order("loss", false), [0, 1, 2]);
        assert_eq!(table.order("seen", false), [2, 0, 1]);
        assert_eq!(table.order("seen", true), [0, 2, 1]);
        assert_eq!(table.order("name", true), [2, 1, 0]);
        assert_eq!(table.order("no such column", true), [0, 1, 2], "as they come");
    }

    #[test]
    fn rows_apart_stay_below() {
        let table = rows().apart(|row| row.0 == "kor").table();
        assert_eq!(table.order("loss", true), [0, 2, 1]);
        assert_eq!(table.order("loss", false), [0, 2, 1]);
    }

    #[test]
    fn csv_quotes_and_spreads_intervals() {
        let csv = rows().table().csv();
        let lines: Vec<&str> = csv.split("\r\n").collect();
        assert_eq!(lines[0], "language,name,loss,loss_low,loss_high,seen");
        assert_eq!(lines[1], "eng,English,2,1,2.5,900");
        assert_eq!(lines[2], "kor,\"Korean, \"\"한국어\"\"\",10,9,10.5,");
        assert_eq!(lines.len(), 5, "three rows, a heading and the end of the last line");
    }

    #[test]
    fn a_cell_is_shown_in_short_and_written_in_full() {
        let told = |cell: Cell| [cell.shown(), cell.written()];
        assert_eq!(told(Cell::Bytes(1500)), ["1.5 kB", "1500"]);
        assert_eq!(told(Cell::Count(1500)), ["1,500", "1500"]);
        assert_eq!(told(Cell::Share(0.0625)), ["6.25%", "0.0625"]);
        assert_eq!(told(Cell::Chance(Chance::new(0.01, 99))), ["< 1/99", "0.01"]);
        assert_eq!(told(Cell::Missing), ["–", ""]);
    }

    /// Law: an interval that is not known takes as many columns as one that is.
    #[test]
    fn an_unknown_interval_leaves_three_fields_empty() {
        let table = rows().column("other", "", "", |_| None::<Interval>).table();
        assert!(table.csv().contains("eng,English,2,1,2.5,900,,,\r\n"), "{}", table.csv());
        assert_eq!(table.cell(0, "other"), &Cell::Missing);
    }

    #[test]
    #[cfg(debug_assertions)]
    fn no_two_columns_have_one_name() {
        for key in ["language", "seen", "loss_low"] {
            assert!(std::panic::catch_unwind(|| rows().column(key, "", "", |row| row.2)).is_err(), "{key}");
        }
    }
}
