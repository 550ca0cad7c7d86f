//! What the bench of statistics was given: a table, and what of it is used.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::lab::statistics::{Column, Config, Earlier, Groups};
use crate::report::csv::{Cells, Column as DataColumn, Data};
use crate::report::{format, labels};

/// Two groups of rows, by the words of a column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    /// The column of words.
    pub column: String,
    /// Its word for the first group.
    pub first: String,
    /// Its word for the second.
    pub second: String,
}

/// What the bench was given, and what of it is used.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// What was read.
    pub data: Arc<Data>,
    /// Why what was given last is not read, as a sentence; empty where it is. Then there is no data, and nothing runs.
    pub unread: String,
    /// Names of the columns of figures that are used.
    pub columns: BTreeSet<String>,
    /// Each other column goes with this one; empty for every pair.
    pub target: String,
    /// Columns that are held constant.
    pub given: BTreeSet<String>,
    /// Groups of rows; none where the column is empty.
    pub split: Split,
    /// Tests that came with a link.
    pub earlier: Vec<Earlier>,
    /// Runs whose tests are not of the family.
    pub left_out: BTreeSet<u64>,
}

impl Sheet {
    /// Takes in data; all of its columns of figures are used at first.
    pub fn take(&mut self, data: Data) {
        self.columns = data.numbers().map(|(name, _)| name.to_string()).collect();
        (self.target, self.split) = (String::new(), Split::default());
        self.given.clear();
        self.data = Arc::new(data);
        self.unread.clear();
    }

    /// What was given cannot be read: neither it nor what was there before is used.
    pub fn refuse(&mut self, sentence: String) {
        self.take(Data::default());
        self.unread = sentence;
    }

    /// How much is read, as a sentence; nothing where a fault says that it is not.
    pub fn told(&self) -> String {
        match (self.data.rows.len(), self.data.columns.len()) {
            _ if !self.unread.is_empty() => String::new(),
            (0, 0) => "Without data, only power is worked out.".to_string(),
            (rows, columns) => {
                let [rows, columns] = [(rows, "row"), (columns, "column")].map(|(n, of)| format::counted(n as u64, of));
                format!("{rows} of {columns} are read.")
            }
        }
    }

    /// Words of a column, each once, in their order.
    pub fn words(&self, column: &str) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for word in self.data.words().filter(|(name, _)| *name == column).flat_map(|(_, words)| words.iter().flatten())
        {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        words
    }

    fn groups(&self) -> Option<Groups> {
        let Split { column, first, second } = &self.split;
        let (_, words) = self.data.words().find(|(name, _)| name == column)?;
        let group = |word: &Option<String>| match word {
            Some(word) if word == first => 1,
            Some(word) if word == second => 2,
            _ => 0,
        };
        Some(Groups { names: (first.clone(), second.clone()), rows: words.iter().map(group).collect() })
    }

    /// What is asked of these figures with the other settings as they are chosen, or the first thing that is wrong, as a sentence.
    pub fn config(&self, chosen: Config, before: Vec<Earlier>) -> Result<Config, String> {
        if !self.unread.is_empty() {
            return Err("The data is not read: mend it, or empty its field.".into());
        }
        let used = self.data.numbers().filter(|(name, _)| self.columns.contains(*name));
        let column = |(name, values): (&str, &[Option<f64>])| Column { name: name.into(), values: values.to_vec() };
        let columns: Vec<Column> = used.map(column).collect();
        let place = |name: &String| columns.iter().position(|column| column.name == *name);
        let target = Some(&self.target).filter(|name| !name.is_empty()).and_then(place);
        let given = self.given.iter().filter_map(place).filter(|at| Some(*at) != target).collect();
        if !self.split.column.is_empty() && self.split.first == self.split.second {
            return Err("Choose two different groups of rows.".into());
        }
        let config = Config {
            family: chosen.family.trim().to_string(),
            labels: if columns.is_empty() { Vec::new() } else { self.data.labels() },
            target,
            given,
            groups: if columns.is_empty() { None } else { self.groups() },
            columns,
            earlier: [self.earlier.clone(), before].concat(),
            ..chosen
        };
        match config.check() {
            Ok(()) => Ok(config),
            Err(fault) => Err(labels::with_step(&labels::as_sentence(&fault.to_string()), fault.what_to_do())),
        }
    }

