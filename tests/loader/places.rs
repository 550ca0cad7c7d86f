//! Where something stands in a JSON file; the tests of the engine include this too.

use serde_json::Value;

/// Every place in a value, as JSON pointers, inner ones first.
pub fn places(value: &Value) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(map) => {
            let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
            map.iter().map(|(key, value)| (format!("/{}", escaped(key)), value)).collect()
        }
        Value::Array(list) => list.iter().enumerate().map(|(at, value)| (format!("/{at}"), value)).collect(),
        _ => Vec::new(),
    };
    let with_inner = |(place, value): (String, &Value)| {
        let inner = places(value).into_iter().map(|inner| format!("{place}{inner}"));
        inner.chain([place.clone()]).collect::<Vec<_>>()
    };
    below.into_iter().flat_map(with_inner).collect()
}

/// The value with another in one place.
pub fn changed(value: &Value, place: &str, to: Value) -> Value {
    let mut changed = value.clone();
    *changed.pointer_mut(place).expect("a place that is there") = to;
    changed
}
