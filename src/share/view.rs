//! The teacher's view: options that stand in the address as they are, so that a class opens exactly one exercise.

use std::fmt;

use super::error::{LinkError, shown};

/// Letters of the longest name of a tour.
const MOST_LETTERS: usize = 40;

/// What of the page is shown. `view=bare.pinned.tour-first-steps`; nothing for the page as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// Controls are hidden: what is measured is set by the link.
    pub bare: bool,
    /// No way to other pages.
    pub pinned: bool,
    /// A guided tour, or exercise, that begins by itself: small letters, digits and hyphens.
    pub tour: Option<String>,
}

impl View {
    /// What stands after `view=`.
    pub fn parse(text: &str) -> Result<View, LinkError> {
        let (mut view, wrong) = (View::default(), || LinkError::View(shown(text)));
        for word in text.split('.').filter(|_| !text.is_empty()) {
            let first_time = match word.strip_prefix("tour-") {
                Some(tour) if is_tour(tour) => view.tour.replace(tour.into()).is_none(),
                Some(_) => false,
                None if word == "bare" => !std::mem::replace(&mut view.bare, true),
                None if word == "pinned" => !std::mem::replace(&mut view.pinned, true),
                None => false,
            };
            if !first_time {
                return Err(wrong());
            }
        }
        Ok(view)
    }
}

fn is_tour(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=MOST_LETTERS).contains(&name.len()) && name.chars().all(plain)
}

/// As [`View::parse`] reads it; empty for the page as it is.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [self.bare.then(|| "bare".into()), self.pinned.then(|| "pinned".into())];
        let tour = self.tour.as_ref().map(|tour| format!("tour-{tour}"));
        let words: Vec<String> = words.into_iter().chain([tour]).flatten().collect();
        f.write_str(&words.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_view_is_refused() {
        for wrong in ["naked", "bare.bare", "tour-", "tour-A", "tour-a.tour-b", "bare.", ".", "bare,pinned", "tour-<b>"]
        {
            assert_eq!(View::parse(wrong), Err(LinkError::View(wrong.into())), "{wrong}");
        }
        assert!(View::parse(&format!("tour-{}", "a".repeat(MOST_LETTERS + 1))).is_err());
    }

    proptest! {
        /// What is printed reads back, needs no escape in an address, and the order of words does not matter.
        #[test]
        fn a_view_survives_its_address(bare: bool, pinned: bool, tour in prop::option::of("[a-z0-9-]{1,40}")) {
            let view = View { bare, pinned, tour };
            let text = view.to_string();
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b)));
            prop_assert_eq!(&View::parse(&text).unwrap(), &view);
            let mut words: Vec<&str> = text.split('.').collect();
            words.reverse();
            prop_assert_eq!(View::parse(&words.join(".")).unwrap(), view);
        }

        #[test]
        fn any_text_is_a_view_or_a_sentence(text in "\\PC{0,60}") {
            let _ = View::parse(&text);
        }
    }
}
