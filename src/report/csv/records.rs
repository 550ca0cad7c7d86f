//! Text into rows of cells.

use super::CsvError;

/// Separators, the usual one first.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// A row of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number; the heading is 1.
    pub row: usize,
    /// Its cells.
    pub cells: Vec<String>,
}

/// Every row that holds anything. The separator is the one that the first row has most of, outside quotes.
pub fn records(text: &str) -> Result<Vec<Record>, CsvError> {
    let separator = separator(text);
    let (mut records, mut cells, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut row, mut began, mut letters) = (1, false, text.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            '"' if !began => {
                cell.clear();
                quote(&mut letters, &mut cell).ok_or(CsvError::OpenQuote(row))?;
                while letters.next_if(|next| *next == ' ' && separator != ' ').is_some() {}
                let ends = |next: &char| *next == separator || *next == '\n' || *next == '\r';
                if letters.peek().is_some_and(|next| !ends(next)) {
                    return Err(CsvError::AfterQuote(row));
                }
                began = true;
            }
            '\r' | '\n' => {
                // CRLF is one end of a line.
                if letter == '\r' {
                    letters.next_if_eq(&'\n');
                }
                let alone = cells.is_empty() && cell.is_empty() && !began;
                cells.push(std::mem::take(&mut cell));
                let whole = std::mem::take(&mut cells);
                if !alone && whole.iter().any(|cell| !cell.trim().is_empty() || (whole.len() == 1 && began)) {
                    records.push(Record { row, cells: whole });
                }
                (row, began) = (row + 1, false);
            }
            letter if letter == separator => {
                cells.push(std::mem::take(&mut cell));
                began = false;
            }
            letter => {
                // Spaces before a quote do not count.
                began = began || !letter.is_whitespace();
                cell.push(letter);
            }
        }
    }
    if !cells.is_empty() || !cell.is_empty() || began {
        cells.push(cell);
        if cells.iter().any(|cell| !cell.trim().is_empty()) || (cells.len() == 1 && began) {
            records.push(Record { row, cells });
        }
    }
    Ok(records)
}

/// The rest of a quoted cell; none where it has no end.
fn quote(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, cell: &mut String) -> Option<()> {
    loop {
        match letters.next()? {
            '"' if letters.next_if_eq(&'"').is_none() => return Some(()),
            letter => cell.push(letter),
        }
    }
}

fn separator(text: &str) -> char {
    let (mut counts, mut quoted) = ([0usize; SEPARATORS.len()], false);
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            '\r' | '\n' if !quoted && counts.iter().any(|count| *count > 0) => break,
            letter if !quoted => {
                if let Some(at) = SEPARATORS.iter().position(|own| *own == letter) {
                    counts[at] += 1;
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    SEPARATORS[counts.iter().position(|count| *count == most).unwrap_or(0)]
}
