//! What can be wrong with a link.

/// Characters of a stranger's text that a sentence repeats.
const SHOWN: usize = 60;

/// Why a link cannot be read or made; each a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// Not a link of the lab.
    #[error("this is not a link to a run: after its # it has no run=…")]
    NoRun,
    /// Refused before it is decoded.
    #[error("the link is {came} characters long; {most} are allowed")]
    TooLong {
        /// Characters.
        came: usize,
        /// Allowed.
        most: usize,
    },
    /// More data than an address carries.
    #[error("its settings and data need more than the {most} characters that a link can have")]
    NoRoom {
        /// Allowed.
        most: usize,
    },
    /// A model where none belongs, or none where one does.
    #[error("the link {0}")]
    Model(&'static str),
    /// From a newer program, or damaged.
    #[error("the link is of version \"{0}\"; this program reads version 1")]
    Version(String),
    /// A letter was lost or changed on the way.
    #[error("the link is damaged: {0}")]
    Damaged(&'static str),
    /// It unpacks to more than a link can carry.
    #[error("the link unpacks to more than the {0} bytes that are allowed")]
    TooLarge(usize),
    /// What it carries is not what its version says.
    #[error("the link does not say what a link must say: {0}")]
    Content(String),
    /// An address that the lab does not have.
    #[error("the link names the page \"{0}\", which is not there")]
    Page(String),
    /// A page that shows another analysis.
    #[error("the link opens the page of {page}, but carries a run of {run}")]
    OtherPage {
        /// Analysis of the page.
        page: &'static str,
        /// Analysis of the run.
        run: &'static str,
    },
    /// Settings that cannot be run.
    #[error("the settings in the link cannot be run: {0}")]
    Settings(String),
    /// Neither a folder of the site nor an address on the web.
    #[error(
        "the model's folder \"{0}\" is neither a folder of this site nor an address that begins with http:// or https://"
    )]
    Place(String),
    /// A digest that is none.
    #[error("{0} is not a SHA-256")]
    Digest(&'static str),
    /// A text that is empty, too long, or has characters that do not belong there.
    #[error("{what} is \"{came}\"; {expected}")]
    Text {
        /// Which.
        what: &'static str,
        /// The beginning of it.
        came: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A figure that is not a number.
    #[error("the figure \"{0}\" is not a finite number with its interval")]
    Figure(String),
    /// More figures than a link carries.
    #[error("the link has {came} figures; {most} are allowed")]
    Figures {
        /// How many.
        came: usize,
        /// Allowed.
        most: usize,
    },
    /// An option of the view that is not there.
    #[error("view={0} is not a view: it takes bare, pinned and tour-<name>, each once, with full stops between them")]
    View(String),
}

impl LinkError {
    /// What a person can do about it, as a sentence; nothing where the fault says what is allowed.
    pub fn what_to_do(&self) -> &'static str {
        use LinkError as E;
        match self {
            E::NoRun
            | E::TooLong { .. }
            | E::Model(_)
            | E::Damaged(_)
            | E::TooLarge(_)
            | E::Content(_)
            | E::OtherPage { .. }
            | E::Place(_)
            | E::Digest(_)
            | E::Text { .. }
            | E::Figure(_)
            | E::Figures { .. } => {
                "Copy the link again, all of it; if that does not help, ask whoever made it for a new one."
            }
            E::NoRoom { .. } => "Save the report as JSON instead.",
            E::Version(_) => "Reload the page: a newer version may read it. If not, ask whoever made it for a new one.",
            E::Page(_) | E::Settings(_) => "Go to the start page, and choose there what to run.",
            E::View(_) => "",
        }
    }
}

/// The beginning of a stranger's text, without control characters.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).map(|c| if c.is_control() { '�' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::LinkError as E;

    /// Law: a link that cannot be used says what to do, or what it may say instead.
    #[test]
    fn every_fault_of_a_link_says_what_to_do() {
        let text = || "x".repeat(super::SHOWN);
        let faults = [
            E::NoRun,
            E::TooLong { came: 9_999, most: 8_000 },
            E::NoRoom { most: 8_000 },
            E::Model("names no model, and its run needs one"),
            E::Version(text()),
            E::Damaged("it does not unpack"),
            E::TooLarge(1 << 20),
            E::Content(text()),
            E::Page(text()),
            E::OtherPage { page: "languages", run: "weights" },
            E::Settings("choose at least one language".into()),
            E::Place(text()),
            E::Digest("the digest"),
            E::Text { what: "the backend", came: text(), expected: "it must be a short line of text" },
            E::Figure(text()),
            E::Figures { came: 99, most: 9 },
        ];
        for fault in faults {
            let step = fault.what_to_do();
            assert!(step.ends_with('.'), "{fault}: {step}");
            assert!(fault.to_string().chars().count() + step.chars().count() < 300, "{fault}. {step}");
        }
        assert!(E::View(text()).to_string().contains("it takes bare, pinned"));
    }
}
