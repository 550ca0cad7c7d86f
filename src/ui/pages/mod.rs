//! One file per page, one row per page of the lab.
//!
//! To add one: a file with a component that reads [`super::state::State`], and a row in [`LAB`]. The address, the
//! navigation and the running engine come with the row.

#[cfg(target_arch = "wasm32")]
pub mod bench;
#[cfg(target_arch = "wasm32")]
pub mod claims;
#[cfg(target_arch = "wasm32")]
pub mod theory;
#[cfg(target_arch = "wasm32")]
pub mod workshop;

use crate::lab;

/// A page of the lab. All of them share the engine, its model and what the person has chosen.
pub struct LabPage {
    /// The step of the argument that it belongs to.
    pub group: &'static str,
    /// `#/<path>`; the start page's is empty.
    pub path: &'static str,
    /// In the navigation.
    pub title: &'static str,
    /// What it measures, after its title.
    pub measures: &'static str,
    /// Its component.
    #[cfg(target_arch = "wasm32")]
    pub view: fn() -> leptos::prelude::AnyView,
}

/// A page of each analysis, in the order of the table, from the file `page.rs` in its folder; and those that speak of several.
macro_rules! pages {
    ($($(#[$doc:meta])* $name:ident => $module:ident),* $(,)?) => {
        #[cfg(target_arch = "wasm32")]
        #[path = "../../lab"]
        mod of {
            $(pub mod $module { pub mod page; })*
        }

        /// Pages of the lab; the first is the start page.
        pub const LAB: &[LabPage] = &[
            $(LabPage {
                group: lab::$module::ABOUT.group,
                path: lab::$module::ABOUT.path,
                title: lab::$module::ABOUT.title,
                measures: lab::$module::ABOUT.measures,
                #[cfg(target_arch = "wasm32")]
                view: of::$module::page::view,
            },)*
            LabPage {
                group: "Together",
                path: "claims",
                title: "Claims",
                measures: "what becomes of the theory's claims",
                #[cfg(target_arch = "wasm32")]
                view: claims::view,
            },
            LabPage {
                group: "Together",
                path: "theory",
                title: "Theory",
                measures: "what is claimed, and why",
                #[cfg(target_arch = "wasm32")]
                view: theory::view,
            },
            LabPage {
                group: "Together",
                path: "workshop",
                title: "Workshop",
                measures: "six exercises",
                #[cfg(target_arch = "wasm32")]
                view: workshop::view,
            },
        ];
    };
}

fairbits::every_analysis!(pages);

/// The Bench page stands beside the lab: it uses an engine of its own.
pub const BENCH: (&str, &str, &str) = ("bench", "Bench", "speed");

/// Steps of the argument, in its order. The start page answers its question first.
const STEPS: [&str; 6] = ["Weights", "Inside", "Damage", "Remedies", "Causes", "Together"];

/// Groups of pages, each with its own, in the order of the argument; Bench stands in the last.
pub fn groups() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let of = |step: &'static str| {
        let own = LAB.iter().filter(move |page| page.group == step);
        (step, own.map(|page| (page.path, page.title)).collect::<Vec<_>>())
    };
    let mut groups: Vec<_> = STEPS.into_iter().map(of).collect();
    if let Some((_, pages)) = groups.last_mut() {
        pages.push((BENCH.0, BENCH.1));
    }
    groups
}

/// Path, title and what is measured, of every page.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    LAB.iter().map(|page| (page.path, page.title, page.measures)).chain([BENCH])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_an_address_of_its_own() {
        let paths: Vec<&str> = all().map(|(path, ..)| path).collect();
        assert_eq!(paths[0], "", "the start page comes first");
        for (at, path) in paths.iter().enumerate() {
            assert!(!paths[..at].contains(path), "#/{path} is there twice");
            assert!(path.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "#/{path}");
        }
        let mut grouped: Vec<&str> = groups().into_iter().flat_map(|(_, pages)| pages).map(|(path, _)| path).collect();
        let mut sorted = paths.clone();
        grouped.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(grouped, sorted, "every page is in one group");
    }
}
