//! Screened models, kept in the browser from visit to visit. What is read back may be anybody's: it is bounded and checked.

use serde::{Deserialize, Serialize};

use super::{ModelEntry, Report};
use crate::report::Interval;

/// Models at most; the oldest go first.
const MOST: usize = 60;
/// An entry takes about 1 kB.
const MOST_BYTES: usize = 256 << 10;
/// Letters of a name.
const MOST_LETTERS: usize = 80;
/// No figure of the lab comes near it.
const LARGEST: f64 = 1e100;
/// Of the form that is kept.
const VERSION: u32 = 1;

/// Why what was kept cannot be used; each a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScreenedError {
    /// Refused before it is read.
    #[error("it has {0} bytes, and at most {MOST_BYTES} are kept")]
    TooLarge(usize),
    /// Not of this form.
    #[error("it is not what this page keeps")]
    Form,
    /// Of another version.
    #[error("it is of version {0}, and this page reads version {VERSION}")]
    Version(u32),
    /// An entry that no screening gives.
    #[error("what it says of model {0} is out of bounds")]
    ModelEntry(usize),
}

/// The models, the newest last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScreenedModels {
    entries: Vec<ModelEntry>,
}

/// As it is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u32,
    entries: Vec<ModelEntry>,
}

/// Enough of it to know whether the rest can be read.
#[derive(Deserialize)]
struct Stamp {
    version: u32,
}

impl ScreenedModels {
    /// The newest last.
    pub fn entries(&self) -> &[ModelEntry] {
        &self.entries
    }

    /// Takes in a report; of the same model, asked the same, the newest stays.
    pub fn add(&mut self, report: &Report, from_file: bool) {
        let mut entry = ModelEntry::of(report, from_file);
        let texts = [&mut entry.model, &mut entry.sha256, &mut entry.backend, &mut entry.setting.corpus];
        for text in texts.into_iter().chain([&mut entry.traits.architecture]) {
            *text = text.chars().filter(|c| !c.is_control()).take(MOST_LETTERS).collect();
        }
        if !fits(&entry) {
            return;
        }
        self.entries.retain(|known| !known.same(&entry));
        self.entries.push(entry);
        let too_many = self.entries.len().saturating_sub(MOST);
        self.entries.drain(..too_many);
    }

    /// Forgets one model under one setting.
    pub fn remove(&mut self, at: usize) {
        if at < self.entries.len() {
            self.entries.remove(at);
        }
    }

    /// As it is kept.
    pub fn to_json(&self) -> String {
        let kept = Kept { version: VERSION, entries: self.entries.clone() };
        serde_json::to_string(&kept).expect("entries hold numbers, strings and lists only")
    }

    /// What was kept.
    pub fn parse(text: &str) -> Result<ScreenedModels, ScreenedError> {
        if text.len() > MOST_BYTES {
            return Err(ScreenedError::TooLarge(text.len()));
        }
        let Stamp { version } = serde_json::from_str(text).map_err(|_| ScreenedError::Form)?;
        if version != VERSION {
            return Err(ScreenedError::Version(version));
        }
        let Kept { mut entries, .. } = serde_json::from_str(text).map_err(|_| ScreenedError::Form)?;
        if let Some(at) = entries.iter().position(|entry| !fits(entry)) {
            return Err(ScreenedError::ModelEntry(at + 1));
        }
        let too_many = entries.len().saturating_sub(MOST);
        entries.drain(..too_many);
        Ok(ScreenedModels { entries })
    }
}

