//! What charts and tables take for granted of a report: as many of everything as there must be.

use super::{
    degradation::{Cost, Language},
    import::ImportError,
};

/// As many as there must be.
pub(crate) fn count(what: &str, came: usize, expected: usize) -> Result<(), ImportError> {
    match came == expected {
        true => Ok(()),
        false => Err(ImportError::Unfitting(format!("{what} should be {expected}, and there are {came}"))),
    }
}

/// A number that counts from 0.
pub(crate) fn below(what: &str, came: usize, bound: usize) -> Result<(), ImportError> {
    match came < bound {
        true => Ok(()),
        false => Err(ImportError::Unfitting(format!("{what} is {came}, and there are only {bound}"))),
    }
}

/// The languages that were asked for, in their order.
pub(crate) fn codes<'a>(asked: &[String], came: impl ExactSizeIterator<Item = &'a String>) -> Result<(), ImportError> {
    count("the languages", came.len(), asked.len())?;
    match asked.iter().eq(came) {
        true => Ok(()),
        false => Err(ImportError::Unfitting("its languages are not those that were asked for".into())),
    }
}

/// A loss for every language.
pub(crate) fn costs(cost: &Cost, languages: &[Language]) -> Result<(), ImportError> {
    count("the losses of a row", cost.degradation.len(), languages.len())
}
