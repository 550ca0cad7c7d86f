//! Figures from a CSV file, which may be anyone's: commas, semicolons or tabs, quotes, decimal commas, any line ends. What
//! cannot be read gets a sentence that names the row; the heading is row 1, as a spreadsheet counts.

mod cells;
mod notes;
mod records;
#[cfg(test)]
mod tests;

use cells::{Decimal, is_missing, number};
use records::{Record, records};

/// Columns at most.
pub const MOST_COLUMNS: usize = 64;
/// Rows at most: leaving out each in turn is work by their square.
pub const MOST_ROWS: usize = 5_000;
/// Letters of the longest name.
pub const MOST_LETTERS: usize = 120;

/// Bytes of a file at most.
pub const MOST_BYTES: usize = 4 << 20;
/// A correlation wants so many rows.
pub const FEWEST_ROWS: usize = 3;

/// A table of figures and words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Data {
    /// From the left.
    pub columns: Vec<Column>,
    /// For each row its number in the file.
    pub rows: Vec<usize>,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// One per row.
    pub cells: Cells,
}

/// Cells of one kind; none where one is empty.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Figures.
    Numbers(Vec<Option<f64>>),
    /// Anything else.
    Words(Vec<Option<String>>),
}

/// Why a file is not read; each a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// Refused before it is read.
    #[error("the data has {came} bytes, and {most} are read at most: they end in row {row}")]
    TooLarge {
        /// Bytes.
        came: usize,
        /// Allowed.
        most: usize,
        /// Where the allowed ones end.
        row: usize,
    },
    /// Another encoding.
    #[error("row {0} is not UTF-8 text; save the file as UTF-8")]
    NotText(usize),
    /// Nothing there.
    #[error("there is no data: row 1 should name the columns")]
    Empty,
    /// No names.
    #[error("row 1 holds nothing but numbers; it should name the columns")]
    NoHeading,
    /// A column without a name, by its number.
    #[error("row 1 does not name column {0}")]
    NoName(usize),
    /// A name that no line holds.
    #[error("the name of column {0} in row 1 is longer than {MOST_LETTERS} letters, or has more than one line")]
    LongName(usize),
    /// Two columns of one name.
    #[error("row 1 names two columns “{0}”")]
    Repeated(String),
    /// More columns than there is room for.
    #[error("row 1 names {came} columns; {MOST_COLUMNS} are read at most")]
    Columns {
        /// How many.
        came: usize,
    },
    /// More rows than there is room for.
    #[error("row {0} is one too many: {MOST_ROWS} rows are read at most")]
    Rows(usize),
    /// Too few to say anything.
    #[error("row {last} is the last, after {came} of data; a correlation needs at least {FEWEST_ROWS} rows")]
    Few {
        /// Number of the last row.
        last: usize,
        /// `1 row`.
        came: String,
    },
    /// A row of another length.
    #[error("row {row} has {came}, and row 1 names {expected}")]
    Ragged {
        /// Which.
        row: usize,
        /// `1 cell`.
        came: String,
        /// `2 columns`.
        expected: String,
    },
    /// A quote that does not end.
    #[error("row {0} begins a quoted cell that has no end")]
    OpenQuote(usize),
    /// Something after a closing quote.
    #[error("row {0} has letters between a closing quote and the next separator")]
    AfterQuote(usize),
    /// A word among figures.
    #[error("row {row}, column “{column}”: “{cell}” is not a number, and most of this column is")]
    NotANumber {
        /// Which.
        row: usize,
        /// Its column.
        column: String,
        /// The beginning of it.
        cell: String,
    },
}

impl CsvError {
    /// What a person can do about it, as a sentence; nothing where the fault says it itself.
    pub fn what_to_do(&self) -> &'static str {
        use CsvError as E;
        match self {
            E::TooLarge { .. } | E::Rows(_) => "Leave rows out.",
            E::Columns { .. } => "Leave columns out.",
            E::NotText(_) | E::Empty | E::NoHeading | E::Few { .. } => "",
            E::NoName(_) => "Name it there.",
            E::LongName(_) => "Shorten it.",
            E::Repeated(_) => "Rename one of them.",
            E::Ragged { .. } => "Give every row as many cells, and put quotes around a cell that holds a separator.",
            E::OpenQuote(_) => "Put a quote at its end, and two for each quote inside it.",
            E::AfterQuote(_) => "Put two quotes for each quote inside a quoted cell.",
            E::NotANumber { .. } => "Correct the cell, or leave it empty.",
        }
    }
}

/// A cell that holds nothing, in letters.
const MISSING: &str = "NA";

/// Letters of a stranger's cell that a sentence repeats.
const SHOWN: usize = 40;

