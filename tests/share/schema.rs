//! The form of reports, as others read it.

use std::fs;

use super::{reports, root};

/// To write it anew: `cargo run -- schema > docs/report.schema.json`.
#[test]
fn the_schema_in_docs_is_that_of_the_types() {
    let kept = fs::read_to_string(root().join("docs/report.schema.json")).unwrap();
    assert!(kept == fairbits::lab::schema(), "stale; cargo run -- schema > docs/report.schema.json writes it anew");
}

/// What is written is imported as it was, and every field of it is in the schema.
#[test]
fn reports_are_imported_and_described() {
    let schema: serde_json::Value = serde_json::from_str(&fairbits::lab::schema()).unwrap();
    for report in reports() {
        let json = fairbits::lab::json(report);
        assert_eq!(fairbits::lab::import(json.as_bytes()).as_ref(), Ok(report));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let name = format!("{:?}Report", report.kind());
        let described = &schema["$defs"][&name]["properties"];
        for field in value.as_object().unwrap().keys().filter(|key| !["schema", "analysis"].contains(&key.as_str())) {
            assert!(described.get(field).is_some(), "{field} of {name} is not in the schema");
        }
    }
}
