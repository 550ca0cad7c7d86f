//! A report from a file. The file is a stranger's: it is bounded, and [`lab::Findings::fits`] checks what charts and tables take for granted.

mod error;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lab::{self, Report};

pub use error::ImportError;

/// Version of the report's JSON, in its field `schema`. It rises when a program that reads the former would misread the new;
/// fields that are only added do not raise it. `docs/report.schema.json` has the form.
pub const SCHEMA: u32 = 1;
/// The largest search has 5,000 sets, which take some 20 MB.
pub const MOST_BYTES: usize = 64 << 20;
/// No figure of the lab comes near it, and twice it is still a number.
const LARGEST: f64 = 1e100;

/// Characters of a parser's words, which repeat the file's, that a sentence has.
const SHOWN: usize = 200;

/// A report as it is written: its version first.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Document<'a> {
    /// Version of this form.
    schema: u32,
    /// The report.
    #[serde(flatten)]
    report: &'a Report,
}

impl Document<'_> {
    /// Of a report.
    pub fn of(report: &Report) -> Document<'_> {
        Document { schema: SCHEMA, report }
    }
}

/// The JSON Schema of a report's file, from the types. `docs/report.schema.json` holds it.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Document);
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

/// Reads a report. Files from before the field `schema` are of schema 1.
pub fn import(bytes: &[u8]) -> Result<Report, ImportError> {
    if bytes.len() > MOST_BYTES {
        return Err(ImportError::TooLarge { came: bytes.len(), most: MOST_BYTES });
    }
    let not = |fault: serde_json::Error| ImportError::NotAReport(fault.to_string().chars().take(SHOWN).collect());
    let value: Value = serde_json::from_slice(bytes).map_err(not)?;
    match value.get("schema") {
        None => {}
        Some(version) => match version.as_u64() {
            Some(version) if version <= u64::from(SCHEMA) => {}
            Some(version) => return Err(ImportError::Newer(version)),
            None => return Err(ImportError::NotAReport("its field `schema` is not a whole number".into())),
        },
    }
    bounded(&value)?;
    lab::refuse_newer(&value)?;
    let report = Report::deserialize(value).map_err(not)?;
    report.config().check().map_err(|fault| ImportError::Unfitting(fault.to_string()))?;
    report.fits()?;
    Ok(report)
}