fn shown(cell: &str) -> String {
    let mut shown: String = cell.trim().chars().take(SHOWN).map(|c| if c.is_control() { '�' } else { c }).collect();
    if cell.trim().chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Reads a file.
pub fn read(bytes: &[u8]) -> Result<Data, CsvError> {
    let lines = |bytes: &[u8]| 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
    if bytes.len() > MOST_BYTES {
        return Err(CsvError::TooLarge { came: bytes.len(), most: MOST_BYTES, row: lines(&bytes[..MOST_BYTES]) });
    }
    let text = str::from_utf8(bytes).map_err(|fault| CsvError::NotText(lines(&bytes[..fault.valid_up_to()])))?;
    let mut all = records(text.strip_prefix('\u{feff}').unwrap_or(text))?.into_iter();
    let heading = all.next().ok_or(CsvError::Empty)?;
    let names = named(&heading)?;
    let body: Vec<Record> = all.collect();
    if let Some(record) = body.get(MOST_ROWS) {
        return Err(CsvError::Rows(record.row));
    }
    if let Some(record) = body.iter().find(|record| record.cells.len() != names.len()) {
        let (came, expected) = (counted(record.cells.len(), "cell"), counted(names.len(), "column"));
        return Err(CsvError::Ragged { row: record.row, came, expected });
    }
    if body.len() < FEWEST_ROWS {
        let last = body.last().map_or(heading.row, |record| record.row);
        return Err(CsvError::Few { last, came: counted(body.len(), "row") });
    }
    let decimal = Decimal::of(body.iter().flat_map(|record| &record.cells));
    let column = |(at, name): (usize, String)| column(name, &body, at, decimal);
    let columns = names.into_iter().enumerate().map(column).collect::<Result<_, _>>()?;
    Ok(Data { columns, rows: body.iter().map(|record| record.row).collect() })
}

fn counted(count: usize, noun: &str) -> String {
    super::format::counted(count as u64, noun)
}

fn named(heading: &Record) -> Result<Vec<String>, CsvError> {
    if heading.cells.iter().all(|cell| number(cell, Decimal::Point).is_some()) {
        return Err(CsvError::NoHeading);
    }
    if heading.cells.len() > MOST_COLUMNS {
        return Err(CsvError::Columns { came: heading.cells.len() });
    }
    let mut names: Vec<String> = Vec::new();
    for (at, cell) in heading.cells.iter().enumerate() {
        let name = cell.trim();
        if name.is_empty() {
            return Err(CsvError::NoName(at + 1));
        }
        if name.chars().count() > MOST_LETTERS || name.chars().any(char::is_control) {
            return Err(CsvError::LongName(at + 1));
        }
        if names.iter().any(|other| other == name) {
            return Err(CsvError::Repeated(shown(name)));
        }
        names.push(name.to_string());
    }
    Ok(names)
}

/// Figures where all cells are, words where most are not; a word among figures is a fault.
fn column(name: String, body: &[Record], at: usize, decimal: Decimal) -> Result<Column, CsvError> {
    let cell = |record: &Record| Some(record.cells[at].clone()).filter(|cell| !is_missing(cell));
    let words: Vec<Option<String>> = body.iter().map(cell).collect();
    let figure = |word: &Option<String>| word.as_ref().and_then(|word| number(word, decimal));
    let numbers: Vec<Option<f64>> = words.iter().map(figure).collect();
    let [there, known] = [words.iter().flatten().count(), numbers.iter().flatten().count()];
    if there == known && known > 0 {
        return Ok(Column { name, cells: Cells::Numbers(numbers) });
    }
    if 2 * known <= there {
        return Ok(Column { name, cells: Cells::Words(words) });
    }
    let odd = words.iter().zip(&numbers).position(|(word, number)| word.is_some() && number.is_none()).unwrap_or(0);
    let cell = shown(words[odd].as_deref().unwrap_or_default());
    Err(CsvError::NotANumber { row: body[odd].row, column: shown(&name), cell })
}

impl Data {
    /// Columns of figures, with their names.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, &[Option<f64>])> {
        self.columns.iter().filter_map(|column| match &column.cells {
            Cells::Numbers(numbers) => Some((column.name.as_str(), numbers.as_slice())),
            Cells::Words(_) => None,
        })
    }

    /// Columns of words, with their names.
    pub fn words(&self) -> impl Iterator<Item = (&str, &[Option<String>])> {
        self.columns.iter().filter_map(|column| match &column.cells {
            Cells::Words(words) => Some((column.name.as_str(), words.as_slice())),
            Cells::Numbers(_) => None,
        })
    }

    /// What each row is called: the first column of words in which no two are alike; empty where there is none.
    pub fn labels(&self) -> Vec<String> {
        let distinct = |words: &&[Option<String>]| {
            let known: std::collections::BTreeSet<&String> = words.iter().flatten().collect();
            let short =
                known.iter().all(|word| word.chars().count() <= MOST_LETTERS && !word.contains(char::is_control));
            known.len() == words.len() && short
        };
        let column = self.words().map(|(_, words)| words).find(distinct);
        column.map(|words| words.iter().flatten().cloned().collect()).unwrap_or_default()
    }

    /// RFC 4180, with commas. It reads back as it was.
    pub fn write(&self) -> String {
        let mut lines = vec![self.columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(",")];
        for row in 0..self.rows.len() {
            let cell = |column: &Column| match &column.cells {
                Cells::Numbers(numbers) => numbers[row].map(|number| number.to_string()),
                Cells::Words(words) => words[row].as_deref().map(quoted),
            };
            let mut cells: Vec<Option<String>> = self.columns.iter().map(cell).collect();
            // A line without a letter is no row.
            if cells.iter().all(Option::is_none) {
                cells[0] = Some(MISSING.into());
            }
            lines.push(cells.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>().join(","));
        }
        lines.push(String::new());
        lines.join("\r\n")
    }
}

fn quoted(field: &str) -> String {
    let plain = !field.contains([',', ';', '\t', '"', '\r', '\n']) && field.trim() == field;
    if plain { field.into() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
}
