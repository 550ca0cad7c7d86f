//! High- and low-resource languages, by what the model's card says it saw.

use std::collections::BTreeMap;

use super::languages::Resource;
use crate::model::card::Card;

/// The level of every language of a card: trained languages in the order of bytes seen, upper third high, lower third
/// low (at least one each where there are two), the rest middle; languages of 0 bytes are unseen.
///
/// Equal bytes are ordered by code, so the levels do not depend on the order of a file.
pub fn levels(card: &Card) -> BTreeMap<String, Resource> {
    let mut trained: Vec<(&String, u64)> = card
        .languages
        .iter()
        .map(|(code, language)| (code, language.bytes_seen))
        .filter(|(_, seen)| *seen > 0)
        .collect();
    trained.sort_by(|(a, seen_a), (b, seen_b)| seen_b.cmp(seen_a).then(a.cmp(b)));
    let third = (trained.len() / 3).max(1);

    let mut levels: BTreeMap<String, Resource> =
        card.languages.keys().map(|code| (code.clone(), Resource::Unseen)).collect();
    for (rank, (code, _)) in trained.iter().enumerate() {
        let level = if rank < third {
            Resource::High
        } else if rank + third >= trained.len() {
            Resource::Low
        } else {
            Resource::Middle
        };
        levels.insert((*code).clone(), level);
    }
    levels
}

/// The level of one language: as [`levels`] says, unseen where the card does not name it, unknown without a card.
pub fn level_of(levels: Option<&BTreeMap<String, Resource>>, code: &str) -> Resource {
    match levels {
        None => Resource::Unknown,
        Some(levels) => levels.get(code).copied().unwrap_or(Resource::Unseen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::card::CardLanguage;

    fn card(seen: &[(&str, u64)]) -> Card {
        let language = |bytes_seen| CardLanguage {
            bytes_seen,
            tokens_seen: 0,
            fertility: None,
            help_bpb: None,
            ngram5_bpb: None,
            udhr_bpb: None,
        };
        Card {
            name: "m".into(),
            title: String::new(),
            description: String::new(),
            parameters: 0,
            languages: seen.iter().map(|(code, bytes)| (code.to_string(), language(*bytes))).collect(),
            kurtosis: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    fn level(levels: &BTreeMap<String, Resource>, code: &str) -> Resource {
        level_of(Some(levels), code)
    }

    #[test]
    fn thirds_by_bytes_seen() {
        let levels =
            levels(&card(&[("aaa", 1), ("bbb", 60), ("ccc", 20), ("ddd", 30), ("eee", 50), ("fff", 40), ("zzz", 0)]));
        let of = |code| level(&levels, code);
        assert_eq!([of("bbb"), of("eee")], [Resource::High; 2]);
        assert_eq!([of("fff"), of("ddd")], [Resource::Middle; 2]);
        assert_eq!([of("ccc"), of("aaa")], [Resource::Low; 2]);
        assert_eq!([of("zzz"), of("not named")], [Resource::Unseen; 2]);
        assert_eq!(level_of(None, "bbb"), Resource::Unknown);
    }

    #[test]
    fn few_languages_still_have_both_ends() {
        let two = levels(&card(&[("aaa", 1), ("bbb", 2)]));
        assert_eq!((level(&two, "bbb"), level(&two, "aaa")), (Resource::High, Resource::Low));
        let four = levels(&card(&[("aaa", 1), ("bbb", 2), ("ccc", 3), ("ddd", 4)]));
        let in_order = ["ddd", "ccc", "bbb", "aaa"].map(|code| level(&four, code));
        assert_eq!(in_order, [Resource::High, Resource::Middle, Resource::Middle, Resource::Low]);
        assert_eq!(levels(&card(&[("aaa", 5)]))["aaa"], Resource::High);
    }

    #[test]
    fn ties_are_broken_by_code() {
        let equal = levels(&card(&[("bbb", 7), ("aaa", 7), ("ccc", 7)]));
        assert_eq!(
            ["aaa", "bbb", "ccc"].map(|code| level(&equal, code)),
            [Resource::High, Resource::Middle, Resource::Low]
        );
    }
}