/// Whether tables can show it.
fn fits(entry: &ModelEntry) -> bool {
    let ModelEntry { model, sha256, backend, setting, traits, .. } = entry;
    let short = |text: &String| text.chars().count() <= MOST_LETTERS && !text.contains(char::is_control);
    let figures = [entry.variance, entry.disparity, entry.disparity_corrected, entry.r];
    let numbers = figures.into_iter().flatten().flat_map(|Interval { value, low, high }| [value, low, high]);
    let others = [entry.max_kurtosis, traits.eps, entry.mix.map_or(0.0, |mix| mix.largest)];
    [model, sha256, backend, &setting.corpus, &traits.architecture].into_iter().all(short)
        && traits.positions.len() <= MOST_LETTERS
        && numbers.chain(others).all(|number| number.abs() <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::super::sample::report;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_kept_is_read_back_and_the_newest_of_equals_stays() {
        let (mut screened, mut report) = (ScreenedModels::default(), report());
        screened.add(&report, false);
        report.max_kurtosis = 7.0;
        screened.add(&report, true);
        assert_eq!(screened.entries().len(), 1);
        assert!(screened.entries()[0].max_kurtosis == 7.0 && screened.entries()[0].from_file);
        report.config.texts.units += 1;
        report.origin.model = "x".repeat(500) + "\n";
        screened.add(&report, false);
        assert_eq!((screened.entries().len(), screened.entries()[1].model.len()), (2, MOST_LETTERS));
        assert_eq!(ScreenedModels::parse(&screened.to_json()), Ok(screened.clone()));
        screened.remove(0);
        assert_eq!(screened.entries().len(), 1);
        screened.remove(9);
        report.max_kurtosis = f64::NAN;
        screened.add(&report, false);
        assert_eq!(screened.entries().len(), 1, "what is no number is not kept");
        for units in 0..2 * MOST {
            report.config.texts.units = units;
            report.max_kurtosis = 1.0;
            screened.add(&report, false);
        }
        assert_eq!(screened.entries().len(), MOST);
        assert!(screened.to_json().len() < MOST_BYTES, "{} bytes", screened.to_json().len());
    }

    #[test]
    fn what_was_not_kept_by_this_page_is_refused() {
        let mut screened = ScreenedModels::default();
        screened.add(&report(), false);
        let good = screened.to_json();
        let with = |from: &str, to: &str| {
            assert!(good.contains(from), "{good}");
            ScreenedModels::parse(&good.replacen(from, to, 1))
        };
        assert_eq!(with("\"version\":1", "\"version\":2"), Err(ScreenedError::Version(2)));
        assert_eq!(with("\"version\":1", "\"version\":1,\"x\":1"), Err(ScreenedError::Form));
        assert_eq!(with("\"layers\":12", "\"layers\":-1"), Err(ScreenedError::Form));
        assert_eq!(with("\"max_kurtosis\":", "\"max_kurtosis\":1e200,\"max_kurtosis\":"), Err(ScreenedError::Form));
        assert_eq!(with("\"model\":\"", &format!("\"model\":\"{}", "y".repeat(99))), Err(ScreenedError::ModelEntry(1)));
        assert_eq!(with("\"model\":\"", "\"model\":\"\\u0007"), Err(ScreenedError::ModelEntry(1)));
        assert_eq!(ScreenedModels::parse(&" ".repeat(MOST_BYTES + 1)), Err(ScreenedError::TooLarge(MOST_BYTES + 1)));
        assert_eq!(ScreenedModels::parse(&"[".repeat(100_000)), Err(ScreenedError::Form));
        assert_eq!(ScreenedModels::parse("{}"), Err(ScreenedError::Form));
    }

    proptest! {
        /// Whatever lies there: read or refused, never a panic; and what is read is kept as it is.
        #[test]
        fn any_text_is_a_ledger_or_a_sentence(cut in 0usize..2000, at in 0usize..2000, letter in "\\PC") {
            let mut screened = ScreenedModels::default();
            screened.add(&report(), false);
            let mut text: Vec<char> = screened.to_json().chars().collect();
            text.truncate(cut.max(text.len() / 2));
            let at = at % text.len();
            text.splice(at..at + 1, letter.chars());
            if let Ok(read) = ScreenedModels::parse(&text.into_iter().collect::<String>()) {
                prop_assert_eq!(ScreenedModels::parse(&read.to_json()), Ok(read));
            }
        }
    }
}
