use super::*;
use crate::lab::facts::Loss;
use crate::lab::{dial, gateway, languages, screening, sweep};

fn reports() -> Vec<Report> {
    vec![
        languages::sample::report().into(),
        dial::sample::report().into(),
        gateway::sample::report(40).into(),
        sweep::sample::report().into(),
        screening::sample::report().into(),
    ]
}

/// What the theory says must always be reported is there, in both forms, and so is the link.
#[test]
fn a_page_has_what_must_be_reported() {
    let link = "https://example.org/#/?run=1.AAAA";
    for report in reports() {
        let (markdown, html) = (markdown(&report, Some(link)), html(&report, Some(link)));
        for text in [&markdown, &html] {
            for needed in
                ["Losses per language", "Disparity", "Layers", "Checklist", "Strategy: ", " bits", "Computed by"]
            {
                assert!(text.contains(needed), "{needed} is not in\n{text}");
            }
            let losses = Facts::of(&report).losses;
            assert!(losses.len() > 1);
            for Loss { name, .. } in losses {
                assert!(text.contains(&name), "{name} is not in\n{text}");
            }
        }
        assert!(markdown.contains(&format!("<{link}>")) && html.contains(&format!("href=\"{link}\"")));
        assert!(markdown.matches("\n- [").count() >= 10, "{markdown}");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let text = markdown(&languages::sample::report().into(), None);
    assert!(text.contains("| Thai | unseen | 0.9 | \\[0.2, 2.5\\] |"), "{text}");
    assert!(text.contains("- [ ] Per-layer kurtosis is not in this report; the Weights analysis extracts it."));
    assert!(text.contains("- [x] Per-language degradation D(λ) is reported."));
    assert!(text.contains("No link was made of this report."));
}

/// Names are strangers' texts: none becomes markup, and no link runs anything.
#[test]
fn names_are_escaped() {
    let mut report = languages::sample::report();
    let evil = "<script>alert(1)</script>\"'&| *x* [y](javascript:z)\n# `h`";
    report.origin.model = evil.into();
    report.rows[0].name = evil.into();
    let report = report.into();
    let (markdown, html) = (markdown(&report, Some("javascript:alert(1)")), html(&report, Some("javascript:alert(1)")));
    for text in [&markdown, &html] {
        assert!(!text.contains("<script"), "{text}");
    }
    assert!(!html.contains("href=\"javascript") && !markdown.contains("<javascript") && !markdown.contains("[y]("));
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;|"));
    assert!(markdown.lines().all(|line| !line.starts_with("# `")));
}