fn bounded(value: &Value) -> Result<(), ImportError> {
    match value {
        Value::Number(number) if number.as_f64().is_none_or(|x| x.is_nan() || x.abs() > LARGEST) => {
            Err(ImportError::Number(number.to_string()))
        }
        Value::Array(items) => items.iter().try_for_each(bounded),
        Value::Object(fields) => fields.values().try_for_each(bounded),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::json;
    use crate::lab::languages::sample::report;
    use crate::lab::{matrix, screening, sweep, tokens};

    #[test]
    fn what_was_exported_is_imported() {
        let report = Report::from(report());
        assert!(json(&report).starts_with("{\n  \"schema\": 1,\n  \"analysis\": \"languages\","));
        assert_eq!(import(json(&report).as_bytes()), Ok(report.clone()));
        // From before the version and the digests were written.
        let mut old = serde_json::to_value(&report).unwrap();
        for key in ["config_sha256", "tokenizer_sha256", "corpus_sha256"] {
            old.as_object_mut().unwrap().remove(key).unwrap();
        }
        assert_eq!(import(old.to_string().as_bytes()), Ok(report));
    }

    #[test]
    fn what_is_no_report_gets_a_sentence() {
        let good = serde_json::to_value(Document::of(&report().into())).unwrap();
        let refused = |change: fn(&mut Value)| {
            let mut value = good.clone();
            change(&mut value);
            import(value.to_string().as_bytes()).unwrap_err()
        };
        assert_eq!(refused(|value| value["schema"] = 2.into()), ImportError::Newer(2));
        assert_eq!(refused(|value| value["bytes_full"] = 1e200.into()), ImportError::Number("1e+200".into()));
        assert!(matches!(refused(|value| value["schema"] = "1".into()), ImportError::NotAReport(_)));
        assert!(matches!(refused(|value| value["rows"] = 1.into()), ImportError::NotAReport(_)));
        assert!(matches!(
            refused(|value| drop(value["rows"].as_array_mut().unwrap().pop())),
            ImportError::Unfitting(_)
        ));
        assert!(matches!(refused(|value| value["rows"][0]["code"] = "x".into()), ImportError::Unfitting(_)));
        assert!(matches!(refused(|value| value["config"]["draws"]["resamples"] = 1.into()), ImportError::Unfitting(_)));
        assert!(matches!(import(b"{"), Err(ImportError::NotAReport(_))));
        assert!(matches!(import(&vec![b' '; MOST_BYTES + 1]), Err(ImportError::TooLarge { .. })));
        assert!(matches!(import("[".repeat(100_000).as_bytes()), Err(ImportError::NotAReport(_))));
    }

    #[test]
    fn matrices_and_tokens_that_do_not_fit_are_refused() {
        let read = |report: Report| import(json(&report).as_bytes());
        let (matrix, tokens) = (crate::lab::matrix::sample::report, crate::lab::tokens::sample::report);
        // Cells of one weight, as few as they are.
        let fine = || matrix::Report {
            cell: (1, 1),
            size: (4, 6),
            full: vec![0.5; 24],
            quantized: vec![0.0; 24],
            difference: vec![-0.5; 24],
            ..matrix()
        };
        assert_eq!(read(fine().into()), Ok(fine().into()));
        assert_eq!(read(tokens().into()), Ok(tokens().into()));
        let changed = |change: fn(&mut matrix::Report)| {
            let mut report = fine();
            change(&mut report);
            read(report.into())
        };
        assert!(matches!(changed(|report| report.size = (1 << 40, 6)), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| report.cell = (0, 1)), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| report.window.inputs = (3, 9)), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| report.difference.truncate(1)), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| report.codes.truncate(1)), Err(ImportError::Unfitting(_))));
        let changed = |change: fn(&mut tokens::Report)| {
            let mut report = tokens();
            change(&mut report);
            read(report.into())
        };
        assert!(matches!(changed(|report| drop(report.rows.pop())), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| report.rows[0].scored = 9), Err(ImportError::Unfitting(_))));
        assert!(matches!(
            changed(|report| report.rows[0].language.direction = "up".into()),
            Err(ImportError::Unfitting(_))
        ));
    }

    /// Law: a Clipping report stays readable when a rule is added to the program: it has the rules of its time, each once.
    #[test]
    fn a_clipping_report_from_before_a_rule_is_read_and_one_with_an_unknown_rule_is_not() {
        let good = serde_json::to_value(Document::of(&crate::lab::clipping::sample::report().into())).unwrap();
        let read = |change: fn(&mut Value)| {
            let mut value = good.clone();
            change(&mut value);
            import(value.to_string().as_bytes())
        };
        fn each(value: &mut Value, change: fn(&mut Vec<Value>)) {
            let tensors = value["tensors"].as_array_mut().unwrap().iter_mut();
            tensors.for_each(|tensor| change(tensor["choices"].as_array_mut().unwrap()));
        }
        assert!(read(|_| ()).is_ok());
        assert!(read(|value| each(value, |rules| drop(rules.remove(3)))).is_ok());
        assert!(read(|value| drop(value["losses"].as_array_mut().unwrap().pop())).is_ok());
        let unfitting = [
            read(|value| drop(value["tensors"][1]["choices"].as_array_mut().unwrap().remove(3))),
            read(|value| drop(value["tensors"][0]["choices"].as_array_mut().unwrap().remove(3))),
            read(|value| each(value, |rules| drop(rules.pop()))),
            read(|value| each(value, |rules| rules[0] = rules[1].clone())),
            read(|value| value["losses"][0] = value["losses"][1].clone()),
            read(|value| value["places"] = Value::Array(Vec::new())),
        ];
        for fault in unfitting {
            assert!(matches!(fault, Err(ImportError::Unfitting(_))), "{fault:?}");
        }
        let unknown = read(|value| each(value, |rules| rules[0]["rule"] = "entropy".into()));
        assert_eq!(unknown, Err(ImportError::UnknownRule("entropy".into())));
        let unknown = read(|value| value["losses"][1]["rule"] = "entropy".into());
        assert_eq!(unknown, Err(ImportError::UnknownRule("entropy".into())));
    }

    #[test]
    fn sweeps_and_screenings_that_do_not_fit_are_refused() {
        let read = |report: Report| import(json(&report).as_bytes());
        let sweep = crate::lab::sweep::sample::report;
        let screening = crate::lab::screening::sample::report;
        assert_eq!(read(sweep().into()), Ok(sweep().into()));
        assert_eq!(read(screening().into()), Ok(screening().into()));
        let changed = |change: fn(&mut sweep::Report)| {
            let mut report = sweep();
            change(&mut report);
            read(report.into())
        };
        assert!(matches!(changed(|report| report.outcomes.swap(0, 1)), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| drop(report.slopes.pop())), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| report.config.rules.clear()), Err(ImportError::Unfitting(_))));
        assert!(matches!(
            changed(|report| {
                report.outcomes[2].cost.degradation.pop();
            }),
            Err(ImportError::Unfitting(_))
        ));
        let changed = |change: fn(&mut screening::Report)| {
            let mut report = screening();
            change(&mut report);
            read(report.into())
        };
        assert!(matches!(changed(|report| report.layers.clear()), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| drop(report.rows.pop())), Err(ImportError::Unfitting(_))));
        assert!(matches!(changed(|report| report.config.light = 60.0), Err(ImportError::Unfitting(_))));
    }
}
