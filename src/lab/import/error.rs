//! Why a file is not shown as a report, and what can be done about it.

use super::SCHEMA;

/// Why a file is not shown; each a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Refused before it is read.
    #[error("the file has {came} bytes; a report has at most {most}")]
    TooLarge {
        /// Bytes.
        came: usize,
        /// Allowed.
        most: usize,
    },
    /// From a newer program.
    #[error("the report is of schema {0}; this program reads up to schema {SCHEMA}")]
    Newer(u64),
    /// Something else.
    #[error("this is not a report of the lab: {0}")]
    NotAReport(String),
    /// A number that no run gives.
    #[error("the report holds the number {0}, which no run gives")]
    Number(String),
    /// A clipping rule that this program does not have.
    #[error("the report has the clipping rule “{0}”, which this program does not know")]
    UnknownRule(String),
    /// Parts that do not belong together.
    #[error("the report does not fit together: {0}")]
    Unfitting(String),
}

impl ImportError {
    /// What a person can do about it, as a sentence.
    pub fn what_to_do(&self) -> &'static str {
        match self {
            ImportError::TooLarge { .. } | ImportError::NotAReport(_) => {
                "Choose a file that was saved with “Report as JSON” or written by fairbits run."
            }
            ImportError::Newer(_) | ImportError::UnknownRule(_) => {
                "Reload the page: a newer version may read it. If not, open it where it was saved."
            }
            ImportError::Number(_) | ImportError::Unfitting(_) => {
                "The file was changed or damaged after it was saved: get it anew, or run it again."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::import;

    /// Law: a file that is not shown says which would be, or where to get it.
    #[test]
    fn every_refused_file_says_what_to_do() {
        let newer = format!("{{\"schema\": {}}}", u64::MAX);
        let rule = r#"{"analysis": "clipping", "losses": [{"rule": "later"}]}"#;
        for text in ["", "[]", rule, "{\"analysis\": \"weights\"}", "{\"schema\": 1, \"x\": 1e200}", &newer] {
            let fault = import(text.as_bytes()).unwrap_err();
            let step = fault.what_to_do();
            assert!(step.ends_with('.'), "{fault}: {step}");
            assert!(fault.to_string().chars().count() + step.chars().count() < 300, "{fault}. {step}");
        }
    }
}
