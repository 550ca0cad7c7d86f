//! Small runs of every analysis: what a link says is found again, and what is changed is named.

use fairbits::{
    lab::{Needs, Report},
    share::{Figure, Link, Mismatch, TOLERANCE, Verdict, compare, digest, headline},
};

use super::{link, reports, run, small};

/// Run, shared, opened and run again: the same bits.
#[test]
fn a_link_is_reproduced_exactly() {
    for (config, report) in small::configs().iter().zip(reports()) {
        let opened = Link::parse(&link(report).to_string()).unwrap();
        assert_eq!(opened, link(report));
        let again = run(&opened.run.config);
        assert_eq!(compare(&opened.run, &again), Verdict::ReproducedExactly, "{:?}", config.kind());
        let origin = again.origin();
        let texts = matches!(config.needs(), Needs::Texts(_));
        assert_eq!(origin.corpus_sha256().is_some(), texts);
        assert_eq!(origin.model().is_some(), config.kind().has_model());
        assert!(
            origin.model().is_none_or(|of| of.files.config_sha256.is_some() && of.files.tokenizer_sha256.is_some())
        );
    }
}

/// A report read back from its file has the digest of the run.
#[test]
fn a_digest_survives_json() {
    for report in reports() {
        let read: Report = serde_json::from_str(&fairbits::lab::json(report)).unwrap();
        assert_eq!(digest(&read), digest(report));
    }
}

/// Each analysis has figures of its own to be known by, and one that came out otherwise is named with both values.
#[test]
fn a_changed_figure_is_named() {
    for report in reports() {
        let figures = headline(report);
        assert!(figures.len() >= 4, "{:?}: {figures:?}", report.kind());
        for (at, figure) in figures.iter().enumerate() {
            assert!(figures[..at].iter().all(|other| other.name != figure.name), "{} is there twice", figure.name);
            let mut run = link(report).run;
            run.digest = Some("0".repeat(64));
            let changed = f64::from_bits(figure.value.to_bits() + 1);
            run.figures[at].value = changed;
            let Verdict::Differs { figures } = compare(&run, report) else { panic!("{} is not noticed", figure.name) };
            assert_eq!(figures.len(), 1);
            assert_eq!((figures[0].link.value, figures[0].here.as_ref()), (changed, Some(figure)));
        }
    }
}

/// Other digests with equal figures: it differs, in something the link does not spell out.
#[test]
fn equal_figures_do_not_make_equal_reports() {
    let mut run = link(&reports()[0]).run;
    run.digest = Some("0".repeat(64));
    assert_eq!(compare(&run, &reports()[0]), Verdict::Differs { figures: Vec::new() });
}

/// Where either side was computed on WebGPU, the tolerance decides, figure by figure, up to its very edge.
#[test]
fn webgpu_is_compared_within_the_tolerance() {
    for report in reports() {
        let mut run = link(report).run;
        (run.digest, run.backend) = (None, "webgpu".into());
        assert_eq!(compare(&run, report), Verdict::WithinTolerance { largest: 0.0 });
        let scale = |figure: &Figure| figure.value.abs().max(figure.bounds.map_or(0.0, |(low, high)| high - low));
        // Smaller ones are measured against a bound of their own.
        let at = run.figures.iter().position(|figure| scale(figure) > 0.05).unwrap();
        let (before, scale) = (run.figures[at].value, scale(&run.figures[at]));
        run.figures[at].value = before + 0.9 * TOLERANCE * scale;
        assert!(matches!(compare(&run, report), Verdict::WithinTolerance { largest } if largest > 0.8 * TOLERANCE));
        run.figures[at].value = before + 1.2 * TOLERANCE * scale;
        let Verdict::Differs { figures } = compare(&run, report) else { panic!("{:?}", report.kind()) };
        assert_eq!(figures[0].link.name, run.figures[at].name);
        run.figures[at].value = before;
        run.figures[at].name = "unheard of".into();
        assert!(matches!(compare(&run, report), Verdict::Differs { figures } if figures[0].here.is_none()));
    }
}

/// What is not of the same files, texts, settings or program is not compared, and it is said why.
#[test]
fn what_cannot_be_compared_is_said() {
    let report = &reports()[0];
    let refused = |change: fn(&mut fairbits::share::Run)| {
        let mut run = link(report).run;
        run.digest = Some("0".repeat(64));
        change(&mut run);
        match compare(&run, report) {
            Verdict::CannotCompare { which } => which,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        refused(|run| run.model.as_mut().unwrap().checkpoint = "1".repeat(64)),
        [Mismatch::Model("model.safetensors")]
    );
    assert_eq!(
        refused(|run| run.model.as_mut().unwrap().config = Some("1".repeat(64))),
        [Mismatch::Model("config.json")]
    );
    assert_eq!(
        refused(|run| run.model.as_mut().unwrap().tokenizer = Some("1".repeat(64))),
        [Mismatch::Model("tokenizer.json")]
    );
    assert_eq!(refused(|run| run.corpus = Some("1".repeat(64))), [Mismatch::Corpus]);
    assert_eq!(refused(|run| run.config = small::configs()[1].clone()), [Mismatch::Settings]);
    let here = report.origin().version().to_string();
    const OTHER: &str = "0.1.0+f9.abc";
    assert_eq!(refused(|run| run.version = OTHER.into()), [Mismatch::Version { link: OTHER.into(), here }]);
    // The same bits are the same bits, whoever computed them.
    let mut run = link(report).run;
    run.version = OTHER.into();
    assert_eq!(compare(&run, report), Verdict::ReproducedExactly);
}
