//! A report's digest: SHA-256 over a form that any two programs write alike.

use serde_json::Value;

use crate::{lab::Report, model::source::sha256};

/// What is no figure. `config` is what was asked, which a link carries itself: a setting that is added later, with what was done
/// before as its default, changes no digest. What the folder is called and which program computed decide nothing; the backend is
/// always the CPU. What was put before texts does, and the figures show it.
const LEFT_OUT: [&str; 5] = ["config", "model", "in_front", "backend", "version"];
/// Left out wherever it stands: all that it decides is what was put before texts.
const LEFT_OUT_ANYWHERE: &str = "tokenizer_config_sha256";

/// SHA-256 of the [canonical](canonical) form, in hexadecimal. Only in exact mode, where every browser and the native
/// program give the same bits; none otherwise.
pub fn digest(report: &Report) -> Option<String> {
    report.origin().exact().then(|| sha256(canonical(report).as_bytes()))
}

/// The report's JSON without `config`, `model`, `in_front`, `backend`, `version` and any `tokenizer_config_sha256`, written so that equal
/// reports give equal text: no white space, keys in the order of their bytes, whole numbers in decimal, all others as the 16 hexadecimal digits of their 64 bits,
/// strings with `"`, `\` and control characters escaped.
pub fn canonical(report: &Report) -> String {
    let mut value = serde_json::to_value(report).expect("a report holds numbers, strings and lists only");
    if let Value::Object(fields) = &mut value {
        fields.retain(|key, _| !LEFT_OUT.contains(&key.as_str()));
    }
    let mut text = String::new();
    write(&value, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    let list = |out: &mut String, ends: [char; 2], items: Vec<(Option<&String>, &Value)>| {
        out.push(ends[0]);
        for (at, (key, item)) in items.into_iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            if let Some(key) = key {
                out.push_str(&quoted(key));
                out.push(':');
            }
            write(item, out);
        }
        out.push(ends[1]);
    };
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => out.push_str(&format!("{:016x}", float.to_bits())),
            None => out.push_str(&number.to_string()),
        },
        Value::String(text) => out.push_str(&quoted(text)),
        Value::Array(items) => list(out, ['[', ']'], items.iter().map(|item| (None, item)).collect()),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(key, _)| *key != LEFT_OUT_ANYWHERE);
            let mut fields: Vec<_> = fields.map(|(key, value)| (Some(key), value)).collect();
            fields.sort_by_key(|(key, _)| *key);
            list(out, ['{', '}'], fields);
        }
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
    }
}

fn quoted(text: &str) -> String {
    Value::String(text.into()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::languages::sample::report;

    #[test]
    fn the_form_is_as_documented() {
        let mut text = String::new();
        let value = serde_json::json!({"b": [1, 1.0, -0.0, null, true], "a\"": {"é\n": "x"}});
        write(&value, &mut text);
        assert_eq!(text, r#"{"a\"":{"é\n":"x"},"b":[1,3ff0000000000000,8000000000000000,null,true]}"#);
    }

    /// The name of the folder and the version decide nothing; a last bit decides.
    #[test]
    fn a_digest_is_of_the_figures() {
        let of = |change: fn(&mut crate::lab::languages::Report)| {
            let mut report = report();
            change(&mut report);
            digest(&report.into())
        };
        let plain = of(|_| ());
        assert!(plain.as_ref().is_some_and(|digest| digest.len() == 64));
        assert_eq!(of(|report| report.origin.model = "another name".into()), plain);
        assert_eq!(of(|report| report.origin.version = "9".into()), plain);
        assert_eq!(of(|report| report.origin.files.tokenizer_config_sha256 = Some("00".into())), plain);
        assert_ne!(of(|report| report.rows[1].degradation.high = f64::from_bits(0.25f64.to_bits() + 1)), plain);
        assert_eq!(of(|report| report.config.draws.seed += 1), plain, "what was asked stands beside it");
        assert_ne!(of(|report| report.origin.files.model_sha256 = "00".into()), plain);
        assert_eq!(of(|report| report.origin.backend = "webgpu".into()), None);
        assert_eq!(of(|report| report.origin.backend = "webgpu, then cpu".into()), None);
    }
}
