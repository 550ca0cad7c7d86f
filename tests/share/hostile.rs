//! Links of strangers: each refused with a sentence, none with a panic, a wait or a pile of memory.

use std::{
    fs,
    io::Write,
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use fairbits::{
    math::rng::Rng,
    share::{Link, LinkError, MOST_CHARACTERS},
};
use flate2::{Compression, write::ZlibEncoder};

use super::{
    allocations::watched,
    fixtures,
    fuzz_link::link as fuzzed,
    link,
    mutations::{below, mutate},
    reports,
};

/// Bars of the issue.
const LINKS: usize = 100_000;
const LONGEST: Duration = Duration::from_millis(50);
const LARGEST: usize = 64 << 20;

fn packed(json: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(json).unwrap();
    BASE64.encode(encoder.finish().unwrap())
}

fn unpacked(link: &str) -> Vec<u8> {
    let payload = link.split_once("run=1.").unwrap().1.split('&').next().unwrap();
    miniz_oxide::inflate::decompress_to_vec_zlib(&BASE64.decode(payload).unwrap()).unwrap()
}

/// Every file of the corpus is refused, and what is said names no markup as markup would be written by us.
#[test]
fn the_corpus_of_hostile_links_is_refused() {
    let mut seen = 0;
    for file in fs::read_dir(fixtures().join("hostile")).unwrap() {
        let file = file.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        let (refused, largest) = watched(|| Link::parse(&text));
        let fault = refused.expect_err(&file.display().to_string());
        assert!(largest <= LARGEST, "{}: {largest} bytes", file.display());
        let sentence = fault.to_string();
        assert!((10..400).contains(&sentence.chars().count()), "{}: {sentence}", file.display());
        assert!(!sentence.contains(char::is_control), "{}: {sentence:?}", file.display());
        seen += 1;
    }
    assert!(seen >= 20, "{seen} hostile links");
}

#[test]
fn each_fault_has_its_sentence() {
    let good = link(&reports()[0]).to_string();
    let with = |from: &str, to: &str| {
        let json = String::from_utf8(unpacked(&good)).unwrap();
        assert!(json.contains(from), "{json}");
        Link::parse(&format!("#/?run=1.{}", packed(json.replacen(from, to, 1).as_bytes())))
    };
    assert!(with("\"seed\":1", "\"seed\":2").is_ok(), "the packing itself is sound");
    let is = |fault: Result<Link, LinkError>, like: fn(&LinkError) -> bool| {
        let fault = fault.unwrap_err();
        assert!(like(&fault), "{fault:?}");
    };
    is(Link::parse(&"x".repeat(MOST_CHARACTERS + 1)), |f| matches!(f, LinkError::TooLong { .. }));
    is(Link::parse("#/?workers=2"), |f| matches!(f, LinkError::NoRun));
    is(Link::parse("#/?run=2.AAAA"), |f| matches!(f, LinkError::Version(v) if v == "2"));
    is(Link::parse("#/?run=AAAA"), |f| matches!(f, LinkError::Version(_)));
    is(Link::parse(&good[..good.len() - 1]), |f| matches!(f, LinkError::Damaged(_)));
    is(Link::parse(&good.replace("#/", "#/nowhere")), |f| matches!(f, LinkError::Page(p) if p == "nowhere"));
    is(Link::parse(&good.replace("#/", "#/weights")), |f| matches!(f, LinkError::OtherPage { .. }));
    is(Link::parse(&format!("{good}&view=all")), |f| matches!(f, LinkError::View(_)));
    let bomb = format!("#/?run=1.{}", packed(&vec![b' '; 256 << 10]));
    is(Link::parse(&bomb), |f| matches!(f, LinkError::TooLarge(_)));
    is(with("\"seed\"", "\"sed\""), |f| matches!(f, LinkError::Content(_)));
    is(with("\"units\":2", "\"units\":0"), |f| matches!(f, LinkError::Settings(_)));
    is(with("\"resamples\":100", "\"resamples\":99999999"), |f| matches!(f, LinkError::Settings(_)));
    is(with("\"udhr\"", "\"../udhr\""), |f| matches!(f, LinkError::Settings(_)));
    is(with("models/skew-skew", "javascript:alert(1)"), |f| matches!(f, LinkError::Place(_)));
    is(with("\"h\":[\"", "\"h\":[\"AA"), |f| matches!(f, LinkError::Digest(_)));
    is(with("\"h\":[\"", "\"h\":[null,\""), |f| matches!(f, LinkError::Content(_)));
    is(with("\"b\":\"cpu\"", "\"b\":\"tpu\""), |f| matches!(f, LinkError::Text { .. }));
    is(with("\"m\":[\"skew-skew\"", "\"m\":[\"\""), |f| matches!(f, LinkError::Text { .. }));
    is(with("[\"disparity\",", "[\"disparity\",1e999,"), |f| matches!(f, LinkError::Content(_)));
    is(with("\"f\":[", &format!("\"f\":[{}", "[\"a\",1,null],".repeat(12))), |f| {
        matches!(f, LinkError::Figures { .. })
    });
    is(with("\"f\":[", "\"f\":[[\"a\",1,[2,1]],"), |f| matches!(f, LinkError::Figure(_)));
}

/// Mutated in their letters, in their packed bytes, or in what they say: no panic, no wait, no pile of memory; and some of each
/// kind are still links, so that the checks behind the unpacking were reached.
#[test]
fn mutated_links_do_no_harm() {
    let good: Vec<String> = reports().iter().map(|report| link(report).to_string()).collect();
    let said: Vec<Vec<u8>> = good.iter().map(|link| unpacked(link)).collect();
    let mut rng = Rng::new(7);
    let (mut taken, mut slowest, mut most) = ([0; 3], Duration::ZERO, 0);
    for number in 0..LINKS {
        let (of, kind) = (below(&mut rng, good.len()), number % 3);
        let (page, carried) = good[of].split_once("run=1.").unwrap();
        let text = match kind {
            0 => {
                let mut bytes = good[of].clone().into_bytes();
                mutate(&mut bytes, &mut rng);
                String::from_utf8_lossy(&bytes).into_owned()
            }
            1 => {
                let mut bytes = BASE64.decode(carried).unwrap();
                mutate(&mut bytes, &mut rng);
                format!("{page}run=1.{}", BASE64.encode(bytes))
            }
            _ => {
                let mut bytes = said[of].clone();
                mutate(&mut bytes, &mut rng);
                format!("{page}run=1.{}", packed(&bytes))
            }
        };
        let began = Instant::now();
        let (read, largest) = watched(|| fuzzed(text.as_bytes()));
        let mut took = began.elapsed();
        // The machine may have been at something else: only what is slow again and again is slow.
        for _ in 0..4 {
            if took <= LONGEST {
                break;
            }
            let began = Instant::now();
            fuzzed(text.as_bytes()).ok();
            took = began.elapsed();
        }
        assert!(took <= LONGEST && largest <= LARGEST, "{took:?}, {largest} bytes: {text}");
        (slowest, most) = (slowest.max(took), most.max(largest));
        taken[kind] += usize::from(read.is_ok());
    }
    println!("still links: {taken:?}; slowest {slowest:?}; largest allocation {most} bytes");
    assert!(taken[2] > 100, "{taken:?}");
}