    /// The way back from a config.
    pub fn of(config: &Config) -> Sheet {
        let rows = config.columns.first().map_or(0, |column| column.values.len());
        let name = |own: &str| {
            let taken = |name: &String| config.columns.iter().any(|column| column.name == *name);
            let mut name = own.to_string();
            while taken(&name) {
                name.push('′');
            }
            name
        };
        let (labels, groups) = (name("row"), name("group"));
        let mut columns = Vec::new();
        if !config.labels.is_empty() {
            let words = config.labels.iter().cloned().map(Some).collect();
            columns.push(DataColumn { name: labels, cells: Cells::Words(words) });
        }
        let figures =
            |column: &Column| DataColumn { name: column.name.clone(), cells: Cells::Numbers(column.values.clone()) };
        columns.extend(config.columns.iter().map(figures));
        let mut split = Split::default();
        if let Some(Groups { names: (first, second), rows }) = &config.groups {
            let word =
                |group: &u8| [None, Some(first.clone()), Some(second.clone())][usize::from(*group).min(2)].clone();
            columns.push(DataColumn { name: groups.clone(), cells: Cells::Words(rows.iter().map(word).collect()) });
            split = Split { column: groups, first: first.clone(), second: second.clone() };
        }
        let named = |at: usize| config.columns.get(at).map(|column| column.name.clone());
        Sheet {
            data: Arc::new(Data { columns, rows: (2..2 + rows).collect() }),
            unread: String::new(),
            columns: config.columns.iter().map(|column| column.name.clone()).collect(),
            target: config.target.and_then(named).unwrap_or_default(),
            given: config.given.iter().copied().filter_map(named).collect(),
            split,
            earlier: config.earlier.clone(),
            left_out: BTreeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::csv::read;

    const CSV: &str = "code,level,x,y,z\neng,high,1,2.5,0\nkor,low,2,,1\nfin,low,4,3.5,1\ndeu,high,3,1,0\n";

    fn sheet() -> Sheet {
        let mut sheet = Sheet { earlier: vec![Earlier { name: "before".into(), p: 0.25 }], ..Sheet::default() };
        sheet.take(read(CSV.as_bytes()).unwrap());
        sheet.target = "y".into();
        sheet.given = ["z".to_string()].into();
        sheet.split = Split { column: "level".into(), first: "low".into(), second: "high".into() };
        sheet
    }

    #[test]
    fn data_becomes_figures_and_groups() {
        let ledger = vec![Earlier { name: "ledger".into(), p: 1.0 }];
        let config = sheet().config(Config { alpha: 0.01, ..Config::default() }, ledger).unwrap();
        assert_eq!(config.labels, ["eng", "kor", "fin", "deu"]);
        assert_eq!(config.columns[1].values, [Some(2.5), None, Some(3.5), Some(1.0)]);
        assert_eq!((config.target, config.given.as_slice(), config.alpha), (Some(1), &[2][..], 0.01));
        assert_eq!(config.groups.as_ref().unwrap().rows, [2, 1, 1, 2]);
        assert_eq!(config.earlier.len(), 2);
        assert_eq!(config.pairs_asked(), [(0, 1)]);
        let power_only = Sheet::default().config(Config::default(), Vec::new()).unwrap();
        assert!(power_only.columns.is_empty() && power_only.labels.is_empty());
    }

    /// Law: what a sheet makes leads back to a sheet that makes the same.
    #[test]
    fn a_config_leads_back_to_its_sheet() {
        let config = sheet().config(Config::default(), Vec::new()).unwrap();
        assert_eq!(Sheet::of(&config).config(config.clone(), Vec::new()).unwrap(), config);
    }

    /// Law: what is not read is not also said to be read, and nothing runs on what was read before.
    #[test]
    fn either_data_is_read_or_a_fault_stands() {
        let mut sheet = sheet();
        assert_eq!((sheet.told().as_str(), sheet.unread.as_str()), ("4 rows of 5 columns are read.", ""));
        sheet.refuse("The data is not read: row 2.".into());
        assert_eq!((sheet.told().as_str(), sheet.data.columns.len()), ("", 0));
        assert!(sheet.config(Config::default(), Vec::new()).unwrap_err().starts_with("The data is not read"));
        sheet.take(read(CSV.as_bytes()).unwrap());
        assert!(sheet.unread.is_empty() && sheet.config(Config::default(), Vec::new()).is_ok());
        assert_eq!(Sheet::default().told(), "Without data, only power is worked out.");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |sheet: Sheet, chosen| sheet.config(chosen, Vec::new()).unwrap_err();
        let alpha = wrong(sheet(), Config { alpha: 5.0, ..Config::default() });
        assert!(alpha.starts_with("α: a p of at most this rejects is “5.0”"), "{alpha}");
        assert!(wrong(sheet(), Config { rho: 0.0, ..Config::default() }).contains("0.01"));
        assert!(wrong(sheet(), Config { pairs: 3, ..Config::default() }).contains("from 4 to 100000"));
        assert!(wrong(sheet(), Config { family: " ".into(), ..Config::default() }).contains("name of the family"));
        let same = Split { first: "low".into(), second: "low".into(), ..sheet().split };
        assert!(wrong(Sheet { split: same, ..sheet() }, Config::default()).contains("two different groups"));
    }
}
