//! Tables are declared here: each column with its key, its title, what it means, and what stands in a row. What stands there decides
//! by its type how the column is shown, sorted and written.

use super::table::{Cell, Column, Head, Table};
use super::{Bits, Interval, Resource, chance::Chance, labels};

/// Rows, and what has been declared of their table so far.
pub struct Rows<R> {
    rows: Vec<R>,
    table: Table,
}

/// What can stand in a row.
pub trait Shown {
    /// Whether it has an interval, known or not.
    const WITH_INTERVAL: bool = false;

    /// In its cell.
    fn cell(self) -> Cell;
}

impl<R> Rows<R> {
    /// What a row is, the rows, and what names each.
    pub fn of<Key: ToString>(of: &'static str, rows: impl IntoIterator<Item = R>, key: impl Fn(&R) -> Key) -> Rows<R> {
        let rows: Vec<R> = rows.into_iter().collect();
        let keys = rows.iter().map(|row| key(row).to_string()).collect();
        Rows { rows, table: Table { of, keys, ..Table::default() } }
    }

    /// A row per language, whose name comes first. Those that the model never saw stand apart.
    pub fn named<Of: Into<Head>>(rows: impl IntoIterator<Item = R>, language: impl Fn(&R) -> Of) -> Rows<R> {
        let head = |row: &R| -> Head { language(row).into() };
        let mut own = Rows::of("language", rows, |row| head(row).code);
        own.table.heads = own.rows.iter().map(head).collect();
        own.apart(|row| head(row).level == Resource::Unseen)
            .column("name", "Language", "English name", |row| head(row).name)
    }

    /// The same, with how much of it the model saw.
    pub fn of_languages<Of: Into<Head>>(rows: impl IntoIterator<Item = R>, language: impl Fn(&R) -> Of) -> Rows<R> {
        let head = |row: &R| -> Head { language(row).into() };
        let explained = "Third of the trained languages by bytes seen";
        Rows::named(rows, head).column("resource", "Resource", explained, |row| head(row).level)
    }

    /// Rows that stand below the others, whatever the order.
    pub fn apart(mut self, apart: impl Fn(&R) -> bool) -> Rows<R> {
        self.table.apart = self.rows.iter().map(apart).collect();
        self
    }

    /// A column: its name in files, its heading, what that means, and what stands in a row.
    pub fn column<Of: Shown>(
        mut self,
        key: &'static str,
        title: impl Into<String>,
        explained: &'static str,
        of: impl Fn(&R) -> Of,
    ) -> Rows<R> {
        let cells = self.rows.iter().map(|row| of(row).cell()).collect();
        let title = title.into();
        self.table.push(Column { key, title, explained, with_interval: Of::WITH_INTERVAL, cells });
        self
    }

    /// With all its columns.
    pub fn table(self) -> Table {
        self.table
    }
}

impl Shown for Interval {
    const WITH_INTERVAL: bool = true;

    fn cell(self) -> Cell {
        Cell::Figure(self)
    }
}

impl<Of: Shown> Shown for Option<Of> {
    const WITH_INTERVAL: bool = Of::WITH_INTERVAL;

    fn cell(self) -> Cell {
        self.map_or(Cell::Missing, Of::cell)
    }
}

macro_rules! shown {
    ($($of:ty => $cell:expr),* $(,)?) => {
        $(impl Shown for $of {
            fn cell(self) -> Cell {
                $cell(self)
            }
        })*
    };
}

shown! {
    Cell => std::convert::identity,
    String => Cell::Text,
    &str => |text: &str| Cell::Text(text.into()),
    bool => |yes| Cell::Text(if yes { "yes" } else { "no" }.into()),
    u64 => Cell::Count,
    usize => |count| Cell::Count(count as u64),
    Bits => |bits: Bits| Cell::Count(u64::from(bits.get())),
    f64 => Cell::Number,
    Chance => Cell::Chance,
    Resource => |level| Cell::Ranked(level as u8, labels::resource(level).into()),
}
