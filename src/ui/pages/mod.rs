//! One file per page, one row per page of the lab.
//!
//! To add one: a file with a component that reads [`super::state::State`], and a row in [`LAB`]. The address, the
//! navigation and the running engine come with the row.

#[cfg(target_arch = "wasm32")]
pub mod activation;
#[cfg(target_arch = "wasm32")]
pub mod bench;
#[cfg(target_arch = "wasm32")]
pub mod causes;
#[cfg(target_arch = "wasm32")]
pub mod claims;
#[cfg(target_arch = "wasm32")]
pub mod clipping;
#[cfg(target_arch = "wasm32")]
pub mod dial;
#[cfg(target_arch = "wasm32")]
pub mod family;
#[cfg(target_arch = "wasm32")]
pub mod gateway;
#[cfg(target_arch = "wasm32")]
pub mod languages;
#[cfg(target_arch = "wasm32")]
pub mod matrix;
#[cfg(target_arch = "wasm32")]
pub mod mitigation;
#[cfg(target_arch = "wasm32")]
pub mod redundancy;
#[cfg(target_arch = "wasm32")]
pub mod representation;
#[cfg(target_arch = "wasm32")]
pub mod screening;
#[cfg(target_arch = "wasm32")]
pub mod statistics;
#[cfg(target_arch = "wasm32")]
pub mod sweep;
#[cfg(target_arch = "wasm32")]
pub mod tokens;
#[cfg(target_arch = "wasm32")]
pub mod weights;
#[cfg(target_arch = "wasm32")]
pub mod workshop;

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

/// Pages of the lab; the first is the start page.
pub const LAB: &[LabPage] = &[
    LabPage {
        group: "Damage",
        path: "",
        title: "Languages",
        measures: "who pays",
        #[cfg(target_arch = "wasm32")]
        view: languages::view,
    },
    LabPage {
        group: "Damage",
        path: "bits",
        title: "Bits",
        measures: "what each bit buys",
        #[cfg(target_arch = "wasm32")]
        view: sweep::view,
    },
    LabPage {
        group: "Damage",
        path: "tokens",
        title: "Tokens",
        measures: "what each token pays",
        #[cfg(target_arch = "wasm32")]
        view: tokens::view,
    },
    LabPage {
        group: "Weights",
        path: "weights",
        title: "Weights",
        measures: "how the weights are spread",
        #[cfg(target_arch = "wasm32")]
        view: weights::view,
    },
    LabPage {
        group: "Weights",
        path: "matrix",
        title: "Matrix",
        measures: "what rounding does to one matrix",
        #[cfg(target_arch = "wasm32")]
        view: matrix::view,
    },
    LabPage {
        group: "Weights",
        path: "clipping",
        title: "Clipping",
        measures: "where the grid should end",
        #[cfg(target_arch = "wasm32")]
        view: clipping::view,
    },
    LabPage {
        group: "Inside",
        path: "activation",
        title: "Activation",
        measures: "who uses which layers",
        #[cfg(target_arch = "wasm32")]
        view: activation::view,
    },
    LabPage {
        group: "Inside",
        path: "redundancy",
        title: "Redundancy",
        measures: "how much a language could lose",
        #[cfg(target_arch = "wasm32")]
        view: redundancy::view,
    },
    LabPage {
        group: "Inside",
        path: "representation",
        title: "Representation",
        measures: "what happens to hidden states",
        #[cfg(target_arch = "wasm32")]
        view: representation::view,
    },
    LabPage {
        group: "Remedies",
        path: "dial",
        title: "Dial",
        measures: "what heavier tails do",
        #[cfg(target_arch = "wasm32")]
        view: dial::view,
    },
    LabPage {
        group: "Remedies",
        path: "mitigation",
        title: "Mitigation",
        measures: "what helps",
        #[cfg(target_arch = "wasm32")]
        view: mitigation::view,
    },
    LabPage {
        group: "Remedies",
        path: "gateway",
        title: "Gateway",
        measures: "which layers to protect",
        #[cfg(target_arch = "wasm32")]
        view: gateway::view,
    },
    LabPage {
        group: "Causes",
        path: "causes",
        title: "Causes",
        measures: "what goes before a loss",
        #[cfg(target_arch = "wasm32")]
        view: causes::view,
    },
    LabPage {
        group: "Causes",
        path: "family",
        title: "Family",
        measures: "what data and tokenizer do",
        #[cfg(target_arch = "wasm32")]
        view: family::view,
    },
    LabPage {
        group: "Causes",
        path: "screening",
        title: "Screening",
        measures: "whether to expect disparity",
        #[cfg(target_arch = "wasm32")]
        view: screening::view,
    },
    LabPage {
        group: "Causes",
        path: "statistics",
        title: "Statistics",
        measures: "what figures can say together",
        #[cfg(target_arch = "wasm32")]
        view: statistics::view,
    },
    LabPage {
        group: "Together",
        path: "claims",
        title: "Claims",
        measures: "what becomes of the seeds' claims",
        #[cfg(target_arch = "wasm32")]
        view: claims::view,
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
