use super::sample::{report, token};
use super::*;
use proptest::prelude::*;

#[test]
fn the_sentence_names_who_loses_most_and_the_token() {
    assert_eq!(title(&report()), "Article 1, token by token, before and after rounding to 3 bits");
    assert_eq!(
        sentence(&report()),
        "This text loses most in Amharic (+0.469 bits per byte), least in English (+0.125 bits per byte). The token that \
         loses most is the bytes E1 88 in Amharic: +4.25 bits."
    );
}

#[test]
fn a_token_says_its_losses_and_what_it_is_a_part_of() {
    let report = report();
    let [english, amharic] = [0, 1].map(|at| (&report.rows[at], groups(&report.rows[at].tokens)));
    assert_eq!(
        told(english.0, &english.1[1]),
        "English: “<b>&”: 2.00 bits before, 3.00 after, +1.00 bits (its probability went from 25.0% to 12.5%)"
    );
    assert!(told(english.0, &english.1[0]).contains("not asked for it"));
    let both = told(amharic.0, &amharic.1[1]);
    assert!(
        both.starts_with("Amharic: “ላ” is cut into 2 tokens. The bytes E1 88: 6.00 bits before, 10.25 after"),
        "{both}"
    );
    assert!(both.contains("; the byte 8B: 1.00 bits before"), "{both}");
}

#[test]
fn what_a_text_says_is_never_markup() {
    let report = report();
    let markup = html(&report.rows[0], &scale(&report));
    assert!(markup.contains("&lt;b&gt;&amp;</span>") && !markup.contains("<b>"), "{markup}");
    assert!(markup.contains("data-at=\"0\" data-count=\"1\" data-tint=\"none\""), "{markup}");
    let split = html(&report.rows[1], &scale(&report));
    assert!(split.contains("data-at=\"0\" data-count=\"1\" data-tint=\"-2\">ሰ</span>"), "{split}");
    assert!(split.contains("data-at=\"1\" data-count=\"2\" data-tints=\"5 0\">ላ</span>"), "{split}");
}

#[test]
fn a_character_in_several_tokens_has_a_stripe_for_each() {
    let gradient = "linear-gradient(to left, color-mix(in srgb, var(--above) 60%, transparent) 0% 50%, \
                    color-mix(in srgb, var(--below) 12%, transparent) 50% 100%)";
    assert!(stripes("5 -1", true).ends_with(&format!(", {gradient}")), "{}", stripes("5 -1", true));
    assert!(
        stripes("none", false)
            .ends_with(", linear-gradient(to right, color-mix(in srgb, var(--above) 0%, transparent) 0% 100%)")
    );
}

#[test]
fn a_line_above_or_below_repeats_the_sign_of_a_stripe() {
    let lines = "linear-gradient(to right, transparent 0% 25%, transparent 25% 50%, transparent 50% 75%, var(--below) 75% 100%) \
                 top / 100% 2px no-repeat, \
                 linear-gradient(to right, var(--above) 0% 25%, transparent 25% 50%, transparent 50% 75%, transparent 75% 100%) \
                 bottom / 100% 2px no-repeat, ";
    assert!(stripes("2 1 -1 -2", false).starts_with(lines), "{}", stripes("2 1 -1 -2", false));
}

#[test]
fn tables_hold_every_token() {
    let report = report();
    assert_eq!(tokens_table(&report).keys.len(), 5);
    let csv = tokens_table(&report).csv();
    assert!(csv.lines().nth(4).unwrap().starts_with("amh-2,amh,2,,e188,6"), "{csv}");
    assert_eq!(csv.lines().nth(1), Some("eng-1,eng,1,All ,,,,"));
    assert_eq!(table(&report).keys.len(), 2);
}

proptest! {
    /// However a text is cut into bytes, its groups are the text, in order, and hold each token once.
    #[test]
    fn groups_are_the_text(text: String, cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30)) {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).chain([0, text.len()]).collect();
        places.sort_unstable();
        places.dedup();
        let tokens: Vec<Token> =
            places.windows(2).map(|ends| token(&text.as_bytes()[ends[0]..ends[1]], None)).collect();
        let groups = groups(&tokens);
        prop_assert_eq!(groups.iter().map(|group| group.text.as_str()).collect::<String>(), text);
        let numbers: Vec<usize> = groups.iter().flat_map(|group| group.tokens.clone()).collect();
        prop_assert_eq!(numbers, (0..tokens.len()).collect::<Vec<_>>());
    }

    /// A stranger's report may hold any bytes: nothing breaks, and no token is lost.
    #[test]
    fn bytes_that_are_no_text_are_shown_somehow(all in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 0..9)) {
        let tokens: Vec<Token> = all.iter().map(|bytes| token(bytes, None)).collect();
        let numbers: Vec<usize> = groups(&tokens).iter().flat_map(|group| group.tokens.clone()).collect();
        prop_assert_eq!(numbers, (0..tokens.len()).collect::<Vec<_>>());
    }
}
