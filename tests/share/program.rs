//! The program: what it prints, and what it ends with.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use fairbits::lab::Report;

use super::{link, reports, root, slow, small};

/// Runs the program in the repository's folder, where `public/` is.
pub fn fairbits(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fairbits")).args(arguments).current_dir(root()).output().unwrap()
}

/// A file of this test's own.
pub fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

pub fn ended(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Settings → report → link → verify, and the report again from its own file: the same bits, and no bar where no terminal is.
#[test]
fn from_settings_to_a_verified_link() {
    let (settings, report, again) = (scratch("settings.json"), scratch("report.json"), scratch("again.json"));
    fs::write(&settings, serde_json::to_vec(&small::configs()[0]).unwrap()).unwrap();
    let [settings, report, again] = [&settings, &report, &again].map(|file| file.to_str().unwrap());
    let (code, out, err) = ended(&fairbits(&["run", settings, "--model", "public/models/skew-skew", "--out", report]));
    assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
    assert!(err.starts_with("digest ") && err.lines().count() == 1, "{err}");
    let read = |file: &str| serde_json::from_slice::<Report>(&fs::read(file).unwrap()).unwrap();
    assert_eq!(read(report), reports()[0]);
    let (code, printed, _) = ended(&fairbits(&["link", report, "--page", "https://example.org/lab/"]));
    assert_eq!(
        (code, printed.as_str()),
        (Some(0), format!("https://example.org/lab/{}\n", link(&reports()[0])).as_str())
    );
    let (code, out, err) = ended(&fairbits(&["verify", printed.trim(), "--out", again]));
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(out, "Reproduced exactly: the digests of the reports are equal.\n");
    assert_eq!(read(again), reports()[0]);
    let (code, out, err) = ended(&fairbits(&["run", report]));
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(serde_json::from_str::<Report>(&out).unwrap(), reports()[0]);
}

/// Law: an analysis asked for by its flags is the analysis of the settings that they say.
#[test]
fn flags_are_settings() {
    let texts = "--languages eng,kor,fin --units 2 --resamples 100 --seed 1";
    let of = |flags: &str| {
        let all: Vec<&str> =
            flags.split(' ').chain(texts.split(' ')).chain(["--model", "public/models/skew-skew"]).collect();
        ended(&fairbits(&all))
    };
    for (flags, config) in [
        ("languages --bits 3 --rule absmax", small::languages().into()),
        ("mitigation --methods absmax,channel,detected", small::configs().remove(4)),
        (
            "dial --furthest 3 --stops ends --layers listed --listed 0,2 --joints attention_norm --flatten false --bits 3 --rules absmax --permutations 100",
            small::configs().remove(5),
        ),
    ] {
        let (code, out, err) = of(flags);
        assert_eq!(code, Some(0), "{flags}: {err}");
        assert_eq!(serde_json::from_str::<Report>(&out).unwrap().config(), config, "{flags}");
    }
    let wrong = [
        ("languages --bits 9", "Bits"),
        ("languages --rule x", "rule"),
        ("sweep --bits 3,3", "Bits per weight, one or more"),
        ("dial --listed 3-1 --layers listed", "numbers and ranges"),
        ("activation --threshold high", "must be a finite number"),
    ];
    for (flags, named) in wrong {
        let (code, _, err) = of(flags);
        assert!(code == Some(3) && err.contains(named), "{flags}: {code:?} {err}");
    }
}

/// Each ending has its own code, as the help says.
#[test]
fn exit_codes_say_what_happened() {
    let good = link(&reports()[1]);
    let mut changed = good.clone();
    changed.run.digest = Some("0".repeat(64));
    changed.run.figures[1].value += 1.0;
    let (code, out, _) = ended(&fairbits(&["verify", &changed.to_string()]));
    assert_eq!(code, Some(1));
    let name = &good.run.figures[1].name;
    assert!(out.starts_with("Differs:\n") && out.lines().nth(1).unwrap().starts_with(&format!("{name}: ")), "{out}");
    assert_eq!(out.lines().count(), 2);

    let tiny = ["verify", &good.to_string(), "--model", "tests/fixtures/gpt2-tiny"];
    let (code, out, _) = ended(&fairbits(&tiny));
    assert_eq!(code, Some(2));
    assert!(out.starts_with("Cannot be compared: the model's config.json, "), "{out}");

    let mut elsewhere = good.clone();
    elsewhere.run.model.as_mut().unwrap().place = fairbits::share::Place::parse("http://127.0.0.1:9/models/m").unwrap();
    let elsewhere = elsewhere.to_string();
    let refused: [(&[&str], i32, &str); 8] = [
        (&["verify", "#/?run=9.x"], 3, "the link is of version \"9\"; this program reads version 1\n"),
        (&["run", "not/there.json"], 3, "not/there.json: No such file or directory (os error 2)\n"),
        (&["run", &elsewhere], 3, "the link's model lies at http://127.0.0.1:9/models/m; to fetch it from there, add"),
        (
            &["verify", &good.to_string(), "--model", "https://example.org/m"],
            3,
            "https://example.org/m: this program speaks",
        ),
        (&["run"], 3, "error: "),
        (&["link", "README.md"], 3, "README.md: "),
        (&["verify", &good.to_string(), "--model", "./not/there"], 4, "config.json: "),
        (&["verify", &elsewhere, "--model", "http://127.0.0.1:9/m"], 4, "config.json: "),
    ];
    for (arguments, expected, sentence) in refused {
        let (code, out, err) = ended(&fairbits(arguments));
        assert_eq!((code, out.as_str()), (Some(expected), ""), "{arguments:?}: {err}");
        assert!(err.starts_with(sentence), "{arguments:?}: {err}");
        let says_it = ["error: ", "add --model", "give its path instead"].iter().any(|words| err.contains(words));
        assert!(says_it || err.lines().nth(1).is_some_and(|step| step.ends_with('.')), "{arguments:?}: {err}");
    }
    let (code, out, _) = ended(&fairbits(&["--help"]));
    assert_eq!(code, Some(0));
    for code in 0..=4 {
        assert!(out.contains(&format!("\n  {code}  ")), "{out}");
    }
}

/// Law: nobody waits for a tokenizer for longer than they said, and the sentence names the file and the part of it.
#[test]
fn a_tokenizer_that_does_not_end_is_ended() {
    let settings = scratch("slow.json");
    fs::write(&settings, serde_json::to_vec(&small::configs()[0]).unwrap()).unwrap();
    let model = slow::model(&root().join("public"), Path::new(env!("CARGO_TARGET_TMPDIR")));
    let began = Instant::now();
    let [settings, model] = [&settings, &model].map(|path| path.to_str().unwrap());
    let (code, out, err) = ended(&fairbits(&["run", settings, "--model", model, "--patience", "3"]));
    assert_eq!((code, out.as_str()), (Some(4), ""), "{err}");
    assert!(err.starts_with("tokenizer.json: its model took longer than 3 seconds and was ended\n"), "{err}");
    assert!(err.lines().nth(1).is_some_and(|step| step.ends_with('.')), "{err}");
    assert!(began.elapsed() < Duration::from_secs(25), "it ended after {:?}", began.elapsed());
}

/// A page on fairness from a report's file, in both forms, with the link that leads back to it.
#[test]
fn a_fairness_report_of_every_analysis() {
    for report in reports() {
        let file = scratch(&format!("fairness-{}.json", report.kind().name()));
        fs::write(&file, fairbits::lab::json(report)).unwrap();
        let file = file.to_str().unwrap();
        let (code, page, err) = ended(&fairbits(&["report", file, "--html", "--page", "https://example.org/"]));
        assert_eq!(code, Some(0), "{err}");
        assert!(page.starts_with("<!doctype html>") && page.contains(&format!("https://example.org/{}", link(report))));
        let (code, text, err) = ended(&fairbits(&["report", file]));
        assert_eq!(code, Some(0), "{err}");
        let of = if report.kind().has_model() { "skew-skew" } else { "no one model" };
        assert!(text.starts_with(&format!("# Fairness report: {of}")), "{text}");
    }
}
