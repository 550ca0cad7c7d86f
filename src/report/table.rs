//! Rows and columns, for the page's sortable table and for CSV.

use std::cmp::Ordering;

use super::language::Language;
use super::{Interval, Resource, chance::Chance, format, words};

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name in CSV and in the page's `data-figure`.
    pub key: &'static str,
    /// Heading.
    pub title: String,
    /// What the heading means, as a sentence.
    pub explained: &'static str,
    /// Whether its cells are [`Cell::Figure`]s, which take three columns in CSV.
    pub with_interval: bool,
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

/// A row that is a language: its own name and its level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Name in its own script.
    pub endonym: String,
    /// `ltr` or `rtl`.
    pub direction: String,
    /// Colour and shape.
    pub level: Resource,
}

impl Head {
    /// Of a language.
    pub fn of(language: &Language) -> Head {
        Head { endonym: language.endonym.clone(), direction: language.direction.clone(), level: language.resource }
    }
}

/// A table. `keys` name the rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Headings.
    pub columns: Vec<Column>,
    /// What a row is: `language`.
    pub of: &'static str,
    /// One per row: the language's code.
    pub keys: Vec<String>,
    /// One per row: whether it stands apart, below the others, whatever the order.
    pub apart: Vec<bool>,
    /// Cells, as many per row as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

impl Cell {
    /// A figure that may not be known.
    pub fn known(figure: Option<Interval>) -> Cell {
        figure.map_or(Cell::Missing, Cell::Figure)
    }

    /// A p of so many shuffles, which may not be known.
    pub fn chance(p: Option<f64>, shuffles: usize) -> Cell {
        p.map_or(Cell::Missing, |p| Cell::Chance(Chance::new(p, shuffles)))
    }
}

impl Column {
    /// A column of words or lone figures.
    pub fn plain(key: &'static str, title: &str, explained: &'static str) -> Column {
        Column { key, title: title.into(), explained, with_interval: false }
    }

    /// A column of figures with intervals.
    pub fn measured(key: &'static str, title: &str, explained: &'static str) -> Column {
        Column { with_interval: true, ..Column::plain(key, title, explained) }
    }
}

impl Table {
    /// One row per language: its name, how much of it the model saw, and these columns. Unseen ones stand apart.
    pub fn of_languages<Row>(
        rows: &[Row],
        language: impl Fn(&Row) -> &Language,
        columns: impl IntoIterator<Item = Column>,
        cells: impl Fn(&Row) -> Vec<Cell>,
    ) -> Table {
        let first = [
            Column::plain("name", "Language", "English name"),
            Column::plain("resource", "Resource", "Third of the trained languages by bytes seen"),
        ];
        let row = |row: &Row| {
            let Language { name, resource, .. } = language(row);
            let first = [Cell::Text(name.clone()), Cell::Ranked(*resource as u8, words::resource(*resource).into())];
            first.into_iter().chain(cells(row)).collect()
        };
        Table {
            columns: first.into_iter().chain(columns).collect(),
            of: "language",
            keys: rows.iter().map(|row| language(row).code.clone()).collect(),
            apart: rows.iter().map(|row| language(row).resource == Resource::Unseen).collect(),
            rows: rows.iter().map(row).collect(),
        }
    }

    /// Row numbers in the order of a column; cells that are missing or not a number come last either way.
    pub fn order(&self, column: usize, descending: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        let apart = |at: usize| self.apart.get(at).copied().unwrap_or(false);
        order.sort_by(|&a, &b| {
            apart(a).cmp(&apart(b)).then(compare(&self.rows[a][column], &self.rows[b][column], descending))
        });
        order
    }

    /// Decimals that the figures of a column have in common.
    pub fn decimals(&self, column: usize) -> usize {
        let figure = |row: &'_ Vec<Cell>| match &row[column] {
            Cell::Figure(figure) => Some(*figure),
            _ => None,
        };
        let figures: Vec<Interval> = self.rows.iter().filter_map(figure).collect();
        format::common_decimals(&figures)
    }

    /// RFC 4180; a column with intervals becomes `key`, `key_low`, `key_high`. Numbers are written in full.
    pub fn csv(&self) -> String {
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        let mut head = vec![self.of.to_string()];
        for column in &self.columns {
            head.push(column.key.into());
            if column.with_interval {
                head.push(format!("{}_low", column.key));
                head.push(format!("{}_high", column.key));
            }
        }
        debug_assert!(head.iter().all(|name| head.iter().filter(|other| *other == name).count() == 1), "{head:?}");
        lines.push(head.join(","));
        for (key, row) in self.keys.iter().zip(&self.rows) {
            let mut fields = vec![quoted(key)];
            for (column, cell) in self.columns.iter().zip(row) {
                match cell {
                    Cell::Text(text) | Cell::Ranked(_, text) => fields.push(quoted(text)),
                    Cell::Count(count) => fields.push(count.to_string()),
                    Cell::Number(number) | Cell::Share(number) => fields.push(number.to_string()),
                    Cell::Chance(chance) => fields.push(chance.p.to_string()),
                    Cell::Figure(figure) => {
                        fields.extend([figure.value, figure.low, figure.high].map(|x| x.to_string()));
                    }
                    Cell::Missing => {
                        fields.extend(vec![String::new(); if column.with_interval { 3 } else { 1 }]);
                    }
                }
            }
            lines.push(fields.join(","));
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
        Cell::Count(count) => *count as f64,
        Cell::Number(number) | Cell::Share(number) => *number,
        Cell::Chance(chance) => chance.p,
        Cell::Figure(figure) => figure.value,
        Cell::Text(_) | Cell::Missing => return None,
    };
    (!number.is_nan()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let column = |key, with_interval| Column { key, title: key.into(), explained: "", with_interval };
        let figure = |value| Cell::Figure(Interval { value, low: value - 1.0, high: value + 0.5 });
        Table {
            columns: vec![column("name", false), column("loss", true), column("seen", false)],
            of: "language",
            keys: vec!["eng".into(), "kor".into(), "tha".into()],
            apart: vec![false; 3],
            rows: vec![
                vec![Cell::Text("English".into()), figure(2.0), Cell::Count(900)],
                vec![Cell::Text("Korean, \"한국어\"".into()), figure(10.0), Cell::Missing],
                vec![Cell::Text("Thai".into()), figure(f64::NAN), Cell::Count(0)],
            ],
        }
    }

    #[test]
    fn sorted_by_number_with_the_missing_last() {
        assert_eq!(table().order(1, true), [1, 0, 2]);
        assert_eq!(table().order(1, false), [0, 1, 2]);
        assert_eq!(table().order(2, false), [2, 0, 1]);
        assert_eq!(table().order(2, true), [0, 2, 1]);
        assert_eq!(table().order(0, true), [2, 1, 0]);
    }

    #[test]
    fn rows_apart_stay_below() {
        let table = Table { apart: vec![false, true, false], ..table() };
        assert_eq!(table.order(1, true), [0, 2, 1]);
        assert_eq!(table.order(1, false), [0, 2, 1]);
    }

    #[test]
    fn csv_quotes_and_spreads_intervals() {
        let csv = table().csv();
        let lines: Vec<&str> = csv.split("\r\n").collect();
        assert_eq!(lines[0], "language,name,loss,loss_low,loss_high,seen");
        assert_eq!(lines[1], "eng,English,2,1,2.5,900");
        assert_eq!(lines[2], "kor,\"Korean, \"\"한국어\"\"\",10,9,10.5,");
        assert_eq!(lines.len(), 5, "three rows, a heading and the end of the last line");
    }
}
